// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

enum class file_call { fsync, close };

/// While it lives, it is asked for the outcome of such calls: of fsync() in place of the disk, of close()
/// once the file is closed. The answer 0 is success, others are what errno becomes. One of each at a time.
class watched_call {
 public:
  watched_call(file_call which, std::function<int(std::filesystem::path const&)> answer);
  watched_call(watched_call const&) = delete;
  watched_call& operator=(watched_call const&) = delete;
  ~watched_call();

 private:
  file_call const which_;
};
