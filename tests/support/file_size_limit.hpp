// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <cstddef>

namespace ballast::test {

/// While one lives, no file of this process grows beyond so many bytes: what a full disk does to a writer,
/// which is told EFBIG ("File too large") once the bytes that fit are written.
class file_size_limit {
 public:
  explicit file_size_limit(std::size_t bytes) : usual_handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &usual_);
    rlimit lower = usual_;
    lower.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &lower);
  }
  file_size_limit(file_size_limit const&) = delete;
  file_size_limit& operator=(file_size_limit const&) = delete;
  ~file_size_limit() {
    setrlimit(RLIMIT_FSIZE, &usual_);
    signal(SIGXFSZ, usual_handler_);
  }

 private:
  void (*usual_handler_)(int);
  rlimit usual_{};
};

}  // namespace ballast::test
