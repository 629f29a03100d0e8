// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/kernel.cuh"

namespace ballast::md {

/// Where arrays live: memory of a device, or host memory that the device addresses.
struct memory_place {
  std::shared_ptr<compute_device> device;
  memory where = memory::pinned;

  /// Whether the host may read and write it directly.
  bool host_addresses() const { return where == memory::pinned || !device->is_cuda(); }
};

/// Owns `size` values in a place that is chosen at run time; not cleared. Move only.
template <class T>
class held_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  held_array() = default;
  held_array(memory_place place, std::size_t size)
      : place_(std::move(place)),
        size_(size),
        data_(static_cast<T*>(place_.device->allocate(place_.where, size * sizeof(T)))) {}
  held_array(held_array&& other) noexcept { swap(other); }
  held_array& operator=(held_array&& other) noexcept {
    held_array(std::move(other)).swap(*this);
    return *this;
  }
  ~held_array() {
    if (data_ != nullptr) place_.device->release(place_.where, data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool host_addresses() const { return place_.host_addresses(); }
  template <class U = T>
  array_ref<U> ref() const {
    return array_ref<U>(data_);
  }

 private:
  void swap(held_array& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

  memory_place place_;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

// What the host addresses is copied by the host: beside a resident kernel, CUDA makes copies from host to
// host wait. Both return when the copy is done; `by` is a stream of a device that addresses the array.
template <class T>
void write_array(held_array<T> const& to, std::vector<T> const& from, stream& by) {
  if (to.host_addresses()) {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(T));
    return;
  }
  by.copy(to.data(), from.data(), from.size() * sizeof(T));
  by.synchronize();
}
template <class T>
std::vector<T> read_array(held_array<T> const& from, stream& by) {
  std::vector<T> to(from.size());
  if (from.host_addresses()) {
    std::memcpy(to.data(), from.data(), from.bytes());
    return to;
  }
  by.copy(to.data(), from.data(), from.bytes());
  by.synchronize();
  return to;
}

/// The memory that every device of the list can load from and store to: host memory if all are CPU cores, the
/// first GPU's if the others are GPUs that reach it, else page-locked host memory.
memory_place home_of(device_list const& devices);

}  // namespace ballast::md
