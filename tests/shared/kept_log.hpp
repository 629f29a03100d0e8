// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ballast/base/log.hpp"

namespace ballast::test {

/// What the log is told while it lives.
class kept_log {
 public:
  kept_log() {
    set_log_sink([this](log_level, std::string_view line) { lines_ += line; });
  }
  kept_log(kept_log const&) = delete;
  kept_log& operator=(kept_log const&) = delete;
  ~kept_log() { set_log_sink({}); }
  std::string const& lines() const { return lines_; }

 private:
  std::string lines_;
};

}  // namespace ballast::test
