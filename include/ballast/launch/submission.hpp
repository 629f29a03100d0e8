// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/device/stream.hpp"
#include "ballast/launch/launch_kernels.hpp"
#include "ballast/launch/launch_ticket.hpp"

namespace ballast::inline launch {

/// What has to have happened before a launch may be issued. Met or not yet; throws what made it impossible.
struct prerequisite {
  launch_ticket launch;
  std::shared_ptr<event> moment;

  bool is_met() const { return launch.is_finished() && (moment == nullptr || moment->reached()); }
};

/// A launch as its producer handed it over: a kernel of a list with its members, which may be merged; or
/// something that enqueues itself. Stays where it was made.
class submission {
 public:
  submission() = default;
  submission(submission const&) = delete;
  submission& operator=(submission const&) = delete;
  ~submission() {
    if (destroy_ != nullptr) destroy_(bytes_);
  }

  template <class K>
  void set_kernel(launchable_kernel const& listed, K const& kernel, std::uint32_t blocks) {
    static_assert(sizeof(K) <= sizeof bytes_);
    kernel_ = &listed;
    blocks_ = blocks;
    std::memcpy(bytes_, &kernel, sizeof(K));
  }

  /// `work(stream&)` is called once, on the thread that issues.
  template <class Work>
  void set_work(Work&& work) {
    using kept = std::decay_t<Work>;
    if constexpr (sizeof(kept) <= sizeof bytes_ && alignof(kept) <= argument_piece) {
      new (bytes_) kept(std::forward<Work>(work));
      enqueue_ = [](void* at, stream& on) { (*static_cast<kept*>(at))(on); };
      destroy_ = [](void* at) { static_cast<kept*>(at)->~kept(); };
    } else {
      set_work([owned = std::make_unique<kept>(std::forward<Work>(work))](stream& on) { (*owned)(on); });
    }
  }

  /// Of a list; null for what enqueues itself.
  launchable_kernel const* kernel() const { return kernel_; }
  std::uint32_t blocks() const { return blocks_; }
  /// The members of kernel(), readable in whole pieces.
  unsigned char const* bytes() const { return bytes_; }
  void enqueue(stream& on) { enqueue_(bytes_, on); }

  std::vector<prerequisite> prerequisites;  ///< seldom any
  std::uint64_t at_ns = 0;                  ///< when it was submitted, counted from any time before

 private:
  launchable_kernel const* kernel_ = nullptr;
  std::uint32_t blocks_ = 0;
  void (*enqueue_)(void*, stream&) = nullptr;
  void (*destroy_)(void*) = nullptr;
  alignas(argument_piece) unsigned char bytes_[most_kernel_bytes];
};

}  // namespace ballast::inline launch
