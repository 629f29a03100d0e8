// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "game.hpp"

namespace ballast::connect4 {

/// Lines from a file descriptor, one thread at a time. A signal does not wait for the end of a line: std::cin
/// would go on reading.
class line_reader {
 public:
  /// `stop_requested` is asked after each signal and each fifth of a second.
  line_reader(int file, std::function<bool()> stop_requested)
      : file_(file), stop_requested_(std::move(stop_requested)) {}

  /// The next line without its end, the last one also if nothing ends it. Waits for it; nothing at the end of
  /// the file, or when a stop is requested. A line of more than 256 bytes comes in pieces.
  std::optional<std::string> next();

 private:
  std::optional<std::string> take_line();
  void read_more();

  int file_;
  std::function<bool()> stop_requested_;
  std::string read_;  ///< and not yet taken
  bool at_end_ = false;
};

/// Where a game is played.
struct terminal {
  std::function<std::optional<std::string>()> read_line;  ///< nothing when there are no more
  std::function<void(std::string_view)> write;
  bool echo = false;  ///< nobody typed the lines here: show them
};

/// Plays until the person quits, the lines end, or a search is stopped.
void play(game& games, terminal const& on);

/// Looks, and says so on a terminal in the meantime.
search_function with_progress_message(search_function look, std::function<void(std::string_view)> write);

}  // namespace ballast::connect4
