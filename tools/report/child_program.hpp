// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/error.hpp"

namespace ballast {

/// A program that is started without a shell.
struct child_program {
  std::vector<std::string> words;  ///< the program first: a path, or a name found in PATH
  std::string input = {};          ///< its standard input
  bool complains_here = false;     ///< its standard error is this process's
  /// It is killed after this time, or once it has printed more bytes; no bounds if it may take and print any
  /// amount.
  struct bounds {
    clock::duration time;
    std::size_t bytes;
  };
  std::optional<bounds> limits = {};
};

/// A program's end, and its output.
struct child_end {
  int code = 0;                    ///< 128 and the signal's number if a signal ended it
  std::string output, complaints;  ///< standard output; standard error unless it went elsewhere
};

/// There is no program of that name.
class no_such_program : public error {
 public:
  using error::error;
};

/// Runs the program and waits for its end, for ever if it has no limits. Throws no_such_program, and
/// ballast::error if it cannot be started or exceeded a limit and was killed (its own children are not).
/// `words`: one or more.
child_end run_child(child_program const& what);

}  // namespace ballast
