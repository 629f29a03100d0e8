// SPDX-License-Identifier: Apache-2.0
#include "top_command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "ballast/trace.hpp"
#include "command_line/help.hpp"
#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "report/json_value.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"

namespace ballast::cli {
namespace {

constexpr auto between_looks = std::chrono::seconds(1);
constexpr int max_process = 1 << 22;  // the system's own limit
constexpr std::uint32_t max_count = 1'000'000;

struct top_options {
  std::optional<int> process;
  std::optional<std::uint32_t> count;
  bool json = false;
  std::string prometheus;
};

using processes = std::vector<process_progress>;

double seconds(clock::duration time) { return std::chrono::duration<double>(time).count(); }
double age(process_progress const& one) { return std::max(0.0, seconds(clock::now() - one.when)); }

std::string numbers_of(processes const& all) {
  std::string text;
  for (auto const& one : all) text += (text.empty() ? "" : ", ") + std::to_string(one.process);
  return text.empty() ? "of which there is none" : text;
}

[[noreturn]] void refuse(int process) {
  struct stat of {};
  bool const is_there = ::stat(("/proc/" + std::to_string(process)).c_str(), &of) == 0;
  auto const* const what = !is_there                  ? ", which is no process"
                           : of.st_uid != ::geteuid() ? ", which is another user's"
                                                      : ", which publishes no progress";
  throw_bad_argument("PID", std::to_string(process) + what,
                     "a process of this user that publishes its progress (published_progress): " +
                         numbers_of(published_progress::read()));
}

std::vector<std::string> row_of(std::string process, std::string name, work_progress const& one,
                                std::string rate, std::string since) {
  auto const oldest = one.oldest == clock::duration(0) ? "-" : duration_text(seconds(one.oldest));
  return {std::move(process),
          std::move(name),
          std::to_string(one.done),
          std::to_string(one.submitted),
          std::to_string(one.waiting),
          oldest,
          std::move(rate),
          fmt::format("{:.0f} %", 100 * one.busy),
          std::move(since)};
}

std::string as_text(processes const& all, bool with_devices) {
  if (all.empty()) return "no process of this user publishes its progress\n";
  table rows({{"process"},
              {"name", alignment::left},
              {"done"},
              {"submitted"},
              {"waiting"},
              {"oldest"},
              {"rate"},
              {"busy"},
              {"age"}});
  for (auto const& one : all) {
    rows.add_row(row_of(std::to_string(one.process), one.name, one.progress,
                        with_unit(one.rate, "tasks/s", 3), duration_text(age(one))));
    for (std::size_t i = 0; with_devices && i < one.progress.devices.size(); ++i)
      rows.add_row(row_of("", "  device " + std::to_string(i), one.progress.devices[i], "", ""));
  }
  return rows.text(charset_of_environment());
}

json_value::object counts_of(work_progress const& one) {
  return {{"done", one.done},
          {"submitted", one.submitted},
          {"waiting", one.waiting},
          {"oldest_seconds", seconds(one.oldest)},
          {"busy", one.busy}};
}

json_value as_json(processes const& all) {
  json_value::list shown;
  for (auto const& one : all) {
    json_value::list devices;
    for (auto const& device : one.progress.devices) devices.push_back(counts_of(device));
    json_value::object members{{"process", one.process},
                               {"name", one.name},
                               {"age_seconds", age(one)},
                               {"tasks_per_second", one.rate}};
    for (auto& member : counts_of(one.progress)) members.push_back(std::move(member));
    members.emplace_back("devices", std::move(devices));
    shown.push_back(std::move(members));
  }
  return json_value::object{{"processes", std::move(shown)}};
}

/// The value of a label, as Prometheus reads it.
std::string label_value(std::string const& text) {
  std::string made = "\"";
  for (char const sign : text)
    made += sign == '"' || sign == '\\' ? std::string{'\\', sign} : std::string{sign};
  return made + '"';
}

std::string labels_of(process_progress const& one) {
  return "process=\"" + std::to_string(one.process) + "\",name=" + label_value(one.name);
}

/// A metric of each process or device: a head, and a line for each.
template <class Value>
std::string metric(processes const& all, std::string const& name, std::string const& kind,
                   std::string const& help, Value const& value) {
  auto text = fmt::format("# HELP ballast_{0} {2}\n# TYPE ballast_{0} {1}\n", name, kind, help);
  for (auto const& one : all) text += fmt::format("ballast_{}{{{}}} {}\n", name, labels_of(one), value(one));
  return text;
}

template <class Value>
std::string device_metric(processes const& all, std::string const& name, std::string const& kind,
                          std::string const& help, Value const& value) {
  auto text = fmt::format("# HELP ballast_device_{0} {2}\n# TYPE ballast_device_{0} {1}\n", name, kind, help);
  for (auto const& one : all)
    for (std::size_t i = 0; i < one.progress.devices.size(); ++i)
      text += fmt::format("ballast_device_{}{{{},device=\"{}\"}} {}\n", name, labels_of(one), i,
                          value(one.progress.devices[i]));
  return text;
}

std::string as_prometheus(processes const& all) {
  using process = process_progress const&;
  using device = work_progress const&;
  return metric(all, "tasks_done_total", "counter", "Tasks that have run in the present run.",
                [](process one) { return one.progress.done; }) +
         metric(all, "tasks_submitted", "gauge", "Tasks accepted in the present run, and not cancelled.",
                [](process one) { return one.progress.submitted; }) +
         metric(all, "tasks_waiting", "gauge", "Tasks that nobody has begun.",
                [](process one) { return one.progress.waiting; }) +
         metric(all, "tasks_per_second", "gauge", "Tasks done per second, over the last second.",
                [](process one) { return one.rate; }) +
         metric(all, "oldest_batch_seconds", "gauge", "Time since the oldest unfinished batch was submitted.",
                [](process one) { return seconds(one.progress.oldest); }) +
         metric(all, "busy_ratio", "gauge", "Share of the workers that run a task.",
                [](process one) { return one.progress.busy; }) +
         metric(all, "progress_age_seconds", "gauge", "Time since the process read these values.",
                [](process one) { return age(one); }) +
         device_metric(all, "tasks_done_total", "counter", "Tasks that have run on the device.",
                       [](device one) { return one.done; }) +
         device_metric(all, "busy_ratio", "gauge", "Share of the device's workers that run a task.",
                       [](device one) { return one.busy; });
}

void show(processes const& all, top_options const& options, bool is_alone) {
  constexpr auto* home_and_clear = "\x1b[H\x1b[2J";
  if (!options.prometheus.empty()) return replace_file(options.prometheus, as_prometheus(all));
  if (options.json) {
    std::cout << as_json(all).text(is_alone ? 2 : 0) << std::endl;
    return;
  }
  bool const redraws = !is_alone && ::isatty(STDOUT_FILENO) == 1;
  std::cout << (redraws ? home_and_clear : "") << as_text(all, options.process.has_value()) << std::flush;
}

/// False if the user wants no more.
bool waits_for_next_look() {
  auto const until = clock::now() + between_looks;
  while (clock::now() < until && !command_line::was_interrupted())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return !command_line::was_interrupted();
}

void watch(top_options const& options) {
  auto const count = options.count.value_or(options.json ? 1 : 0);  // 0: until the user ends it
  if (!options.prometheus.empty()) check_replaceable(options.prometheus);
  for (std::uint32_t looks = 1;; ++looks) {
    auto const all = published_progress::read(options.process.value_or(0));
    bool const has_gone = options.process && all.empty();
    if (has_gone && looks == 1) refuse(*options.process);
    if (has_gone) return;
    show(all, options, !options.count);
    if (looks == count || !waits_for_next_look()) return;
  }
}

}  // namespace

void add_top_command(CLI::App& app) {
  auto const options = std::make_shared<top_options>();
  auto* const command = app.add_subcommand("top", "Show how far processes are that publish their progress");
  command_line::add_integer_option(*command, "PID", options->process, 1, max_process,
                                   "Show this process with each of its devices; without it all of this user");
  command_line::begin_group(*command, command_line::output_group);
  command_line::add_integer_option(*command, "--count", options->count, 1u, max_count,
                                   "End after this many looks, one a second; without it, and without --json, "
                                   "when PID publishes nothing more or at Ctrl-C");
  auto* const json = command->add_flag("--json", options->json,
                                       "Print one JSON object, or with --count one a line for each look");
  command_line::add_path(*command, "--prometheus", options->prometheus, "FILE",
                         "Print nothing, but write each look to FILE as Prometheus reads it")
      ->excludes(json);
  command_line::add_examples(*command, {"ballast top", "ballast top --json", "ballast top --count 1",
                                        "ballast top --prometheus /var/lib/node_exporter/ballast.prom"});
  command->callback([options] { watch(*options); });
}

}  // namespace ballast::cli
