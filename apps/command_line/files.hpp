// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "ballast/base/error.hpp"

namespace ballast::command_line {

/// A file as it was named by an option; none if the path is empty.
struct named_file {
  std::string_view option;
  std::string path;
};

inline bool are_same(named_file const& one, named_file const& other) {
  namespace fs = std::filesystem;
  if (one.path.empty() || other.path.empty()) return false;
  std::error_code ignored;
  auto const plain = [](std::string const& path) { return fs::absolute(path).lexically_normal(); };
  return plain(one.path) == plain(other.path) || fs::equivalent(one.path, other.path, ignored);
}

/// Throws bad_argument with the option of an output that would replace one before it, or an input.
inline void refuse_to_write_twice(std::span<named_file const> outputs, std::span<named_file const> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (auto const& input : inputs)
      if (are_same(outputs[i], input))
        refuse_argument(outputs[i].option, outputs[i].path, "another file than the one read");
    for (auto const& earlier : outputs.first(i))
      if (are_same(outputs[i], earlier))
        refuse_argument(outputs[i].option, outputs[i].path,
                        "another file than that of " + std::string(earlier.option));
  }
}

}  // namespace ballast::command_line
