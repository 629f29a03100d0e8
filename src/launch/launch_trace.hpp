// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/trace.hpp"

namespace ballast::detail {

/// What a launch carries out, for its label.
struct launch_content {
  std::string_view kernel = {};  ///< of its first ballast kernel; empty if it has none
  std::uint32_t kernels = 0;     ///< launches of launch streams
  bool has_others = false;       ///< than that kernel
  bool is_graph = false;

  void add_kernel(std::string_view name);
  std::string label() const;
};

/// A launch that has ended. Its time on the device is 0 if it did not report that.
struct ended_launch {
  launch_content what;
  std::int64_t issued_ns = 0, device_ns = 0;
};

/// The launches of one stream, oldest first, that were seen to have ended at `seen_ns`, as spans that do not
/// overlap: each ends where the next begins, at the latest at `seen_ns`. It is as long as its launch reported
/// or reaches back to its issue, but not before `free_from_ns`, when the stream was free. Pure.
std::vector<span> spans_of_stream(std::vector<ended_launch> const& ended, std::int64_t free_from_ns,
                                  std::int64_t seen_ns);

/// Passes the launches of one device to a recorder, a row for each stream. Only the polling thread uses it.
class launch_trace {
 public:
  launch_trace(trace_target to, std::size_t streams) : to_(to), free_from_ns_(streams) {}

  /// Whether there is a recorder; any thread.
  explicit operator bool() const { return bool(to_); }
  /// Records those that were seen to have ended now.
  void record(std::uint32_t stream, std::vector<ended_launch> const& ended) noexcept;

 private:
  trace_target const to_;
  std::vector<std::int64_t> free_from_ns_;  // by stream
};

}  // namespace ballast::detail
