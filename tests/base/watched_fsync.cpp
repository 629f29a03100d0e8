// SPDX-License-Identifier: Apache-2.0
#include "watched_fsync.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace {

std::function<int(std::filesystem::path const&)> answer_of_fsync;

}  // namespace

watched_fsync::watched_fsync(std::function<int(std::filesystem::path const&)> answer) {
  answer_of_fsync = std::move(answer);
}

watched_fsync::~watched_fsync() { answer_of_fsync = nullptr; }

/// This program's takes the place of the C library's.
extern "C" int fsync(int descriptor) {
  if (!answer_of_fsync) return 0;
  errno = answer_of_fsync(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)));
  return errno == 0 ? 0 : -1;
}
