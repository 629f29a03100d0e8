// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"

namespace ballast::command_line {

/// A file as an option named it; no file if the path is empty.
struct named_file {
  std::string_view option;
  std::string path;
};

/// True if both are the same file; false if one of them is no file.
inline bool are_same(named_file const& one, named_file const& other) {
  return !one.path.empty() && !other.path.empty() && is_same_file(one.path, other.path);
}

[[noreturn]] inline void refuse_overwriting(named_file const& output, std::string const& input) {
  throw_bad_argument(output.option, output.path, "another file than " + input + ", which is read");
}

/// Throws bad_argument with the option of the output if the program reads that file: all code that opens
/// files for commands records them by note_read(). replace_file() refuses the output too, but late and
/// without the option.
inline void check_not_overwriting(named_file const& output) {
  if (output.path.empty()) return;
  if (auto const input = noted_as_read(output.path)) refuse_overwriting(output, input->string());
}

/// The same, and also for `inputs` that are not noted yet.
inline void check_not_overwriting(named_file const& output, std::span<named_file const> inputs) {
  check_not_overwriting(output);
  for (auto const& input : inputs)
    if (are_same(output, input)) refuse_overwriting(output, input.path);
}

/// Throws bad_argument with the option of an output that would replace an earlier output, or an input.
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
