// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

/// While it lives, close() closes the file and asks it for the outcome. The answer 0 is success, others are
/// what errno becomes. One at a time.
class watched_close {
 public:
  explicit watched_close(std::function<int(std::filesystem::path const&)> answer);
  watched_close(watched_close const&) = delete;
  watched_close& operator=(watched_close const&) = delete;
  ~watched_close();
};
