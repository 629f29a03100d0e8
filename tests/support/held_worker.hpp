// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "ballast/device.hpp"

namespace ballast::test {

/// The one worker of a host device, claimed and held as a queue's resident kernel does.
class held_worker {
 public:
  explicit held_worker(std::shared_ptr<compute_device> device)
      : device_(std::move(device)), words_(device_, 2), stream_(device_->make_stream()) {
    words_[is_here] = words_[may_leave] = 0;
    room_ = device_->claim_resident({.holder = "the kernel of the test"});
    auto* const words = words_.data();
    stream_->launch_cooperative({.name = "hold", .host_function = hold, .threads = 32}, 1, &words,
                                sizeof words);
    await(words_[is_here]);
  }
  void let_go() {
    tell(words_[may_leave]);
    stream_->synchronize();
    device_->release_resident(room_);
  }

 private:
  static constexpr std::size_t is_here = 0, may_leave = 1;

  static void hold(void const* argument, detail::host_block_context&) {
    auto* const words = *static_cast<std::uint32_t* const*>(argument);
    tell(words[is_here]);
    await(words[may_leave]);
  }
  static void tell(std::uint32_t& word) { std::atomic_ref(word).store(1, std::memory_order_release); }
  static void await(std::uint32_t& word) {
    while (std::atomic_ref(word).load(std::memory_order_acquire) == 0) std::this_thread::yield();
  }

  std::shared_ptr<compute_device> device_;
  detail::resident_room room_;
  pinned_buffer<std::uint32_t> words_;
  std::unique_ptr<stream> stream_;
};

}  // namespace ballast::test
