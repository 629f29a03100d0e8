// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "ballast/device.hpp"

namespace ballast::bench {

/// What a device computes with, and what it is at the beginning, in pinned memory.
template <class T>
class copied_in {
 public:
  copied_in(std::shared_ptr<compute_device> const& device, std::vector<T> const& values)
      : on_device_(device, values.size()), first_(device, values.size()) {
    std::ranges::copy(values, first_.span().begin());
    auto const stream = device->make_stream();
    copy_in(*stream);
    stream->synchronize();
  }

  T* data() const { return on_device_.data(); }
  array_ref<T> all() const { return array_ref<T>(on_device_.data()); }
  array_ref<T const> constant() const { return array_ref<T const>(on_device_.data()); }
  T const* at_first() const { return first_.data(); }
  /// Enqueues what makes the values as they were at the beginning.
  void copy_in(stream& on) { on.copy(on_device_.data(), first_.data(), first_.bytes()); }
  std::vector<T> now(stream& on) const {
    std::vector<T> values(on_device_.size());
    on.copy(values.data(), on_device_.data(), on_device_.bytes());
    on.synchronize();
    return values;
  }

 private:
  device_buffer<T> on_device_;
  pinned_buffer<T> first_;
};

}  // namespace ballast::bench
