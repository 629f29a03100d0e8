// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/mpi.hpp"
#include "ballast/replace_file.hpp"
#include "ballast/trace.hpp"
#include "command_line/options.hpp"

namespace ballast::job_run {
namespace {

constexpr std::uint32_t max_tasks = 1'000'000, max_repetitions = 1'000'000;
constexpr std::uint64_t min_device_bytes = 4096, max_device_bytes = std::uint64_t{1024} << 30;

/// The factor that a letter after a number stands for, as a power of two; 0 if it is no such letter.
unsigned shift_of(char letter) {
  constexpr std::string_view letters = "KMG";
  auto const place = letters.find(letter);
  return place == letters.npos ? 0 : 10 * static_cast<unsigned>(place + 1);
}

/// The value of an option, for messages.
std::string told_by(CLI::Option const& option) {
  bool const names_file = option.get_type_name() == "FILE" || option.get_type_name() == "FOLDER";
  if (option.count() == 0)
    return names_file || option.get_default_str().empty() ? "not given" : option.get_default_str();
  if (names_file) return "given";
  std::string text;
  for (auto const& word : option.results()) text += (text.empty() ? "" : ",") + word;
  return text;
}

/// The option for a member of job_options; empty for text that is no such member, or has its option's name.
std::string_view option_of(std::string_view member) {
  if (member == "device_bytes") return "device-memory";
  if (member == "check_maps") return "check-maps";
  return {};
}

}  // namespace

void add_policy_option(CLI::App& command, std::string& policy, std::string const& meaning) {
  auto* const option = command.add_option(
      "--policy", policy, command_line::help_with_names(meaning + " (docs/job.md):", split_policies()));
  command_line::takes_one_of(option, command_line::names_of(split_policies()));
}

void add_cluster_flag(CLI::App& command, cluster_flag& flag) {
  flag.command = &command;
  command.add_flag(
      "--cluster", flag.typed,
      "Run on all ranks that mpirun or srun started, each with its devices; the first one prints");
}

void add_options(CLI::App& command, request& asked) {
  command_line::begin_group(command, command_line::device_group);
  command_line::add_devices_option(command, asked.devices);
  add_policy_option(command, asked.policy, "Who gets which part of a job");
  command_line::add_integer_option(command, "--tasks", asked.tasks, 1u, max_tasks,
                                   "Tasks of a job, for policies that want a number");
  command
      .add_option_function<std::string>(
          "--device-memory",
          [&](std::string const& text) { asked.device_memory = bytes_in("--device-memory", text); },
          "Most bytes taken of each device, as 64M (K, M, G); more is worked through in smaller tasks")
      ->type_name("BYTES");
  command.add_flag("--reuse,!--no-reuse", asked.reuse,
                   "Whether a device keeps what a task leaves there; without, to compare with");
  add_cluster_flag(command, asked.cluster);
  command.add_flag("--check-maps", asked.check_maps,
                   "Run each task twice, on CPU cores only, and fail if a kernel leaves its access maps");
  command_line::begin_group(command, command_line::output_group);
  command_line::add_integer_option(command, "--repeat", asked.repeat, 1u, max_repetitions,
                                   "Repetitions; the median of their times is told");
  command_line::add_path(command, "--trace", asked.trace, "FILE",
                         "Write which task and copy ran where and when, for ui.perfetto.dev");
  command.add_flag("--json", asked.json, "Print one JSON object");
}

std::uint64_t bytes_in(std::string_view option, std::string_view text) {
  constexpr auto legal = "bytes from 4096 to 1024G, as 1000000, 64K, 100M or 2G";
  auto const shift = text.empty() ? 0 : shift_of(text.back());
  auto const digits = text.substr(0, text.size() - (shift > 0));
  std::uint64_t number = 0;
  auto const [rest, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  bool const is_number = problem == std::errc() && rest == digits.data() + digits.size();
  if (!is_number || number > max_device_bytes >> shift || number << shift < min_device_bytes)
    throw_bad_argument(option, escape_beyond_ascii(text), legal);
  return number << shift;
}

std::vector<std::pair<std::string, std::string>> options_of_all_ranks(CLI::App const& command) {
  constexpr std::string_view own[] = {"--help", "--version", "--cluster", "--devices", "--json"};
  std::vector<std::pair<std::string, std::string>> all = {{"command", command.get_name()}};
  for (auto const* const option : command.get_options()) {
    auto const name = option->get_name();
    if (std::ranges::find(own, name) == std::end(own)) all.emplace_back(name, told_by(*option));
  }
  return all;
}

std::optional<cluster> ranks_if(cluster_flag const& flag) {
  if (!flag.typed) return std::nullopt;
#if BALLAST_HAVE_MPI
  auto ranks = std::make_optional(mpi_cluster());
  if (flag.command == nullptr) return ranks;
  try {
    require_same_options(*ranks, options_of_all_ranks(*flag.command));
  } catch (bad_argument const&) {
    ranks.reset();  // here all ranks end without an error
    throw;
  }
  return ranks;
#else
  throw error(
      "this program was built without MPI, which --cluster needs: install libopenmpi-dev and build again");
#endif
}

job_options options_of(request const& asked) {
  job_options options;
  options.policy = asked.policy;
  options.tasks = asked.tasks;
  options.device_bytes = asked.device_memory;
  options.check_maps = asked.check_maps;
  options.reuse = asked.reuse;
  return options;
}

device_list devices_of(request const& asked) {
  return open_devices(asked.devices ? *asked.devices : default_device_list());
}

void name_options_in_errors(std::function<void()> const& run) {
  try {
    run();
  } catch (bad_argument const& problem) {
    auto const option = option_of(problem.argument());
    if (option.empty()) throw;
    throw_bad_argument(option, problem.value(), problem.legal());
  }
}

trace_file::trace_file(std::string path, device_list const& devices, cluster* ranks)
    : path_(std::move(path)), ranks_(ranks) {
  if (path_.empty()) return;
  if (is_written_here()) check_replaceable(path_);
  std::vector<std::string> names;
  for (auto const& device : devices) names.push_back(device->name());
  spans_ = std::make_unique<recorder>(std::move(names));
}

void trace_file::save() const {
  if (spans_ == nullptr) return;
  auto const all = ranks_ == nullptr ? spans_->snapshot() : gather_recordings(*ranks_, spans_->snapshot());
  if (is_written_here()) save_chrome_trace(path_, all);
}

bool trace_file::is_written_here() const { return ranks_ == nullptr || ranks_->rank() == 0; }

}  // namespace ballast::job_run
