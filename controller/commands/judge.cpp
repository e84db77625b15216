// What is wrong with the manifests of a few files, and what could be better.
#include <algorithm>
#include <map>

#include "controller/commands/advice.h"
#include "controller/commands/validate.h"
#include "k8s/object_reader.h"
#include "k8s/scaled_cache.h"
#include "k8s/syntax.h"

namespace scaledcache::controller {
namespace {

constexpr std::string_view kGroup = "scaledcache.io/";

class Findings {
 public:
  Findings(const Document& document, std::vector<Finding>& all) : document_(document), all_(all) {}

  void add(const k8s::Problem& problem, bool advice = false) {
    all_.push_back({document_.file, document_.line_of(problem.path), document_.title(),
                    problem.path, problem.message, advice});
  }

  void add_all(const k8s::Problems& problems, bool advice = false) {
    for (const k8s::Problem& problem : problems) {
      add(problem, advice);
    }
  }

 private:
  const Document& document_;
  std::vector<Finding>& all_;
};

// A map of texts: annotations and labels of another type are refused by the API server.
void check_texts(const Json& meta, const char* key, k8s::Problems& problems) {
  const Json* texts = find_member(meta, key);
  if (texts == nullptr || texts->is_null()) {
    return;
  }
  const std::string path = std::string("metadata.") + key;
  if (!texts->is_object()) {
    problems.push_back({path, "is " + k8s::shown(*texts) + ", must be a map"});
    return;
  }
  for (const auto& [name, value] : texts->items()) {
    if (!value.is_string()) {
      problems.push_back({path + "[" + name + "]",
                          "is " + k8s::shown(value) + ", must be a string: put quotes around it"});
    }
  }
}

k8s::Problems check_meta(const Document& document) {
  k8s::Problems problems;
  const Json* meta = find_member(document.value, "metadata");
  if (meta == nullptr || !meta->is_object()) {
    return {{"metadata", "is required, with a name"}};
  }
  const std::string name = document.name();
  const std::string space = document.name_space();
  if (name.empty() && string_member(*meta, "generateName").empty()) {
    problems.push_back({"metadata.name", "is required"});
  } else if (!name.empty() && !k8s::is_dns_name(name, 253, true)) {
    problems.push_back(
        {"metadata.name", "is " + k8s::shown(Json(name)) + ", must be made of a-z, 0-9, - and ."});
  }
  if (!space.empty() && !k8s::is_dns_name(space, 63, false)) {
    problems.push_back({"metadata.namespace",
                        "is " + k8s::shown(Json(space)) + ", must be the name of a namespace"});
  }
  check_texts(*meta, "annotations", problems);
  check_texts(*meta, "labels", problems);
  return problems;
}

k8s::Problems check_envelope(const Document& document) {
  k8s::Problems problems = document.repeated;
  const std::string version = document.text("apiVersion");
  if (version != k8s::kApiVersion) {
    problems.push_back(
        {"apiVersion", "is " + k8s::shown(Json(version)) + ", must be " + k8s::kApiVersion});
  }
  for (const auto& [key, value] : document.value.items()) {
    constexpr std::string_view kKnown[] = {"apiVersion", "kind", "metadata", "spec", "status"};
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown)) {
      problems.push_back({key, "is a field that this version does not know"});
    }
  }
  const k8s::Problems meta = check_meta(document);
  problems.insert(problems.end(), meta.begin(), meta.end());
  return problems;
}

k8s::PauseAnnotations pause_of(const Document& document) {
  k8s::ObjectMeta meta;
  const Json* metadata = find_member(document.value, "metadata");
  const Json* annotations = metadata == nullptr ? nullptr : find_member(*metadata, "annotations");
  if (annotations != nullptr && annotations->is_object()) {
    for (const auto& [name, value] : annotations->items()) {
      if (value.is_string()) {
        meta.annotations.emplace(name, value.get<std::string>());
      }
    }
  }
  return k8s::read_pause(meta);
}

// The spec where it can be obeyed.
std::optional<k8s::Spec> judge_spec(const Document& document, Findings& findings) {
  const Json* object = find_member(document.value, "spec");
  if (object == nullptr || object->is_null()) {
    findings.add({"spec", "is required"});
    return std::nullopt;
  }
  k8s::Problems problems;
  k8s::Spec spec = k8s::spec_from_json(*object, "spec", problems);
  if (problems.empty()) {
    problems = k8s::validate(spec);
  }
  findings.add_all(problems);
  return problems.empty() ? std::optional(std::move(spec)) : std::nullopt;
}

// What was seen before, by what must be there only once.
class Seen {
 public:
  // Where `key` stood before, as "file:line"; empty the first time.
  std::string note(const std::string& key, const Document& document) {
    const std::string here = document.file + ":" + std::to_string(document.line);
    const auto [found, first] = places_.emplace(key, here);
    return first ? "" : found->second;
  }

 private:
  std::map<std::string, std::string> places_;
};

void compare(const Document& document,
             const std::optional<k8s::Spec>& spec,
             Seen& seen,
             Findings& findings) {
  const std::string space = document.name_space();
  if (const std::string other = seen.note(document.title(), document); !other.empty()) {
    findings.add({"metadata.name", "is that of the ScaledCache at " + other +
                                       ": the one that is applied last stands"},
                 true);
    return;
  }
  if (!spec) {
    return;
  }
  const k8s::ScaleTargetRef& target = spec->target;
  const std::string key =
      "target " + space + "/" + target.api_version + "/" + target.kind + "/" + target.name;
  if (const std::string other = seen.note(key, document); !other.empty()) {
    findings.add({"spec.scaleTargetRef", "is that of the ScaledCache at " + other +
                                             " as well: the older one owns it, the other decides "
                                             "nothing"},
                 true);
  }
}

bool is_ours(const Document& document) {
  return document.text("kind") == k8s::kKind || document.text("apiVersion").starts_with(kGroup);
}

void judge_one(const Document& document,
               std::optional<Milliseconds> scrape_interval,
               Seen& seen,
               std::vector<Finding>& all) {
  Findings findings(document, all);
  if (document.text("kind") != k8s::kKind) {
    findings.add(
        {"kind", "is " + k8s::shown(Json(document.text("kind"))) + ", must be " + k8s::kKind});
    return;
  }
  findings.add_all(check_envelope(document));
  findings.add_all(pause_of(document).problems);
  const std::optional<k8s::Spec> spec = judge_spec(document, findings);
  if (spec) {
    findings.add_all(advise(*spec, "spec", scrape_interval), true);
  }
  compare(document, spec, seen, findings);
}

}  // namespace

int Judged::problems() const {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return !f.advice; }));
}

int Judged::advice() const {
  return static_cast<int>(findings.size()) - problems();
}

Judged judge(const std::vector<Document>& documents, std::optional<Milliseconds> scrape_interval) {
  Judged judged;
  Seen seen;
  for (const Document& document : documents) {
    if (!document.value.is_object() || !is_ours(document)) {
      ++judged.ignored;
      continue;
    }
    ++judged.manifests;
    judge_one(document, scrape_interval, seen, judged.findings);
  }
  return judged;
}

}  // namespace scaledcache::controller
