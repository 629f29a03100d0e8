// SPDX-License-Identifier: Apache-2.0
#include "ballast/kernel_set.hpp"

#include <algorithm>
#include <utility>

#include "ballast/detail/device/task_of_kernel.cuh"
#include "ballast/device.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {

void address_visit::note(void const* member, std::size_t result_bytes, std::size_t alignment) {
  auto const at = std::uintptr_t(member) - kernel_;  // huge if it lies before the kernel
  if (at >= bytes_ || bytes_ - at < sizeof(void*))
    throw error("addresses() of kernel " + name_() +
                " visits what is no member of it, such as a copy of one");
  auto const is_same = [at](auto const& other) { return other.at == at; };
  if (std::ranges::any_of(noted_.addresses, is_same))
    throw error("addresses() of kernel " + name_() + " visits the member at byte " + std::to_string(at) +
                " twice");
  auto const result_at = (noted_.result_bytes + alignment - 1) / alignment * alignment;
  noted_.addresses.push_back({std::uint32_t(at), std::uint32_t(result_bytes), std::uint32_t(result_at)});
  if (result_bytes != 0) noted_.result_bytes = std::uint32_t(result_at + result_bytes);
}

compiled_kernels::compiled_kernels(std::string name, compiled_code code)
    : name_(std::move(name)), kernels_(std::move(code.kernels)), entries_(std::move(code.entries)) {
  for (auto& kernel : kernels_) {
    kernel.code.name = kernel.name;
    keys_.push_back(kernel.key);
  }
  for (auto& entry : entries_) entry.code.name = entry.server.name = entry.workers.name = name_;
}

void compiled_kernels::throw_unknown_kernel(kernel_key key) const {
  throw_bad_argument("kernel", ballast::name_of(key), "a kernel of the set " + name_);
}

bool compiled_kernels::contains(kernel_key key) const { return std::ranges::find(keys_, key) != keys_.end(); }

bool compiled_kernels::has_entry_for(entry_key source) const {
  return std::ranges::find(entries_, source, &kernel_entry::key) != entries_.end();
}

kernel_entry const& compiled_kernels::entry_for(entry_key source) const {
  for (auto const& entry : entries_)
    if (entry.key == source) return entry;
  throw error(
      "kernel set " + name_ +
      " was not compiled for this: a queue or pool has at most 126 kernels, which have equal threads, "
      "and what a set is for can be named in BALLAST_KERNELS (ballast/kernels.cuh)");
}

std::uint32_t compiled_kernels::max_spawns() const {
  return std::ranges::max(kernels_, {}, &listed_kernel::spawns).spawns;
}
std::uint32_t compiled_kernels::max_joins() const {
  return std::ranges::max(kernels_, {}, &listed_kernel::joins).joins;
}
std::uint32_t compiled_kernels::workers_of_block(compute_device const& device) const {
  return device.is_cuda() ? kernels_.front().tasks_at_once : 1;
}

std::vector<kernel_resources> compiled_kernels::resources(compute_device& device) const {
  std::vector<kernel_resources> all;
  for (auto const& kernel : kernels_) all.push_back(device.resources(kernel.code));
  return all;
}

listed_kernel const& compiled_kernels::heaviest(compute_device& device) const {
  auto const all = resources(device);
  auto const fewest = std::ranges::min_element(all, {}, &kernel_resources::blocks_per_multiprocessor);
  return kernels_[std::size_t(fewest - all.begin())];
}

}  // namespace ballast::detail
