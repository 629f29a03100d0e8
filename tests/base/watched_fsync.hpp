// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

/// While it lives, fsync() asks it about the file instead of the disk. The answer 0 is success, others are
/// what errno becomes. One at a time.
class watched_fsync {
 public:
  explicit watched_fsync(std::function<int(std::filesystem::path const&)> answer);
  watched_fsync(watched_fsync const&) = delete;
  watched_fsync& operator=(watched_fsync const&) = delete;
  ~watched_fsync();
};
