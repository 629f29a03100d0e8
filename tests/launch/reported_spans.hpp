// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/stream.hpp"

namespace ballast::test {
using namespace detail;

/// A launch of a queue's kernel on CPU cores that says it took so long, whatever it took.
class told_span {
 public:
  /// Whether an argument of so many bytes is one of a queue's kernels.
  static bool fits(std::size_t bytes) {
    return bytes == sizeof(lone_launch) || bytes == sizeof(merged_launch);
  }
  told_span(kernel_code const& code, void const* argument, std::size_t bytes, std::uint64_t span_ns)
      : function_(code.host_function),
        end_at_(bytes == sizeof(lone_launch) ? offsetof(lone_launch, end) : offsetof(merged_launch, end)),
        span_ns_(span_ns) {
    std::memcpy(argument_, argument, bytes);
  }
  void enqueue(kernel_code code, std::uint32_t grid, stream& on) const {
    code.host_function = run;
    on.launch(code, grid, this, sizeof *this);
  }

 private:
  static void run(void const* argument, host_block_context& lane) {
    auto call = *static_cast<told_span const*>(argument);
    call.run(lane);
  }
  /// The last block of the launch fills in the record.
  void run(host_block_context& lane) {
    auto& end = *reinterpret_cast<completion_signal*>(argument_ + end_at_);
    completion_record own{};
    auto* const descriptions = std::exchange(end.record, &own);
    function_(argument_, lane);
    if (own.number != end.number) return;
    atomic_ref<std::uint64_t, scope::system>(descriptions->span_ns).store_relaxed(span_ns_);
    atomic_ref<std::uint64_t, scope::system>(descriptions->number).store_release(end.number);
  }

  void (*function_)(void const*, host_block_context&);
  std::size_t end_at_;
  std::uint64_t span_ns_;
  alignas(64) unsigned char argument_[sizeof(merged_launch)];
};

}  // namespace ballast::test
