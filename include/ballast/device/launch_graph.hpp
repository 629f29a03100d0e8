// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ballast/device/plain_launch.hpp"
#include "ballast/device/stream.hpp"

namespace ballast::inline device {

/// Plain launches that run one after another; at least one.
struct graph_branch {
  std::vector<plain_launch> launches;
  /// Which branches before this one in the list end before it begins.
  std::vector<std::size_t> after = {};
};

/// Branches that run beside each other where none is said to begin after another, launched on a GPU by one
/// call; by compute_device::make_graph(). What
/// was built stays but for the arguments and which launches are left out. One thread at a time may call, and
/// with a stream it is the one that may enqueue there. No member waits; all throw device_lost after a fault,
/// and ballast::error with CUDA's words if CUDA refuses. It may go while it runs: CUDA ends that first.
class launch_graph {
 public:
  virtual ~launch_graph() = default;

  virtual std::size_t branches() const noexcept = 0;
  /// Of one branch. Throws bad_argument ("branch").
  virtual std::size_t launches(std::size_t branch) const = 0;

  /// Enqueues what the first launch would otherwise have to carry to the device.
  virtual void upload(stream& on) = 0;
  /// Enqueues all branches behind what was enqueued to the stream before. One graph never overlaps itself: a
  /// launch also starts after the graph's launches before it, in whichever stream. Who wants two at a time
  /// makes two graphs. Throws bad_argument ("on") if the stream is none of this GPU's.
  virtual void launch(stream& on) = 0;

  /// New arguments, one address per parameter, copied before the call returns; launches of the graph that
  /// were enqueued before keep theirs. All else stays. `index` counts the launches of a branch from 0. Throws
  /// bad_argument ("branch", "index").
  virtual void set_arguments(std::size_t branch, std::size_t index, void* const* arguments) = 0;
  /// Whether this launch takes place in the graph's launches that are enqueued from now on. If it
  /// does not, what follows it waits for what precedes it; its arguments stay, and may be set
  /// meanwhile. Where nothing changes, CUDA is not asked. Throws as set_arguments().
  virtual void set_enabled(std::size_t branch, std::size_t index, bool enabled) = 0;
};

}  // namespace ballast::inline device
