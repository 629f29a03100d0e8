// SPDX-License-Identifier: Apache-2.0
#include "trace_command.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "command_line/help.hpp"
#include "report/json_text.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"

namespace ballast::cli {
namespace {

using nlohmann::json;

struct trace_options {
  std::string file;
  bool json = false;
};

/// A round of a graph.
struct traced_round {
  std::string graph, path;
  std::uint64_t number = 0, tasks = 0;
  double length_us = 0, path_us = 0, work_us = 0, waited_us = 0;
};

/// A worker's tasks of graphs.
struct traced_worker {
  std::uint64_t tasks = 0;
  double work_us = 0, waited_us = 0, longest_us = 0;
  std::string longest_for = {};
};

struct graph_trace {
  std::vector<traced_round> rounds;
  std::map<std::string, traced_worker> workers;  ///< by name
};

double us_of(json const& args, char const* count) { return args.value(count, 0.0) / 1000; }

/// Names of devices, and of their lines.
class line_names {
 public:
  explicit line_names(json const& events) {
    for (auto const& one : events)
      if (one.at("ph") == "M" && one.at("args").contains("name"))
        names_[{one.at("pid"), one.value("tid", 0)}] = one.at("args").at("name");
  }
  std::string of(json const& event) const {
    int const device = event.at("pid"), line = event.at("tid");
    return names_.at({device, 0}) + ' ' + names_.at({device, line});
  }

 private:
  std::map<std::pair<int, int>, std::string> names_;
};

/// Names of the tasks of graphs, as on a critical path.
class task_names {
 public:
  explicit task_names(json const& events) {
    for (auto const& one : events)
      if (one.at("ph") == "X" && one.at("args").contains("graph_task"))
        kernels_[key(one, "graph_task")] = one.at("name");
  }
  /// Of the task of the event's round that this count of the event gives. Without a kernel if it has no span.
  std::string of(json const& event, char const* count) const {
    auto const found = kernels_.find(key(event, count));
    return (found == kernels_.end() ? "" : found->second + ' ') + std::to_string(number(event, count));
  }

 private:
  static unsigned number(json const& event, char const* count) { return event.at("args").at(count); }
  static std::array<unsigned, 3> key(json const& event, char const* count) {
    return {event.at("pid").get<unsigned>(), number(event, "round"), number(event, count)};
  }

  std::map<std::array<unsigned, 3>, std::string> kernels_;
};

void add_task(traced_worker& to, json const& event, task_names const& tasks) {
  auto const& args = event.at("args");
  auto const waited_us = us_of(args, "waited_ns");
  ++to.tasks;
  to.work_us += event.at("dur").get<double>();
  to.waited_us += waited_us;
  if (waited_us <= to.longest_us) return;
  to.longest_us = waited_us;
  to.longest_for = fmt::format("{} before {} in round {}", tasks.of(event, "waited_for"),
                               tasks.of(event, "graph_task"), args.at("round").get<unsigned>());
}

traced_round round_of(json const& event, std::string graph) {
  auto const& args = event.at("args");
  auto const label = ": " + event.at("name").get<std::string>();
  return {.graph = std::move(graph),
          .path = label.substr(label.rfind(": ") + 2),
          .number = args.at("round"),
          .tasks = args.at("tasks"),
          .length_us = event.at("dur"),
          .path_us = us_of(args, "critical_path_ns"),
          .work_us = us_of(args, "work_ns"),
          .waited_us = us_of(args, "waited_ns")};
}

graph_trace read_graphs(json const& trace) {
  graph_trace found;
  auto const& events = trace.at("traceEvents");
  line_names const names(events);
  task_names const tasks(events);
  for (auto const& one : events) {
    if (one.at("ph") != "X") continue;
    auto const& args = one.at("args");
    if (args.contains("graph_task")) add_task(found.workers[names.of(one)], one, tasks);
    if (args.contains("critical_path_ns")) found.rounds.push_back(round_of(one, names.of(one)));
  }
  return found;
}

graph_trace read_graphs(std::string const& path) {
  std::ifstream file(path);
  if (!file) throw error("cannot read " + path);
  try {
    return read_graphs(parse_json(std::string(std::istreambuf_iterator<char>(file), {})));
  } catch (json::exception const& problem) {
    throw error(path + " is no trace of ballast: " + problem.what());
  } catch (std::out_of_range const&) {
    throw error(path + " is no trace of ballast: a line has no name");
  } catch (error const& problem) { throw error(path + ' ' + problem.what()); }
}

std::string time_text(double us) { return with_unit(us * 1e-6, "s"); }

std::string as_text(graph_trace const& found) {
  table rounds({{"graph", alignment::left},
                {"round"},
                {"tasks"},
                {"length"},
                {"critical path"},
                {"work"},
                {"waited"},
                {"along", alignment::left}});
  for (auto const& one : found.rounds)
    rounds.add_row({one.graph, std::to_string(one.number), std::to_string(one.tasks),
                    time_text(one.length_us), time_text(one.path_us), time_text(one.work_us),
                    time_text(one.waited_us), one.path});
  table workers({{"worker", alignment::left},
                 {"tasks"},
                 {"work"},
                 {"waited"},
                 {"longest"},
                 {"for task", alignment::left}});
  for (auto const& [name, one] : found.workers)
    workers.add_row({name, std::to_string(one.tasks), time_text(one.work_us), time_text(one.waited_us),
                     time_text(one.longest_us), one.longest_for});
  auto const drawn_with = charset_of_environment();
  return rounds.text(drawn_with) + '\n' + workers.text(drawn_with);
}

json_value as_json(graph_trace const& found) {
  json_value::list rounds, workers;
  for (auto const& one : found.rounds)
    rounds.push_back(json_value::object{{"graph", one.graph},
                                        {"round", one.number},
                                        {"tasks", one.tasks},
                                        {"length_us", one.length_us},
                                        {"critical_path_us", one.path_us},
                                        {"work_us", one.work_us},
                                        {"waited_us", one.waited_us},
                                        {"along", one.path}});
  for (auto const& [name, one] : found.workers)
    workers.push_back(json_value::object{{"worker", name},
                                         {"tasks", one.tasks},
                                         {"work_us", one.work_us},
                                         {"waited_us", one.waited_us},
                                         {"longest_us", one.longest_us},
                                         {"longest_for", one.longest_for}});
  return json_value::object{{"rounds", rounds}, {"workers", workers}};
}

void show_trace(trace_options const& options) {
  auto const found = read_graphs(options.file);
  if (found.rounds.empty()) throw error(options.file + ": there is no round of a graph in it");
  std::cout << (options.json ? as_json(found).text(2) + '\n' : as_text(found));
}

}  // namespace

void add_trace_command(CLI::App& app) {
  auto const options = std::make_shared<trace_options>();
  auto* const command = app.add_subcommand("trace", "Print what a trace shows of task graphs");
  command->add_option("FILE", options->file, "A trace that save_chrome_trace() wrote")
      ->required()
      ->type_name("FILE");
  command_line::begin_group(*command, command_line::output_group);
  command->add_flag("--json", options->json, "Print one JSON object");
  command_line::add_examples(*command, {"ballast trace frames.json", "ballast trace frames.json --json"},
                             "Workers wait for predecessors: task A before B means that B waited for A.");
  command->callback([options] { show_trace(*options); });
}

}  // namespace ballast::cli
