// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include "ballast/arguments.hpp"
#include "match.hpp"

namespace ballast::connect4 {
namespace {

bool computer_begins(command_request const& asked) {
  if (!asked.begins) return false;
  if (asked.json) throw_bad_argument("begins", *asked.begins, "nothing beside --json, which plays no game");
  constexpr std::array<std::string_view, 2> who{"you", "computer"};
  return index_among(who, "begins", *asked.begins) == 1;
}

/// For options of methods that run on devices.
void check_use(search_method const& method, std::string_view option,
               std::optional<std::string> const& typed) {
  if (typed && !method.on_devices)
    throw_bad_argument(option, *typed,
                       "nothing beside --method " + std::string(method.name) + ", which uses none");
}

worker_size workers_for(search_method const& method, std::optional<std::string> const& size) {
  check_use(method, "workers", size);
  return size ? worker_size_named(*size) : worker_size::thread;
}

}  // namespace

device_list devices_for(search_method const& method, std::optional<std::string> const& list) {
  check_use(method, "devices", list);
  if (!method.on_devices) return {};
  return open_devices(list ? *list : default_device_list());
}

checked_request checked(command_request const& asked, std::function<bool()> stop_requested) {
  check_moves(asked.moves);
  auto const& method = method_named(asked.method);
  auto const rule = heuristic_named(asked.heuristic);
  bool const begins = computer_begins(asked);
  auto const workers = workers_for(method, asked.workers);
  return {&method,
          {board_after(asked.moves), asked.lookahead, rule, devices_for(method, asked.devices),
           std::move(stop_requested), workers},
          begins};
}

}  // namespace ballast::connect4
