// SPDX-License-Identifier: Apache-2.0
// Rank 0 submits tasks of unequal length; every rank's devices run them: mpirun -n 4 example_07_cluster
#include <ballast/cluster_queue.hpp>
#include <ballast/kernels.cuh>
#include <ballast/mpi.hpp>
#include <cstdio>
#include <exception>

/// Counts the steps of the Collatz sequence from its number to 1.
struct collatz {
  static constexpr int threads = 32;
  std::uint64_t number;
  ballast::result_ref<std::uint32_t> steps;

  template <class Visit>
  void addresses(Visit&& visit) {  // what has another address on another rank
    visit(steps);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    std::uint32_t count = 0;
    for (auto at = number; at != 1; at = at % 2 == 0 ? at / 2 : 3 * at + 1) ++count;
    steps = count;
  }
};
BALLAST_KERNELS(kernels, collatz)

int main() try {
  ballast::set_log_sink(ballast::warnings_on_standard_error());
  auto ranks = ballast::mpi_cluster();
  auto const devices = ballast::open_devices();
  ballast::pinned_buffer<std::uint32_t> steps(devices.front(), 100'000);
  ballast::cluster_queue queue(ranks, devices, kernels());
  if (ranks.rank() == 0) {
    for (std::uint64_t i = 0; i < steps.size(); ++i)
      queue.submit(ballast::task(collatz{i + 1, ballast::result_ref(&steps[i])}));
    queue.wait_all();
    std::printf("%u steps from 77031\n", steps[77030]);
    for (std::uint32_t rank = 0; rank < ranks.ranks(); ++rank)
      std::printf("rank %u ran %llu tasks\n", rank,
                  static_cast<unsigned long long>(queue.tasks_by_rank()[rank]));
  }
  queue.close();
} catch (std::exception const& failure) {  // the cluster has ended, so the other ranks hear of the failure
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
