#include "sim/trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
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

}  // namespace

Result<TraceColumn> read_trace(const std::string& path, const std::string& column) {
  std::ifstream file(path);
  if (!file) {
    return Error{ErrorCode::NotFound, path + ": cannot be read"};
  }
  std::string line;
  std::getline(file, line);
  drop_carriage_return(line);
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
  TraceColumn trace;
  std::vector<double> times;
  for (int number = 2; std::getline(file, line); ++number) {
    drop_carriage_return(line);
    if (line.empty()) {
      continue;
    }
    const std::vector<std::string_view> row = cells(line);
    double value = 0;
    if (wanted >= row.size() || !parse(row[wanted], value) || value < 0) {
      return Error{ErrorCode::Invalid, path + ":" + std::to_string(number) + ": " + name +
                                           ": must be a number of at least 0"};
    }
    double time = 0;
    if (times.size() < 2 && parse(row[0], time)) {
      times.push_back(time);
    }
    trace.values.push_back(value);
  }
  if (trace.values.size() < 2) {
    return Error{ErrorCode::Invalid, path + ": " + name + ": needs at least two rows"};
  }
  if (times.size() == 2 && wanted != 0 && times[1] > times[0]) {
    trace.step = Milliseconds{std::llround((times[1] - times[0]) * 1000)};
  }
  return trace;
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
