// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "harness/session.hpp"
#include "ranks/kernels.cuh"

namespace ballast::bench {

/// The setting of a measurement on each rank.
struct place {
  /// Call it while none of the devices has a kernel. `kernels`: the kernels of the queues.
  place(session* of, cluster& over, device_list const& own, bool is_quick,
        kernel_set const& kernels = rank_kernels());

  session* now;  ///< null except on rank 0
  cluster* ranks;
  device_list const* devices;
  bool quick;
  std::uint32_t workers = 0;  ///< of this rank, and equally of each other
  std::uint32_t all_workers() const { return workers * ranks->ranks(); }
};

bool are_cores(device_list const& devices);
/// `count` values of `sample`, which rank 0 calls while all its workers are kept waiting, so that others
/// execute its tasks. Discards calls in which rank 0 executed something; returns fewer if that takes too
/// long.
std::vector<double> samples_of_others(place const& at, cluster_queue& queue, std::size_t count,
                                      std::function<double()> const& sample);

/// Rank 0 does `work` with a queue of its own; the others execute the tasks that they get.
template <class Work>
void with_queue(place const& at, std::string const& policy, Work const& work,
                kernel_set const& kernels = rank_kernels(), trace_target trace_to = {}) {
  cluster_queue_options options;
  options.policy = policy;
  options.devices.queue.trace_to = trace_to;
  cluster_queue queue(*at.ranks, *at.devices, kernels, options);
  if (at.ranks->rank() == 0) work(queue);
  queue.close();
}

}  // namespace ballast::bench
