// SPDX-License-Identifier: Apache-2.0
#include "ballast/error.hpp"

#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "ballast/arguments.hpp"

namespace ballast {
namespace {

struct guarded_sink {
  std::mutex mutex;
  log_sink sink;
  bool was_set = false;
};

guarded_sink& current() {
  static auto* const instance = new guarded_sink;  // what ends last may still log
  return *instance;
}

}  // namespace

void set_log_sink(log_sink sink) {
  std::lock_guard const hold(current().mutex);
  current().sink = std::move(sink);
  current().was_set = true;
}

void set_log_sink_if_none_was_set(log_sink sink) {
  std::lock_guard const hold(current().mutex);
  if (!current().was_set) current().sink = std::move(sink);
}

log_sink warnings_on_standard_error() {
  return [said = std::set<std::string, std::less<>>()](log_level level, std::string_view line) mutable {
    if (level != log_level::warning || !said.emplace(line).second) return;
    std::fputs(("ballast: " + escape_message(line) + "\n").c_str(), stderr);
  };
}

void write_log(log_level level, std::string_view line) {
  std::lock_guard const hold(current().mutex);
  if (current().sink) current().sink(level, line);
}

}  // namespace ballast
