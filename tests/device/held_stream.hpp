// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "ballast/device.hpp"
#include "device_kernels.hpp"

namespace ballast::test {

/// A one-block kernel that stays on its stream until release().
class held_stream {
 public:
  explicit held_stream(std::shared_ptr<compute_device> const& device)
      : words_(device, 2), stream_(device->make_stream()) {
    words_[0] = words_[1] = 0;
    hold_argument const argument{&words_[0], &words_[1]};
    stream_->launch(hold_kernel(), 1, &argument, sizeof argument);
  }
  ~held_stream() { release(); }

  void release() { std::atomic_ref(words_[1]).store(1, std::memory_order_release); }
  void await_start() {
    while (std::atomic_ref(words_[0]).load(std::memory_order_acquire) == 0) {
      stream_->idle();  // a GPU may start only when it is asked
      std::this_thread::yield();
    }
  }
  stream& get() { return *stream_; }

 private:
  pinned_buffer<std::uint32_t> words_;
  std::unique_ptr<stream> stream_;
};

}  // namespace ballast::test
