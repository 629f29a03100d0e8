// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballast/mpi.hpp"
#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "ranks/benchmarks.hpp"
#include "report/run_record.hpp"
#include "report/statistics.hpp"
#include "report/table.hpp"

namespace ballast::bench {
namespace {

struct cluster_command_options {
  std::optional<std::string> devices;
  std::string results = "bench-results";
  bool quick = false;
};

/// What the queue's messages are compared with.
std::vector<double> ping_pong_us(int rank, int ranks, int samples) {
  std::vector<double> trips;
  if (ranks < 2 || rank > 1) return trips;
  char bytes[64] = {};
  auto const other = 1 - rank;
  for (int i = 0; i < samples; ++i) {
    auto const trip = seconds_of([&] {
      if (rank == 0) MPI_Send(bytes, sizeof bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
      MPI_Recv(bytes, sizeof bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(bytes, sizeof bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    });
    trips.push_back(1e6 * trip);
  }
  return trips;
}

std::uint64_t sum_of_all(std::uint64_t mine) {
  std::uint64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

void say(sample_series const& one) {
  std::fprintf(stderr, "  %s: %s %s\n", one.name.c_str(), rounded(median(one.samples)).c_str(),
               one.unit.c_str());
}

void measure(cluster_command_options const& options) {
  int level = 0, rank = 0, ranks = 1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto const trips = ping_pong_us(rank, ranks, options.quick ? 100 : 10'000);
  auto const devices = open_devices(options.devices ? *options.devices : default_device_list());
  std::unique_ptr<session> now;
  if (rank == 0) {
    now = std::make_unique<session>("cluster/ranks", devices, options.quick, say,
                                    command_line::was_interrupted);
    require_run_folder(options.results, now->record());
  }
  {
    auto of_all = mpi_cluster();
    measure_ranks(now.get(), of_all, devices, options.quick, trips, &sum_of_all);
  }
  MPI_Finalize();
  if (now == nullptr) return;
  auto const path = write_run_record(options.results, now->record(), std::to_string(ranks) + "-ranks");
  std::fprintf(stderr, "  written to %s\n", path.c_str());
  if (!now->record().answer.verified) throw error("the answers were wrong or not checked");
}

void add_cluster_command(CLI::App& app) {
  auto const options = std::make_shared<cluster_command_options>();
  auto* const command = app.add_subcommand(
      "cluster", "Measure a cluster_queue over the ranks that mpirun or srun started; rank 0 reports");
  command
      ->add_option_function<std::string>(
          "--devices", [options](std::string const& list) { options->devices = list; },
          command_line::device_list_help)
      ->type_name("LIST");
  command_line::add_path(*command, "--results", options->results, "FOLDER",
                         "The record goes to FOLDER/<machine>/ (bench/SCHEMA.md)")
      ->default_str(options->results);
  command->add_flag("--quick", options->quick, "Show that it works: few repetitions of small cases");
  command->callback([options] { measure(*options); });
}

}  // namespace
}  // namespace ballast::bench

int main(int argc, char** argv) {
  return ballast::command_line::run_program({"cluster", &ballast::bench::add_cluster_command}, argc, argv);
}
