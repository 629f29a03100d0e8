// SPDX-License-Identifier: Apache-2.0
#include "command_line/output_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::command_line {
namespace {

namespace fs = std::filesystem;

/// True if the path still leads to the opened file: the previous holder may have removed it.
bool is_at(std::string const& path, int descriptor) {
  struct stat opened = {}, there = {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &there) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

bool is_empty(int descriptor) {
  struct stat opened = {};
  return ::fstat(descriptor, &opened) == 0 && opened.st_size == 0;
}

}  // namespace

output_lock::output_lock(std::string_view option, std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  do {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    auto const there = fs::status(path_, ignored);
    if (path_.empty() || (fs::exists(there) && !fs::is_regular_file(there))) return;
    made_ = !fs::exists(there);
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) return;  // the writing code reports the reason
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) continue;
    bool const is_taken = errno == EWOULDBLOCK;
    ::close(std::exchange(descriptor_, -1));
    if (is_taken) throw_bad_argument(option, path_, "a file that no other process writes now");
    return;
  } while (!is_at(path_, descriptor_));
}

output_lock::~output_lock() {
  if (descriptor_ < 0) return;
  if (made_ && is_empty(descriptor_) && is_at(path_, descriptor_)) ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace ballast::command_line
