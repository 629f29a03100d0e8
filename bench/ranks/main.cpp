// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/mpi.hpp"
#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "ranks/benchmarks.hpp"
#include "ranks/rank_listing.hpp"
#include "report/run_record.hpp"
#include "report/statistics.hpp"
#include "report/table.hpp"

namespace ballast::bench {
namespace {

using namespace std::chrono_literals;

struct cluster_command_options {
  std::optional<std::string> devices;
  std::string results = "bench-results";
  bool quick = false, json = false;
  std::string only;
};

void say(sample_series const& one) {
  command_line::print_note("  " + one.name + ": " + with_unit(median(one.samples), one.unit));
}

void write(cluster_command_options const& options, run_record const& record, mpi_process const& mpi) {
  auto const path = write_run_record(options.results, record, std::to_string(mpi.ranks()) + "-ranks");
  command_line::print_note("  written to " + path.string());
  if (options.json) std::cout << to_json(record).text(2) << std::endl;
  if (!record.answer.verified) throw error("the answers were wrong or not checked");
}

void measure_all(session* now, mpi_process const& mpi, device_list const& devices, bool quick) {
  measure_ping_pong(now, mpi, devices, quick);
  {
    cluster_traffic traffic;
    cluster of_all(watched(detail::mpi_transport(), traffic));
    measure_ranks(begin_ranks(now, of_all, devices, quick), mpi, traffic);
  }
  {
    auto of_all = mpi_cluster({}, {.heartbeat = std::chrono::milliseconds(10)});
    measure_heartbeats(now, of_all, devices, quick);
  }
  for (auto const& [heartbeat, often] :
       {std::pair<clock::duration, char const*>{24h, "never"}, {1s, "each second"}, {10ms, "each 10 ms"}}) {
    cluster_traffic traffic;
    cluster of_all(watched(detail::mpi_transport(), traffic),
                   {.heartbeat = heartbeat, .lost_after = 30 * heartbeat});
    measure_watching({now, of_all, devices, quick}, traffic, often);
  }
}

void measure_part(session* now, mpi_process const& mpi, device_list const& devices, bool quick,
                  std::string const& part) {
  auto of_all = mpi_cluster();
  auto const at = begin_ranks(now, of_all, devices, quick);
  if (part == "naps") measure_naps(at);
  if (part == "reads") measure_reads(at, mpi);
  if (part == "grain") measure_grain(at, mpi);
  if (part == "trees") measure_trees(at, mpi);
}

constexpr std::string_view parts[] = {"naps", "grain", "reads", "trees"};

std::string part_named(std::string_view name) {
  return std::string(parts[index_among(parts, "--only", name)]);
}

void measure(cluster_command_options const& options) {
  mpi_process mpi;
  auto const devices = open_devices(options.devices ? *options.devices : default_device_list());
  std::unique_ptr<session> now;
  if (mpi.rank() == 0) {
    now = std::make_unique<session>("cluster/ranks", devices, options.quick, say,
                                    command_line::was_interrupted);
    require_run_folder(options.results, now->record());
  }
  if (options.only.empty())
    measure_all(now.get(), mpi, devices, options.quick);
  else
    measure_part(now.get(), mpi, devices, options.quick, options.only);
  mpi.end();
  if (now == nullptr) return;
  if (options.only.empty()) measure_checks(*now, std::uint32_t(mpi.ranks()));
  write(options, now->record(), mpi);
}

/// Measures losses of ranks, and ends the process without MPI, which would wait for the killed ranks.
[[noreturn]] void lose_ranks(cluster_command_options const& options, double lost_after_s) {
  mpi_process mpi;
  auto const devices = open_devices(options.devices ? *options.devices : default_device_list());
  std::unique_ptr<session> now;
  if (mpi.rank() == 0) {
    now = std::make_unique<session>("cluster/losses", devices, options.quick, say);
    require_run_folder(options.results, now->record());
  }
  auto const lost_after =
      std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(lost_after_s));
  cluster_options const watch{.heartbeat = lost_after / 20, .lost_after = lost_after};
  {
    auto of_all = mpi_cluster({}, watch);
    measure_losses({now.get(), of_all, devices, options.quick}, mpi, watch);
  }
  write(options, now->record(), mpi);
  _exit(0);
}

void list_ranks(std::optional<std::string> const& devices, bool as_json) {
  mpi_process mpi;
  auto const ranks = mpi.gather(describe_rank(devices ? *devices : default_device_list()));
  if (mpi.rank() == 0)
    std::cout << (as_json ? listing_as_json(ranks).text(2) + "\n"
                          : listing_as_text(ranks, charset_of_environment()))
              << std::flush;
  auto const is_lost = [](auto const& rank) { return !rank; };
  if (std::ranges::any_of(ranks, is_lost)) _exit(1);  // MPI would wait for the lost rank
  mpi.end();
}

/// The load of each device of each rank, from the first begin on.
std::string loads_as_text(recording const& all) {
  table rows({{"device", alignment::left}, {"tasks"}, {"begin, ms"}, {"end, ms"}, {"work, ms"}});
  auto const loads = device_loads(all.spans, all.devices.size());
  auto const begin = std::ranges::min(all.spans, {}, &span::begin_ns).begin_ns;
  auto const ms = [](std::int64_t ns) { return rounded(double(ns) / 1e6); };
  for (std::size_t i = 0; i < loads.size(); ++i) {
    std::int64_t first = 0, last = 0;
    for (auto const& one : all.spans) {
      if (one.device != i) continue;
      first = last == 0 ? one.begin_ns - begin : std::min(first, one.begin_ns - begin);
      last = std::max(last, one.end_ns - begin);
    }
    rows.add_row({all.devices[i], std::to_string(loads[i].tasks), ms(first), ms(last), ms(loads[i].work_ns)});
  }
  return rows.text(charset_of_environment());
}

void trace(std::optional<std::string> const& list, std::string const& file) {
  mpi_process mpi;
  auto const devices = open_devices(list ? *list : default_device_list());
  {
    auto of_all = mpi_cluster();
    auto const all = trace_ranks(of_all, devices);
    if (of_all.rank() == 0) {
      save_chrome_trace(file, all);
      std::cout << loads_as_text(all);
    }
  }
  mpi.end();
}

void add_device_option(CLI::App& to, std::optional<std::string>& list) {
  command_line::begin_group(to, command_line::device_group);
  command_line::add_devices_option(to, list);
}

void add_devices_command(CLI::App& to) {
  struct listing_options {
    std::optional<std::string> devices;
    bool json = false;
  };
  auto const options = std::make_shared<listing_options>();
  auto* const command =
      to.add_subcommand("devices", "List ranks with their hosts, devices and the cores that they may use");
  add_device_option(*command, options->devices);
  command_line::begin_group(*command, command_line::output_group);
  command->add_flag("--json", options->json, "Print one JSON object");
  command_line::add_examples(*command, {"mpirun -n 2 ballast cluster devices --devices host:1 --json"});
  command->callback([options] { list_ranks(options->devices, options->json); });
}

void add_trace_command(CLI::App& to) {
  struct trace_options {
    std::optional<std::string> devices;
    std::string file;
  };
  auto const options = std::make_shared<trace_options>();
  auto* const command = to.add_subcommand(
      "trace", "Share naps of rank 0 among all ranks, and write which device of which rank took which");
  command->add_option("FILE", options->file, "For ui.perfetto.dev")->required();
  add_device_option(*command, options->devices);
  command_line::add_examples(*command, {"mpirun -n 2 ballast cluster trace naps.json --devices host:1"});
  command->callback([options] { trace(options->devices, options->file); });
}

void add_output_options(CLI::App& to, std::string& folder, bool& as_json) {
  command_line::begin_group(to, command_line::output_group);
  command_line::add_path(to, "--results", folder, "FOLDER",
                         "The record goes to FOLDER/<machine>/ (bench/SCHEMA.md)")
      ->default_str(folder);
  to.add_flag("--json", as_json, "Print the record, too");
}

void add_losses_command(CLI::App& to) {
  struct losses_options : cluster_command_options {
    double lost_after_s = 1;
  };
  auto const options = std::make_shared<losses_options>();
  auto* const command = to.add_subcommand(
      "losses", "Kill one rank after the other, and measure how soon rank 0 knows: mpirun --enable-recovery");
  command_line::begin_group(*command, command_line::work_group);
  command
      ->add_option("--lost-after", options->lost_after_s,
                   "So long a rank is silent until the others take it for lost")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  add_device_option(*command, options->devices);
  add_output_options(*command, options->results, options->json);
  command_line::add_examples(
      *command, {"mpirun --enable-recovery -n 3 ballast cluster losses --devices host:1 --lost-after 2"});
  command->callback([options] { lose_ranks(*options, options->lost_after_s); });
}

void add_cluster_command(CLI::App& app) {
  auto const options = std::make_shared<cluster_command_options>();
  auto* const command = app.add_subcommand(
      "cluster", "Measure a cluster_queue over the ranks that mpirun or srun started; rank 0 reports");
  add_devices_command(*command);
  add_trace_command(*command);
  add_losses_command(*command);
  command_line::begin_group(*command, command_line::work_group);
  command->add_flag("--quick", options->quick, "Show that it works: few repetitions of small cases");
  auto* const only = command->add_option_function<std::string>(
      "--only", [options](std::string const& part) { options->only = part_named(part); },
      "Measure this part alone");
  command_line::takes_one_of(only, {std::begin(parts), std::end(parts)});
  add_device_option(*command, options->devices);
  add_output_options(*command, options->results, options->json);
  command_line::add_examples(*command, {"mpirun -n 2 ballast cluster --quick --devices host:1 --only naps",
                                        "mpirun -n 2 ballast cluster devices --devices host:1"});
  command->callback([command, options] {
    if (command->get_subcommands().empty()) measure(*options);
  });
}

}  // namespace
}  // namespace ballast::bench

int main(int argc, char** argv) {
  return ballast::command_line::run_program(
      {.name = "cluster", .describe = &ballast::bench::add_cluster_command, .is_of_ranks = true}, argc, argv);
}
