// SPDX-License-Identifier: Apache-2.0
#include "watched_close.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace {

std::function<int(std::filesystem::path const&)> answer_of_close;

}  // namespace

watched_close::watched_close(std::function<int(std::filesystem::path const&)> answer) {
  answer_of_close = std::move(answer);
}

watched_close::~watched_close() { answer_of_close = nullptr; }

/// This program's takes the place of the C library's.
extern "C" int close(int descriptor) {
  int const answer =
      answer_of_close
          ? answer_of_close(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)))
          : 0;
  if (syscall(SYS_close, descriptor) != 0) return -1;
  if (answer == 0) return 0;
  errno = answer;
  return -1;
}
