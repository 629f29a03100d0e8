// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballast/cluster.hpp"
#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/trace.hpp"

namespace CLI {
class App;
}

namespace ballast::job_run {

/// --cluster: all ranks that mpirun or srun started carry out the command together.
struct cluster_flag {
  bool typed = false;
  CLI::App const* command = nullptr;  ///< its options must be the same on all ranks; null: not compared
};

/// The typed options of a program of jobs.
struct request {
  std::optional<std::string> devices;  ///< without it default_device_list()
  std::string policy = job_options{}.policy;
  std::uint32_t tasks = job_options{}.tasks;
  std::uint64_t device_memory = 0;  ///< bytes; 0: the default of job_options::device_bytes
  bool reuse = job_options{}.reuse;
  std::uint32_t repeat = 1;
  bool check_maps = false;  ///< as job_options::check_maps
  std::string trace = {};   ///< for a trace_file
  bool json = false;
  cluster_flag cluster = {};
};

/// Adds --policy, and --cluster. The variables that they store in must outlive the parsing.
void add_policy_option(CLI::App& command, std::string& policy, std::string const& meaning);
void add_cluster_flag(CLI::App& command, cluster_flag& flag);

/// Adds --devices, --policy, --tasks, --device-memory, --reuse with --no-reuse, --repeat, --check-maps,
/// --trace, --json and --cluster. `asked` must outlive the parsing.
void add_options(CLI::App& command, request& asked);

/// "4096", "64K", "100M" or "2G" (powers of 1024) as bytes. Throws bad_argument (`option`) for anything else
/// and for less than 4096 or more than 1024 G.
std::uint64_t bytes_in(std::string_view option, std::string_view text);

/// For each option the typed value or its default, except options that may differ between ranks: devices,
/// whether JSON is printed, and the names of files (for which only their presence counts).
std::vector<std::pair<std::string, std::string>> options_of_all_ranks(CLI::App const& command);

/// The ranks that --cluster asks for; none if it was not typed. Throws, on all ranks, bad_argument with an
/// option that differs between them, and error if the program was built without MPI.
std::optional<cluster> ranks_if(cluster_flag const& flag);

/// The result of `work`. If it throws, the other ranks, if any, receive the error.
template <class Work>
auto telling_ranks(std::optional<cluster>& ranks, Work const& work) {
  try {
    return work();
  } catch (std::exception const& problem) {
    if (ranks) ranks->fail(problem.what());
    throw;
  }
}

/// The options for a scheduler, which checks the policy's name.
job_options options_of(request const& asked);
/// Opens the requested devices. Throws bad_argument ("devices").
device_list devices_of(request const& asked);

/// Calls `run`. A bad_argument ("device_bytes", "check_maps") of job_options becomes one with the typed
/// option.
void name_options_in_errors(std::function<void()> const& run);

/// The file for --trace: what ran where and when, on all ranks. Nothing without a path.
class trace_file {
 public:
  /// Throws ballast::error if the file cannot be written.
  trace_file(std::string path, device_list const& devices, cluster* ranks = nullptr);

  /// The recorder for job_options::trace_to.
  recorder* spans() const { return spans_.get(); }
  /// Writes the file. Collective, if there are ranks. Throws ballast::error with the path.
  void save() const;

 private:
  bool is_written_here() const;

  std::string path_;
  cluster* ranks_;
  std::unique_ptr<recorder> spans_;
};

/// Opens the devices, returns the result of run(devices, options), and writes the requested trace.
template <class Run>
auto run_with_devices(request const& how, Run run) {
  auto ranks = ranks_if(how.cluster);
  return telling_ranks(ranks, [&] {
    auto const devices = devices_of(how);
    trace_file const trace(how.trace, devices, ranks ? &*ranks : nullptr);
    auto options = options_of(how);
    options.trace_to = trace.spans();
    if (ranks) options.ranks = job_peers_of(*ranks);
    auto done = run(devices, options);
    trace.save();
    return done;
  });
}

}  // namespace ballast::job_run
