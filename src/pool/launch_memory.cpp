// SPDX-License-Identifier: Apache-2.0
#include "launch_memory.hpp"

#include <algorithm>

namespace ballast::detail {
namespace {

constexpr std::size_t piece_bytes = sizeof(launch_epilogue::piece);
static_assert(sizeof(pool_words) % piece_bytes == 0);

constexpr std::size_t pieces_for(std::size_t workers) {
  return (sizeof(pool_words) + workers * sizeof(worker_report) + piece_bytes - 1) / piece_bytes;
}

/// Enough to fill the bus.
constexpr std::uint32_t max_blocks = 64;

}  // namespace

launch_memory::launch_memory(std::shared_ptr<compute_device> device, std::uint32_t workers)
    : workers_(workers), there_(device, pieces_for(workers)), here_(device, pieces_for(workers)) {
  std::ranges::fill(here_.span(), piece{});
}

void launch_memory::begin(stream& on) {
  if (!is_clear_) on.fill(there_.data(), 0, sizeof(pool_words));
  is_clear_ = false;
}

void launch_memory::end(stream& on, kernel_code const& code) {
  launch_epilogue const work{there_.data(), here_.data(), std::uint32_t(there_.size()),
                             std::uint32_t(sizeof(pool_words) / piece_bytes)};
  auto const blocks = (work.pieces + epilogue_threads - 1) / epilogue_threads;
  on.launch(code, std::min(blocks, max_blocks), &work, sizeof work);
  is_clear_ = true;
}

void launch_memory::read_back(stream& on) { on.copy(here_.data(), there_.data(), there_.bytes()); }

void launch_memory::clear_reports(stream& on) { on.fill(reports(), 0, workers_ * sizeof(worker_report)); }

}  // namespace ballast::detail
