#include "sim/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ostream>
#include <string>

#include "base/duration.h"

namespace scaledcache::sim {
namespace {

constexpr double kWidth = 1200;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kPanel = 220;  // height of one panel
constexpr double kGap = 50;
constexpr double kTop = 60;

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// 1, 2 or 5 times a power of ten, about a fifth of `most`.
double tick_step(double most) {
  const double raw = std::max(most, 1e-9) / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) {
      return factor * power;
    }
  }
  return 10 * power;
}

std::int64_t time_step(std::int64_t end) {
  for (const std::int64_t step :
       {10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14'400, 21'600, 43'200, 86'400}) {
    if (end / step <= 12) {
      return step;
    }
  }
  return 86'400 * std::max<std::int64_t>(1, end / 86'400 / 12);
}

// One of the two coordinate systems of the picture.
class Panel {
 public:
  Panel(std::ostream& out, double top, double most, std::int64_t end)
      : out_(out),
        top_(top),
        most_(std::max(most, 1e-9) * 1.08),
        end_(std::max<std::int64_t>(1, end)) {}

  [[nodiscard]] double x(double second) const {
    return kLeft + (kWidth - kLeft - kRight) * second / static_cast<double>(end_);
  }

  [[nodiscard]] double y(double value) const { return top_ + kPanel * (1 - value / most_); }

  void axes(const char* title) const {
    const double step = tick_step(most_);
    for (int line = 0; line * step <= most_; ++line) {
      const double value = line * step;
      out_ << "<line class='grid' x1='" << number(kLeft) << "' x2='" << number(kWidth - kRight)
           << "' y1='" << number(y(value)) << "' y2='" << number(y(value)) << "'/>"
           << "<text class='end' x='" << number(kLeft - 8) << "' y='" << number(y(value) + 4)
           << "'>" << (step < 1 ? number(value) : std::to_string(std::llround(value)))
           << "</text>\n";
    }
    const std::int64_t every = time_step(end_);
    for (std::int64_t second = 0; second <= end_; second += every) {
      const double at = x(static_cast<double>(second));
      out_ << "<text class='mid' x='" << number(at) << "' y='" << number(top_ + kPanel + 16) << "'>"
           << format_duration(std::chrono::seconds{second}) << "</text>\n";
    }
    out_ << "<text class='title' x='" << number(kLeft) << "' y='" << number(top_ - 8) << "'>"
         << title << "</text>\n";
  }

  // `value` by index, `second` of that index; as stairs where the value holds until the next.
  void line(const char* style,
            std::size_t count,
            const std::function<double(std::size_t)>& second,
            const std::function<double(std::size_t)>& value,
            bool stairs) const {
    const std::size_t every = std::max<std::size_t>(1, count / 4000);
    out_ << "<path class='" << style << "' d='";
    double last = 0;
    for (std::size_t i = 0; i < count; i += every) {
      double highest = value(i);
      for (std::size_t j = i; j < std::min(count, i + every); ++j) {
        highest = std::max(highest, value(j));
      }
      const double at = x(second(i));
      if (stairs && i > 0) {
        out_ << "L" << number(at) << ' ' << number(y(last));
      }
      out_ << (i == 0 ? "M" : "L") << number(at) << ' ' << number(y(highest));
      last = highest;
    }
    out_ << "'/>\n";
  }

 private:
  std::ostream& out_;
  double top_;
  double most_;
  std::int64_t end_;
};

constexpr const char* kStyle =
    "<style>text{font:12px system-ui,sans-serif;fill:#444}.title{font-weight:600;fill:#222}"
    ".end{text-anchor:end}.mid{text-anchor:middle}.grid{stroke:#e4e4e4}path{fill:none}"
    ".offered{stroke:#b8c4ce;stroke-width:1}.short{stroke:#1f77b4;stroke-width:1.5}"
    ".peak{stroke:#9467bd;stroke-width:1.2;stroke-dasharray:5 3}"
    ".demand{stroke:#b8c4ce;stroke-width:1}.ready{stroke:#2ca02c;stroke-width:1.5}"
    ".replicas{stroke:#d62728;stroke-width:1.8}</style>\n";

struct Key {
  const char* style;
  const char* name;
};

void legend(std::ostream& out, double top, std::initializer_list<Key> keys) {
  double x = kWidth - kRight - 150.0 * static_cast<double>(keys.size());
  for (const Key& key : keys) {
    out << "<path class='" << key.style << "' d='M" << number(x) << ' ' << number(top - 12)
        << "h24'/>"
        << "<text x='" << number(x + 30) << "' y='" << number(top - 8) << "'>" << key.name
        << "</text>\n";
    x += 150;
  }
}

double second_of(const Step& step) {
  return static_cast<double>(step.second);
}

void plot_load(std::ostream& out, const Run& run, std::int64_t end) {
  double most = 0;
  for (const Moment& moment : run.moments) {
    most = std::max(most, moment.offered);
  }
  const Panel panel(out, kTop, most, end);
  panel.axes("requests per second");
  legend(out, kTop,
         {{"offered", "offered"}, {"short", "short window"}, {"peak", "peak, long window"}});
  const auto& moments = run.moments;
  const auto& steps = run.steps;
  const auto by_index = [](std::size_t i) { return static_cast<double>(i); };
  const auto by_step = [&](std::size_t i) { return second_of(steps[i]); };
  panel.line(
      "offered", moments.size(), by_index, [&](std::size_t i) { return moments[i].offered; },
      false);
  panel.line(
      "peak", steps.size(), by_step,
      [&](std::size_t i) { return std::min(steps[i].peak, 2 * most); }, false);
  panel.line(
      "short", steps.size(), by_step,
      [&](std::size_t i) { return std::min(steps[i].short_rate, 2 * most); }, false);
}

void plot_replicas(std::ostream& out, const Run& run, std::int64_t end) {
  constexpr double kReplicasTop = kTop + kPanel + kGap;
  int most = 1;
  for (const Moment& moment : run.moments) {
    most = std::max({most, moment.replicas, moment.demand});
  }
  const Panel panel(out, kReplicasTop, most, end);
  panel.axes("replicas");
  legend(out, kReplicasTop, {{"demand", "needed"}, {"ready", "ready"}, {"replicas", "wanted"}});
  const auto& moments = run.moments;
  const auto by_index = [](std::size_t i) { return static_cast<double>(i); };
  panel.line(
      "demand", moments.size(), by_index, [&](std::size_t i) { return moments[i].demand; }, true);
  panel.line(
      "ready", moments.size(), by_index, [&](std::size_t i) { return moments[i].ready; }, true);
  panel.line(
      "replicas", moments.size(), by_index, [&](std::size_t i) { return moments[i].replicas; },
      true);
}

}  // namespace

void plot(std::ostream& out, const Scenario& scenario, const Run& run) {
  constexpr double kHeight = kTop + 2 * kPanel + kGap + 40;
  const std::int64_t end = scenario.end.count() / 1000;
  out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << number(kWidth) << ' '
      << number(kHeight) << "' width='" << number(kWidth) << "' height='" << number(kHeight)
      << "'>\n"
      << kStyle << "<rect width='100%' height='100%' fill='#fff'/>\n"
      << "<text class='title' x='" << number(kLeft) << "' y='24' style='font-size:16px'>"
      << escaped(scenario.name) << "</text>\n";
  plot_load(out, run, end);
  plot_replicas(out, run, end);
  out << "</svg>\n";
}

}  // namespace scaledcache::sim
