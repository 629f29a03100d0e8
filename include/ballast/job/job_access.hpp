// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "ballast/device/array_ref.cuh"
#include "ballast/job/access_map.hpp"
#include "ballast/job/shared_array.hpp"

namespace ballast::inline job {

enum class access_mode : std::uint8_t { reads, writes, writes_some, updates };

/// An array as an argument of a job.
struct job_argument {
  std::shared_ptr<array_state> array;
  access_map map;
  access_mode mode;

  bool reads() const { return mode != access_mode::writes; }
  bool writes() const { return mode != access_mode::reads; }
};

/// A job_argument whose elements are T in the kernel.
template <class T>
struct array_access {
  using element = T;
  job_argument argument;
};

/// The units of a job read the elements of their regions.
template <class T, int Rank>
array_access<T const> reads(shared_array<T, Rank> const& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), access_mode::reads}};
}
/// They write every element of their regions, and read none of them before.
template <class T, int Rank>
array_access<T> writes(shared_array<T, Rank>& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), access_mode::writes}};
}
/// They write some elements of their regions; the others keep their values.
template <class T, int Rank>
array_access<T> writes_some(shared_array<T, Rank>& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), access_mode::writes_some}};
}
/// They read and write elements of their regions.
template <class T, int Rank>
array_access<T> updates(shared_array<T, Rank>& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), access_mode::updates}};
}

template <class T>
struct is_array_access : std::false_type {};
template <class T>
struct is_array_access<array_access<T>> : std::true_type {};
template <class T>
concept array_access_of_any = is_array_access<std::remove_cvref_t<T>>::value;

}  // namespace ballast::inline job
