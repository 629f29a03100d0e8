// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "search.hpp"

namespace CLI {
class App;
}

namespace ballast::connect4 {

/// What a user asks for on the command line, as text; only `lookahead` is within its range.
struct command_request {
  std::string moves, heuristic = "H1", method = "sequential";
  int lookahead = 7;
  std::optional<std::string> devices;  ///< without it default_device_list()
  std::optional<std::string> workers;  ///< "thread", "warp" or "block"; without it thread
  std::optional<std::string> begins;   ///< "you" or "computer"; without it you
  bool json = false, list_methods = false;
};

/// A search that was asked for, checked, with its devices open.
struct checked_request {
  search_method const* method;
  search_request search;
  bool computer_begins = false;
};

/// Opens devices if the method uses them. Throws bad_argument.
checked_request checked(command_request const& asked, std::function<bool()> stop_requested);

/// The devices that a method runs on: none, and then `list` must not name any. Throws bad_argument.
device_list devices_for(search_method const& method, std::optional<std::string> const& list);

/// Adds the subcommand `connect4` to a command line. Running it reads lines from standard input and prints to
/// standard output, until it is done or `stop_requested` says so (any signal handler may make it). Throws
/// for whatever is wrong: bad_argument, CLI::ParseError, search_stopped, device_lost.
void add_command(CLI::App& app, std::function<bool()> stop_requested);

}  // namespace ballast::connect4
