// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "ballast/device/compute_device.hpp"

namespace ballast::inline device {

/// Owns `size()` values of T in one place of one device; not cleared, not constructed. Move only.
/// Allocating and freeing may wait for the device (see compute_device::allocate).
template <class T, memory Where>
class typed_buffer {
  static_assert(std::is_trivially_copyable_v<T>, "a buffer holds plain bytes");

 public:
  typed_buffer() = default;
  typed_buffer(std::shared_ptr<compute_device> device, std::size_t size)
      : device_(std::move(device)),
        size_(size),
        data_(static_cast<T*>(device_->allocate(Where, size * sizeof(T)))) {}
  typed_buffer(typed_buffer&& other) noexcept { swap(other); }
  typed_buffer& operator=(typed_buffer&& other) noexcept {
    typed_buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~typed_buffer() {
    if (data_ != nullptr) device_->release(Where, data_);
  }

  /// The address, valid on the device; on the host too if the memory is pinned or the device is a host
  /// device.
  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }

  T& operator[](std::size_t index) const noexcept requires(Where == memory::pinned) { return data_[index]; }
  std::span<T> span() const noexcept requires(Where == memory::pinned) { return {data_, size_}; }

 private:
  void swap(typed_buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

  std::shared_ptr<compute_device> device_;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

template <class T>
using device_buffer = typed_buffer<T, memory::device>;
template <class T>
using pinned_buffer = typed_buffer<T, memory::pinned>;

}  // namespace ballast::inline device
