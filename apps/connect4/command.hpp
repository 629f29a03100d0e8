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

/// The user's request on the command line, as text; only `lookahead` has been checked.
struct command_request {
  std::string moves, heuristic = "H1", method = "sequential";
  int lookahead = 7;
  std::optional<std::string> devices;  ///< without it default_device_list()
  std::optional<std::string> workers;  ///< "thread", "warp" or "block"; empty: thread
  std::optional<std::string> begins;   ///< "you" or "computer"; empty: you
  bool json = false, list_methods = false;
};

/// A checked search request, with its devices open.
struct checked_request {
  search_method const* method;
  search_request search;
  bool computer_begins = false;
};

/// Opens devices if the method uses them. Throws bad_argument.
checked_request checked(command_request const& asked, std::function<bool()> stop_requested);

/// The devices for a method. A method that runs on none requires that `list` names none. Throws bad_argument.
device_list devices_for(search_method const& method, std::optional<std::string> const& list);

/// Adds the subcommand `connect4` to a command line. Running it reads lines from standard input and prints to
/// standard output, until it is done or `stop_requested` returns true (any signal handler may cause that).
/// Throws on any error: bad_argument, CLI::ParseError, search_stopped, device_lost.
void add_command(CLI::App& app, std::function<bool()> stop_requested);

}  // namespace ballast::connect4
