// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ballast/error.hpp"

namespace ballast::test {

/// What the log is told while it lives.
class captured_log {
 public:
  captured_log() {
    set_log_sink([this](log_level, std::string_view line) { lines_ += line; });
  }
  captured_log(captured_log const&) = delete;
  captured_log& operator=(captured_log const&) = delete;
  ~captured_log() { set_log_sink({}); }
  std::string const& lines() const { return lines_; }

 private:
  std::string lines_;
};

}  // namespace ballast::test
