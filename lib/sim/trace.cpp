#include "sim/trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace scaledcache::sim {
namespace {

std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> result;
  while (true) {
    const std::size_t comma = line.find(',');
    result.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) {
      return result;
    }
    line.remove_prefix(comma + 1);
  }
}

bool parse(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size() &&
         std::isfinite(value);
}

void drop_carriage_return(std::string& line) {
  if (line.ends_with('\r')) {
    line.pop_back();
  }
}

Error no_column(const std::string& path, const std::string& column, const std::string& header) {
  return Error{ErrorCode::Invalid,
               path + ":1: " + column + ": no such column; there are " + header};
}

// The rows below the header.
class Rows {
 public:
  Rows(const std::string& path, const std::string& name, std::size_t wanted)
      : path_(path), name_(name), wanted_(wanted) {}

  Result<TraceColumn> read(std::ifstream& file) {
    std::string line;
    for (int number = 2; std::getline(file, line); ++number) {
      drop_carriage_return(line);
      if (!line.empty() && !take(line)) {
        return Error{ErrorCode::Invalid, path_ + ":" + std::to_string(number) + ": " + name_ +
                                             ": must be a number of at least 0"};
      }
    }
    if (trace_.values.size() < 2) {
      return Error{ErrorCode::Invalid, path_ + ": " + name_ + ": needs at least two rows"};
    }
    if (times_.size() == 2 && wanted_ != 0 && times_[1] > times_[0]) {
      trace_.step = Milliseconds{std::llround((times_[1] - times_[0]) * 1000)};
    }
    return std::move(trace_);
  }

 private:
  bool take(const std::string& line) {
    const std::vector<std::string_view> row = cells(line);
    double value = 0;
    if (wanted_ >= row.size() || !parse(row[wanted_], value) || value < 0) {
      return false;
    }
    double time = 0;
    if (times_.size() < 2 && parse(row[0], time)) {
      times_.push_back(time);
    }
    trace_.values.push_back(value);
    return true;
  }

  const std::string& path_;
  const std::string& name_;
  std::size_t wanted_;
  std::vector<double> times_{};
  TraceColumn trace_{};
};

}  // namespace

Result<TraceColumn> read_trace(const std::string& path, const std::string& column) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    return Error{ErrorCode::NotFound, path + ": cannot be read"};
  }
  std::string line;
  std::getline(file, line);
  drop_carriage_return(line);
  if (line.empty()) {
    return Error{ErrorCode::Invalid, path + ":1: must name the columns, such as time,requests"};
  }
  const std::vector<std::string_view> header = cells(line);
  std::size_t wanted = header.size() - 1;
  if (!column.empty()) {
    const auto found = std::find(header.begin(), header.end(), column);
    if (found == header.end()) {
      return no_column(path, column, line);
    }
    wanted = static_cast<std::size_t>(found - header.begin());
  }
  const std::string name(header[wanted]);
  return Rows(path, name, wanted).read(file);
}

Result<Load> load_of(const TraceSource& source, double q) {
  const Result<TraceColumn> read = read_trace(source.path, source.column);
  if (!read) {
    return read.error();
  }
  Load load;
  load.step = source.step.count() > 0 ? source.step : read->step;
  if (load.step.count() <= 0) {
    return Error{ErrorCode::Invalid,
                 source.path + ": step: is needed, the first column counts no seconds"};
  }
  const Milliseconds per = source.per.count() > 0 ? source.per : load.step;
  load.skip = source.skip;
  load.trace = read->values;
  const double peak = *std::max_element(load.trace.begin(), load.trace.end());
  double factor = 1000 / static_cast<double>(per.count());
  if (source.peak_replicas > 0 && peak > 0) {
    factor = source.peak_replicas * q / peak;
  }
  for (double& value : load.trace) {
    value *= factor;
  }
  return load;
}

}  // namespace scaledcache::sim
