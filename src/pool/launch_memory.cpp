// SPDX-License-Identifier: Apache-2.0
#include "launch_memory.hpp"

#include <algorithm>

namespace ballast::inline pool {
namespace {

constexpr std::size_t bytes_for(std::size_t workers) {
  static_assert(sizeof(launch_head) % alignof(worker_report) == 0);
  return sizeof(launch_head) + workers * sizeof(worker_report);
}

}  // namespace

launch_memory::launch_memory(std::shared_ptr<compute_device> device, std::uint32_t workers)
    : workers_(workers), there_(device, bytes_for(workers)), here_(device, bytes_for(workers)) {
  std::ranges::fill(here_.span(), std::byte{0});
}

void launch_memory::give(stream& on, std::span<stored_task const> waiting) {
  auto& given = *head(here_.data());
  given.words = {};
  given.words.pending = std::uint32_t(waiting.size());
  auto const packed = waiting.size() <= launch_head::few ? waiting.size() : 0;
  std::copy_n(waiting.begin(), packed, given.waiting);
  on.copy(there_.data(), here_.data(), offsetof(launch_head, waiting) + packed * sizeof(stored_task));
}

void launch_memory::clear_reports(stream& on) { on.fill(reports(), 0, workers_ * sizeof(worker_report)); }

void launch_memory::read_back(stream& on) { on.copy(here_.data(), there_.data(), there_.bytes()); }

}  // namespace ballast::inline pool
