// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/launch/merge_decision.hpp"
#include "ballast/launch/prediction_error.hpp"

namespace ballast::inline launch {

/// Streams of a device that are worth having: so many grids run at once (CUDA, compute capability 9.0).
inline constexpr std::uint32_t max_streams = 128;

/// How a launch_queue decides. Names as in order_policies(), order_keys() and merge_policies().
struct launch_options {
  std::string order = "adaptive";
  std::string among = "fifo";
  std::string merge = "together";
  /// Whether groups that the merge policy proposes are refused where they do not pay (docs/launch.md).
  bool filter_merges = true;
  /// GPUs, order "adaptive" and key "fifo" only: plain launches that eight and more launch streams have
  /// waiting, up to 16 of each, go out as one CUDA graph if launches of these functions and shapes recur.
  /// They count as finished together. A graph is built on the way, which may wait for the device; never
  /// beside a resident kernel that already runs, but turn it off if one may be started meanwhile.
  bool graphs = true;
  /// Physical streams of each device, 1 to 128; 0: 64 on a GPU, two on CPU cores. Launches of different
  /// launch streams run side by side only on different streams, unless they are merged.
  std::uint32_t streams = 0;
  /// Hardware connections that the process must have, 1 to 32; 0: however many it has. They are asked for
  /// before the first GPU is opened (request_connections()), so a queue can only check. CPU cores have none
  /// and take any number.
  std::uint32_t connections = 0;
  /// Launches of one launch stream that may wait to be issued, at least 1; launch() sleeps while there are as
  /// many.
  std::uint64_t max_waiting = 65536;
  /// How long launch() sleeps at most.
  std::chrono::nanoseconds submit_timeout = std::chrono::minutes(10);
  /// How long the destructor waits for what was submitted, and how long for what is in flight then. What a
  /// device has not ended by that time may still tell its end: then all memory of the queue stays to the end
  /// of the process, and the log says so.
  std::chrono::nanoseconds shutdown_timeout = std::chrono::minutes(1);
  /// Niceness of the threads that issue, -20 to 19 (lower: more of the processor, Linux); nothing: that of
  /// the thread that makes the queue. Less than that needs CAP_SYS_NICE or RLIMIT_NICE, else the queue is
  /// refused.
  std::optional<int> dispatcher_niceness = std::nullopt;
};

struct launch_stream_options {
  /// Higher ones first, where the key is "priority".
  std::int32_t priority = 0;
};

/// What a queue did so far, over all devices.
struct launch_statistics {
  struct named_count {
    std::string_view name;
    std::uint64_t count;
  };
  /// Of each device: how far the predicted times of merged launches were from the measured ones.
  struct device_predictions {
    error_summary all, newest;
  };

  std::uint64_t launches = 0;         ///< that devices were given, merged ones and all others
  std::uint64_t kernels = 0;          ///< launches of launch streams that were issued
  std::uint64_t merged_launches = 0;  ///< of two and more kernels
  std::uint64_t merged_kernels = 0;   ///< in those
  /// Of merged_kernels, those of one block that the block of the kernel before them in their line ran.
  std::uint64_t chained_kernels = 0;
  std::uint64_t issued_by_producers = 0;  ///< of `launches`, on the launch streams' own threads
  std::uint64_t graphs_built = 0;
  std::uint64_t graph_launches = 0;       ///< of `launches`, each of many kernels
  std::uint64_t graph_kernels = 0;        ///< in those
  std::uint64_t graph_arguments_set = 0;  ///< kernels in those whose arguments had to be set
  verdict_counts verdicts;                ///< of groups that the merge policy proposed
  std::vector<device_predictions> predictions;
  /// Of each device, how its launches go now: "merged", "one_by_one" or "direct" (docs/launch.md).
  std::vector<std::string_view> dispatch_modes;
  /// Of each device: the hardware connections that its order counts on. max_streams on CPU cores, where each
  /// stream has a thread of its own.
  std::vector<std::uint32_t> connections;

  /// The counts from `launches` to `graph_arguments_set` under these names, for reports and records.
  std::vector<named_count> listed() const;
};

}  // namespace ballast::inline launch
