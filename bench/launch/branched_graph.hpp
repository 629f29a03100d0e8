// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ballast/device/compute_device.hpp"

namespace ballast::bench {

/// Which kernels a branched_graph holds: each spins for `busy_ns` and counts in its branch's word.
struct branched_work {
  std::size_t branches, length;
  std::uint32_t* runs;  ///< a word for each branch
  std::uint64_t busy_ns;
};

/// A CUDA graph of independent branches, each of plain kernels one after another: what a program without a
/// queue would use for work that it knows beforehand.
class branched_graph {
 public:
  virtual ~branched_graph() = default;
  /// Tells every kernel all its arguments again, as a program must whose arguments change.
  virtual void set_arguments() = 0;
  virtual void launch(stream& on) = 0;
};

/// Throws ballast::error with CUDA's words. Null on a host device, which has no graphs.
std::unique_ptr<branched_graph> make_branched_graph(compute_device& device, branched_work const& work);

}  // namespace ballast::bench
