// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/task_queue.hpp"

namespace ballast::detail {

/// An array in the memory that a ring_home names; not cleared.
template <class T>
class ring_buffer {
 public:
  /// `own`: the queue's device, which can address the home.
  ring_buffer(std::shared_ptr<compute_device> const& own, ring_home const& home, std::size_t size)
      : host_addresses_(home.is_host() || !own->is_cuda()) {
    auto const& peer = home.peer_device();
    if (home.is_host())
      pinned_ = pinned_buffer<T>(own, size);
    else
      on_device_ = device_buffer<T>(peer != nullptr ? peer : own, size);
  }

  T* data() const { return pinned_.data() != nullptr ? pinned_.data() : on_device_.data(); }
  std::size_t size() const { return pinned_.size() + on_device_.size(); }
  std::size_t bytes() const { return size() * sizeof(T); }

  // Only while the queue's kernel does not run. What the host addresses it reads and writes itself: beside
  // another resident kernel, CUDA may let a copy from host memory to host memory wait.

  /// `zeros`: bytes() of pinned zeros, to be copied: a fill of a peer's memory would be a kernel there, and
  /// one that is resident may leave it no room. Does not wait for the stream, one of the queue's device.
  void clear(void const* zeros, stream& with) {
    if (host_addresses_)
      std::memset(static_cast<void*>(data()), 0, bytes());
    else
      with.copy(data(), zeros, bytes());
  }
  /// Waits for the stream.
  std::vector<T> read(stream& with) const {
    if (host_addresses_) return {data(), data() + size()};
    std::vector<T> copy(size());
    with.copy(copy.data(), data(), bytes());
    with.synchronize();
    return copy;
  }

 private:
  bool host_addresses_;
  pinned_buffer<T> pinned_;
  device_buffer<T> on_device_;
};

}  // namespace ballast::detail
