// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/base/strong.hpp"

namespace ballast::detail {

/// Jobs count from 1 in the order of their submission.
using job_number = strong_id<struct job_number_tag, std::uint64_t>;
/// Where a copy of an array may lie: 0 is the host, 1 + d device d of the list.
using place_id = strong_id<struct place_tag, std::uint32_t>;
inline constexpr place_id host_place{0};
/// Operations count from 1 in the order in which they were planned; 0 is none.
using op_id = strong_id<struct op_tag, std::uint64_t>;
/// The arrays of a scheduler count from 1 in the order in which they were made.
using array_id = strong_id<struct array_tag, std::uint64_t>;

}  // namespace ballast::detail
