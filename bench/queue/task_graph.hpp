// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "ballast/device.hpp"
#include "ballast/task.hpp"

namespace ballast::bench {

/// A CUDA graph with a kernel node per task, one after another, as a program without a queue would use for
/// tasks known beforehand.
class task_graph {
 public:
  virtual ~task_graph() = default;
  virtual void launch(stream& on) = 0;
};

/// Makes the graph; null on a host device, which has no graphs. Throws ballast::error with CUDA's message.
std::unique_ptr<task_graph> make_task_graph(compute_device& device, kernel_set const& kernels,
                                            std::span<task const> tasks);

}  // namespace ballast::bench
