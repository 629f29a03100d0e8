// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"

namespace ballast::command_line {

/// A file as it was named by an option; none if the path is empty.
struct named_file {
  std::string_view option;
  std::string path;
};

/// False if one of them is none.
inline bool are_same(named_file const& one, named_file const& other) {
  return !one.path.empty() && !other.path.empty() && is_same_file(one.path, other.path);
}

/// Throws bad_argument with the option of the output if it is one of the inputs. Whatever reads files and
/// writes others calls it before it reads.
inline void check_not_overwriting(named_file const& output, std::span<named_file const> inputs) {
  for (auto const& input : inputs)
    if (are_same(output, input))
      throw_bad_argument(output.option, output.path, "another file than " + input.path + ", which is read");
}

/// Throws bad_argument with the option of an output that would replace one before it, or an input.
inline void check_distinct_outputs(std::span<named_file const> outputs, std::span<named_file const> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_not_overwriting(outputs[i], inputs);
    for (auto const& earlier : outputs.first(i))
      if (are_same(outputs[i], earlier))
        throw_bad_argument(outputs[i].option, outputs[i].path,
                           "another file than that of " + std::string(earlier.option));
  }
}

}  // namespace ballast::command_line
