// SPDX-License-Identifier: Apache-2.0
#include "ballast/base/log.hpp"

#include <mutex>
#include <utility>

namespace ballast::inline base {
namespace {

struct guarded_sink {
  std::mutex mutex;
  log_sink sink;
};

guarded_sink& current() {
  static guarded_sink instance;
  return instance;
}

}  // namespace

void set_log_sink(log_sink sink) {
  std::lock_guard const hold(current().mutex);
  current().sink = std::move(sink);
}

void write_log(log_level level, std::string_view line) {
  std::lock_guard const hold(current().mutex);
  if (current().sink) current().sink(level, line);
}

}  // namespace ballast::inline base
