// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/launch/submission.hpp"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// A plain launch without its arguments, or the type of a callable.
struct plain_shape {
  void const* function = nullptr;
  launch_shape shape;

  bool operator==(plain_shape const&) const = default;
};

/// Of a submission that enqueues itself.
plain_shape shape_of(submission& work);

/// Another hash, for one word more.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}
std::uint64_t mixed(std::uint64_t hash, plain_shape const& what);

}  // namespace ballast::detail
