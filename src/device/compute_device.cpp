// SPDX-License-Identifier: Apache-2.0
#include "ballast/device.hpp"

namespace ballast {

void* compute_device::allocate(memory where, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const address = allocate_bytes(where, bytes);
  allocations_.fetch_add(1, std::memory_order_relaxed);
  return address;
}

void compute_device::release(memory where, void* address) noexcept {
  if (address != nullptr) release_bytes(where, address);
}

std::string describe_resident_holder(compute_device const& device) {
  auto const holder = device.resident_holder();
  if (holder.empty()) return {};
  return device.name() + " is held by " + holder + ": other kernels may have to wait until that ends\n";
}

}  // namespace ballast
