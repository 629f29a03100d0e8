// SPDX-License-Identifier: Apache-2.0
#include "join_memory.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "ballast/detail/pool/peer_view.cuh"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint32_t usual_joins = 2048, max_batch = 64;

std::uint32_t wished_for(pool_plan const& plan, std::uint32_t workers) {
  if (plan.kernels->max_joins() == 0) return 0;
  return plan.options.joins != 0 ? plan.options.joins : usual_joins * workers;
}

std::uint32_t batch_for(pool_plan const& plan, std::uint32_t workers) {
  return std::clamp<std::uint32_t>(wished_for(plan, workers) / (8 * workers), 1, max_batch);
}

std::uint32_t cache_for(pool_plan const& plan, std::uint32_t workers) {
  return 4 * batch_for(plan, workers) + 32 * (plan.kernels->max_joins() + 2);
}

/// Besides the joins that wait, each worker may keep a cache.
std::size_t records_for(pool_plan const& plan, std::uint32_t workers) {
  std::size_t const wished = wished_for(plan, workers);
  return wished == 0 ? 0 : wished + std::size_t(workers) * cache_for(plan, workers);
}

}  // namespace

join_memory::join_memory(pool_plan const& plan, std::uint32_t workers)
    : device_(plan.device),
      batch_(batch_for(plan, workers)),
      cache_capacity_(cache_for(plan, workers)),
      records_(device_, records_for(plan, workers)),
      used_(device_, 1),
      caches_(device_, records_.size() == 0 ? 0 : std::size_t(workers) * (cache_capacity_ + max_joins_taken)),
      ring_(device_, 1),
      slots_(device_, std::bit_ceil(std::max<std::size_t>(records_.size(), 2))),
      homing_(device_, records_.size() == 0 ? 0 : workers) {}

join_arena join_memory::arena() const {
  return {records_.data(),
          used_.data(),
          {ring_.data(), slots_.data(), std::uint32_t(slots_.size())},
          caches_.data(),
          std::uint32_t(records_.size()),
          cache_capacity_,
          batch_};
}

void join_memory::clear(stream& on) {
  detail::clear(on, used_);
  detail::clear(on, ring_);
  detail::clear(on, slots_);
  detail::clear(on, homing_);
}

void join_memory::grow(stream& on, std::uint64_t records) {
  if (!must_grow_for(records)) return;
  device_buffer<join_record> larger(device_, records);
  on.copy(larger.data(), records_.data(), records_.bytes());
  on.synchronize();
  records_ = std::move(larger);
}

std::size_t join_memory::bytes() const {
  return records_.bytes() + used_.bytes() + caches_.bytes() + ring_.bytes() + slots_.bytes() +
         homing_.bytes();
}

void require_names_for_joins(pool_plan const& plan, std::uint32_t workers) {
  auto const records = records_for(plan, workers);
  if (records <= max_joins_of_device) return;
  auto const beside = records - wished_for(plan, workers);
  throw_bad_argument("joins", wished_for(plan, workers),
                     "at most " + std::to_string(max_joins_of_device - beside) + " for " +
                         std::to_string(workers) + " workers on one of several devices");
}

}  // namespace ballast::detail
