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
  std::vector<std::string> words;  ///< the program first: a path, or a name that PATH has
  std::string input = {};          ///< what it reads on standard input
  bool complains_here = false;     ///< its standard error is this process's
  /// After this time, or once it has printed more bytes than this, it is killed; none for a program that may
  /// take as long and print as much as it likes.
  struct bounds {
    clock::duration time;
    std::size_t bytes;
  };
  std::optional<bounds> limits = {};
};

/// How a program ended, and what it printed.
struct child_end {
  int code = 0;                    ///< 128 and the signal's number if a signal ended it
  std::string output, complaints;  ///< standard output; standard error unless that went elsewhere
};

/// There is no program of that name.
class no_such_program : public error {
 public:
  using error::error;
};

/// Runs the program and waits for its end, without limits however long that takes. Throws no_such_program,
/// and ballast::error if it cannot be started or came to one of its limits, and was killed (what it started
/// itself is not). `words`: one or more.
child_end run_child(child_program const& what);

}  // namespace ballast
