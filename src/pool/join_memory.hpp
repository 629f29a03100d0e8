// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ballast/detail/pool/join_cache.cuh"
#include "pool_executor.hpp"

namespace ballast::detail {

/// The arena of a pool's joins; empty if its kernels make none.
class join_memory {
 public:
  join_memory(pool_plan const& plan, std::uint32_t workers);

  join_arena arena() const;
  homing_words* homing() const { return homing_.data(); }
  std::uint32_t homing_lists() const { return std::uint32_t(homing_.size()); }
  void clear(stream& on);
  /// The bytes of `records` records, or of the existing records if they are more.
  std::size_t bytes_for(std::uint64_t records) const {
    return std::max<std::uint64_t>(records, records_.size()) * sizeof(join_record);
  }
  bool must_grow_for(std::uint64_t records) const { return records > records_.size(); }
  /// For `static`: makes space for `records` records in all, keeping the records in use. Throws
  /// ballast::error.
  void grow(stream& on, std::uint64_t records);
  /// Records that were used at some time.
  std::uint32_t used(stream& on) const {
    return std::min(copy_of(on, used_)[0], std::uint32_t(records_.size()));
  }
  std::size_t bytes() const;

 private:
  std::shared_ptr<compute_device> device_;
  std::uint32_t batch_, cache_capacity_;
  device_buffer<join_record> records_;
  device_buffer<std::uint32_t> used_, caches_;
  device_buffer<ring_queue_words> ring_;
  device_buffer<ring_slot<std::uint32_t>> slots_;
  device_buffer<homing_words> homing_;
};

/// Checks the plan for one of several devices, whose joins have short names. Throws bad_argument ("joins").
void require_names_for_joins(pool_plan const& plan, std::uint32_t workers);

}  // namespace ballast::detail
