// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/deadline.hpp"
#include "ballast/error.hpp"
#include "command_line/options.hpp"
#include "game.hpp"
#include "match.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"
#include "search.hpp"

namespace ballast::connect4 {
namespace {

bool computer_begins(command_request const& asked) {
  if (!asked.begins) return false;
  if (asked.json) throw_bad_argument("begins", *asked.begins, "nothing beside --json, which plays no game");
  constexpr std::array<std::string_view, 2> who{"you", "computer"};
  return index_among(who, "begins", *asked.begins) == 1;
}

/// Throws if the option was typed and the method runs on no device.
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

namespace {

json_value as_json(std::optional<score> const& value) {
  if (!value) return {};
  if (*value == win) return "W";
  if (*value == -win) return "-W";
  return *value;
}

/// {"values": [7], "best_column", "best_value", "nodes", "stored_tasks", "seconds"}: columns are 1 to 7, a
/// win is "W" or "-W", a full column null.
json_value answer_as_json(search_answer const& answer, double seconds) {
  json_value::list values;
  for (auto const& value : answer.values) values.push_back(as_json(value));
  int const best = best_column(answer.values);
  return json_value::object{{"values", values},
                            {"best_column", best + 1},
                            {"best_value", as_json(answer.values[static_cast<std::size_t>(best)])},
                            {"nodes", answer.nodes},
                            {"stored_tasks", answer.stored_tasks},
                            {"seconds", seconds}};
}

void list_methods(bool json) {
  if (json) {
    json_value::list methods;
    for (auto const& method : search_methods())
      methods.push_back(json_value::object{
          {"name", method.name}, {"summary", method.summary}, {"on_devices", method.on_devices}});
    std::cout << json_value(methods).text(2) << '\n';
    return;
  }
  table rows({{"method", alignment::left}, {"how it searches", alignment::left}});
  for (auto const& method : search_methods())
    rows.add_row({std::string(method.name), std::string(method.summary)});
  std::cout << rows.text(charset_of_environment());
}

void print_answer(checked_request const& asked) {
  auto const begin = clock::now();
  auto const answer = search(*asked.method, asked.search);
  std::chrono::duration<double> const took = clock::now() - begin;
  std::cout << answer_as_json(answer, took.count()).text(2) << '\n';
}

/// True if the output goes to a terminal that shows colours. False with NO_COLOR (https://no-color.org), and
/// on terminals that can only print.
bool shows_colours() {
  return isatty(STDOUT_FILENO) == 1 && !environment("NO_COLOR") &&
         environment("TERM").value_or("dumb") != "dumb";
}

void print(std::string_view text) { std::cout << text << std::flush; }

void play_here(command_request const& typed, checked_request const& asked) {
  search_function look = [&](board const& at, int lookahead) {
    auto request = asked.search;
    request.root = at;
    request.lookahead = lookahead;
    return search_ahead(*asked.method, request);
  };
  bool const colours = shows_colours();
  game games({typed.moves, asked.computer_begins, typed.lookahead, colours},
             colours ? with_progress_message(look, &print) : look);
  line_reader lines(STDIN_FILENO, asked.search.stop_requested);
  play(games, {[&] { return lines.next(); }, &print, isatty(STDIN_FILENO) != 1});
}

void check_list_methods_is_alone(CLI::App const& connect4) {
  for (auto const* option : connect4.get_options()) {
    if (option->count() == 0 || option->get_name() == "--list-methods" || option->get_name() == "--json")
      continue;
    throw_bad_argument("list-methods", "beside " + option->get_name(), "on its own");
  }
}

void run(CLI::App const& connect4, command_request const& typed,
         std::function<bool()> const& stop_requested) {
  if (typed.list_methods) {
    check_list_methods_is_alone(connect4);
    return list_methods(typed.json);
  }
  auto const asked = checked(typed, stop_requested);
  typed.json ? print_answer(asked) : play_here(typed, asked);
}

void add_options(CLI::App& connect4, command_request& asked) {
  command_line::begin_group(connect4, command_line::work_group);
  connect4.add_option("--moves", asked.moves, "Columns played so far, 1 (left) to 7, by both sides in turn")
      ->type_name("COLUMNS");
  connect4
      .add_option_function<std::string>(
          "--lookahead",
          [&](std::string const& text) {
            asked.lookahead = parse_integer("lookahead", text, 1, max_lookahead);
          },
          "How many moves to look ahead, 1 to 16")
      ->type_name("INT")
      ->default_str(std::to_string(asked.lookahead));
  command_line::takes_one_of(
      connect4.add_option("--heuristic", asked.heuristic,
                          "H1 (open lines), H2 (sequences) or H3 (the paper's formula)"),
      {"H1", "H2", "H3"});
  std::vector<std::string> methods;
  for (auto const& method : search_methods()) methods.emplace_back(method.name);
  command_line::takes_one_of(connect4.add_option("--method", asked.method, "How to search (--list-methods)"),
                             methods);
  command_line::takes_one_of(
      connect4.add_option("--begins", asked.begins, "Who makes the next move in a game; without it you"),
      {"you", "computer"});
  command_line::begin_group(connect4, command_line::device_group);
  command_line::add_devices_option(
      connect4, asked.devices,
      std::string("For the methods that use devices. ") + command_line::device_list_help);
  command_line::takes_one_of(
      connect4.add_option("--workers", asked.workers,
                          "GPU threads that share a task, for the methods that use devices: thread (1; "
                          "default), warp (32) or block (64)"),
      {"thread", "warp", "block"});
  command_line::begin_group(connect4, command_line::output_group);
  connect4.add_flag("--json", asked.json, "Play no game; print the values of all columns as one JSON object");
  connect4.add_flag("--list-methods", asked.list_methods, "Print the methods, nothing else");
}

}  // namespace

void add_command(CLI::App& app, std::function<bool()> stop_requested) {
  auto const asked = std::make_shared<command_request>();
  auto* const connect4 = app.add_subcommand(
      "connect4", "Four in a row against the computer, or the values of a position (Mohan, Gopalan 2014)");
  connect4->option_defaults()->always_capture_default();
  add_options(*connect4, *asked);
  command_line::add_examples(
      *connect4, {"ballast connect4 --lookahead 5", "ballast connect4 --moves 4433 --lookahead 6 --json",
                  "ballast connect4 --list-methods"});
  connect4->callback(
      [=, stop_requested = std::move(stop_requested)] { run(*connect4, *asked, stop_requested); });
}

}  // namespace ballast::connect4
