// SPDX-License-Identifier: Apache-2.0
#include "block_choice.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/evaluate.hpp"

namespace ballast::mesicc {
namespace {

constexpr int max_threads = 256, min_threads = 64;
constexpr std::int64_t enough_blocks = 1024;  // a few for each multiprocessor of a large GPU
constexpr int warp = 32;
constexpr int max_rows_per_thread = 8;                    // docs/decisions/0015 has what was measured
constexpr std::size_t max_accesses_of_short_kernel = 16;  // the same

/// In the middle of a launch of constant size, in the first run of each loop.
leaf_values sample_thread(launch_model const& model) {
  leaf_values leaves;
  auto const middle = [](expression const& threads) {
    return is_constant(threads) ? threads->value / 2 : 1000;
  };
  leaves.thread = {middle(model.threads_x), middle(model.threads_y)};
  leaves.scalars.assign(model.scalars.size(), 1024);
  leaves.loops.assign(model.loops.size(), 0);
  return leaves;
}

std::int64_t flat_index(array_argument const& array, access const& one, leaf_values const& leaves) {
  std::int64_t flat = 0;
  for (std::size_t place = 0; place < one.index.size(); ++place) {
    auto const extent = place > 0 && is_constant(array.extents[place]) ? array.extents[place]->value : 1;
    flat = evaluate(expression(flat) * extent + one.index[place], leaves);
  }
  return flat;
}

/// Whether neighbours in `direction` touch elements that one transaction brings.
bool is_coalesced(launch_model const& model, access const& one, axis direction) {
  auto const& array = model.arrays[std::size_t(one.array)];
  auto leaves = sample_thread(model);
  auto const here = flat_index(array, one, leaves);
  ++leaves.thread[std::size_t(direction)];
  auto const there = flat_index(array, one, leaves);
  return there == here || there - 1 == here || there + 1 == here;
}

/// Accesses in loops happen more often.
std::int64_t coalesced(launch_model const& model, axis direction) {
  std::int64_t count = 0;
  for (auto const& one : model.accesses) {
    if (is_coalesced(model, one, direction))
      count += std::int64_t(1) << (4 * std::min<std::size_t>(one.loops.size(), 8));
  }
  return count;
}

std::optional<std::int64_t> threads_along(launch_model const& model, axis direction) {
  auto const& threads = direction == axis::x ? model.threads_x : model.threads_y;
  return is_constant(threads) ? std::optional(std::max<std::int64_t>(threads->value, 1)) : std::nullopt;
}

/// Enough blocks matter more than large ones, as long as a block is two warps.
int threads_of_block(launch_model const& model) {
  auto const x = threads_along(model, axis::x), y = threads_along(model, axis::y);
  int threads = max_threads;
  if (!x || !y || *x > max_threads * enough_blocks || *y > max_threads * enough_blocks) return threads;
  while (threads > min_threads && *x * *y < threads * enough_blocks) threads /= 2;
  return threads;
}

/// A power of two, not more than the launch has use for.
int width_along(launch_model const& model, axis direction, int threads) {
  auto const wanted = threads_along(model, direction).value_or(threads);
  return int(std::bit_ceil(std::uint64_t(std::min<std::int64_t>(wanted, threads))));
}

bool is_short(launch_model const& model) { return model.accesses.size() <= max_accesses_of_short_kernel; }

bool waits_for_memory_in_a_loop(launch_model const& model) {
  return std::ranges::any_of(
      model.accesses, [](access const& one) { return one.kind == access_kind::read && !one.loops.empty(); });
}

/// Numbers of 8 bytes take two registers each.
bool gets_on_with_few_registers(launch_model const& model) {
  return is_short(model) &&
         std::ranges::all_of(model.arrays, [](auto const& array) { return array.element_bytes <= 4; });
}

/// So many that there are still blocks in plenty, which are what is balanced.
int rows_per_thread(launch_model const& model, block_shape const& block) {
  auto const x = threads_along(model, axis::x), y = threads_along(model, axis::y);
  if (!x || !y || block.x < warp || !is_short(model) || !model.loops.empty()) return 1;
  int rows = max_rows_per_thread;
  while (rows > 1 && *x / block.x * (*y / (block.y * rows)) < 8 * enough_blocks) rows /= 2;
  return rows;
}

block_shape shape_of_block(launch_model const& model, axis cut) {
  int const threads = threads_of_block(model);
  if (model.dimensions == 1) return {threads, 1};
  if (coalesced(model, axis::y) > coalesced(model, axis::x)) {
    int const height = width_along(model, axis::y, threads);
    return {threads / height, height};
  }
  int const most = cut == axis::x ? warp : threads;  // a part is whole blocks
  int const width = width_along(model, axis::x, most);
  return {width, threads / width};
}

}  // namespace

block_shape choose_block(launch_model const& model, axis cut) {
  auto block = shape_of_block(model, cut);
  block.rows_per_thread = rows_per_thread(model, block);
  block.few_registers = waits_for_memory_in_a_loop(model) && gets_on_with_few_registers(model);
  return block;
}

}  // namespace ballast::mesicc
