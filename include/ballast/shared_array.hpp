// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "ballast/access_map.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/kernel.cuh"

namespace ballast {

/// An array that the host and all devices of a scheduler share. Each of them has a copy, and data is copied
/// to where it is needed when it is needed. Not cleared at first. Move only. Moving, swapping and destroying
/// arrays that unfinished jobs use is safe: the memory stays as long as a job needs it. An array may outlive
/// the scheduler; data that only devices held is then lost. Any thread may call any member, but none while
/// another thread moves the array; the caller orders the accesses of its threads to the elements that they
/// obtained. An array that was moved from may only be assigned to and destroyed.
template <class T, int Rank = 1>
class shared_array {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "a shared array holds plain bytes: T is trivially copyable and not const");
  static_assert(Rank >= 1 && Rank <= 3, "a shared array has 1 to 3 dimensions");

 public:
  /// Makes an array of these elements per dimension, slowest first; sizes may be 0. Allocates host memory
  /// (pinned if there is a GPU), which may wait for the devices. Throws bad_argument ("sizes") if the bytes
  /// do not fit in size_t, device_lost, and error if there is no memory.
  shared_array(job_scheduler& of, std::array<std::size_t, Rank> const& sizes, std::string name = {})
      : handle_(of, extents(sizes), sizeof(T), std::move(name)) {}
  /// Takes the other one's elements over, also those that unfinished jobs use.
  shared_array(shared_array&&) noexcept = default;
  /// Gives its own elements up, as the destructor does, and takes the other one's over.
  shared_array& operator=(shared_array&&) noexcept = default;

  /// Elements over all dimensions.
  std::size_t size() const { return shape().elements(); }
  /// Elements along `dimension`, from 0, the slowest, to Rank - 1.
  std::size_t size(int dimension) const { return shape()[dimension]; }
  /// The sizes of all dimensions.
  extents const& shape() const noexcept { return handle_.shape(); }

  /// The flattened elements of a range, to be read by the caller. Waits for the jobs submitted before that
  /// write them, and for nothing else, at most until the deadline, or for job_options::timeout if none is
  /// passed; copies to the host what is not there. The span is valid until a job that writes these elements
  /// is submitted. Throws bad_argument ("elements") beyond the array; job_failed if a job was to write the
  /// elements and failed; error if they were lost with a device or with the scheduler; stopped if the
  /// scheduler goes meanwhile; timed_out with the state of the scheduler.
  std::span<T const> read(index_range elements = every_element, std::optional<deadline> until = {}) const {
    return opened(detail::host_use::read, elements, until);
  }
  /// The flattened elements of a range, to be written by the caller: every one of them, because nothing is
  /// copied in. Waits for the jobs submitted before that read or write them. The span is valid until a job
  /// that uses these elements is submitted. Throws as read().
  std::span<T> write(index_range elements = every_element, std::optional<deadline> until = {}) {
    return opened(detail::host_use::write, elements, until);
  }
  /// The flattened elements of a range with their values, to be read and written by the caller. Waits and
  /// throws as write(), and copies to the host what is not there.
  std::span<T> update(index_range elements = every_element, std::optional<deadline> until = {}) {
    return opened(detail::host_use::update, elements, until);
  }

  /// One element, to be read. The first access after a job that writes the array waits as read() and copies
  /// the whole array to the host. Each index must be below size(dimension), which is not checked.
  template <std::convertible_to<std::size_t>... Index>
  T const& operator()(Index... indices) const {
    if (!handle_.is_open(detail::host_use::read)) read();
    return address()[flattened<Index...>(indices...)];
  }
  /// One element, to be read and written. The first access after a job that uses the array waits as update()
  /// and copies the whole array to the host. Each index must be below size(dimension), which is not checked.
  template <std::convertible_to<std::size_t>... Index>
  T& mutable_at(Index... indices) {
    if (!handle_.is_open(detail::host_use::update)) update();
    return address()[flattened<Index...>(indices...)];
  }

  /// The address of the host's copy, whatever its contents. Does not wait.
  T* address() const noexcept { return static_cast<T*>(handle_.address()); }
  /// For the parts of the library that need no type of element.
  detail::array_handle const& handle() const noexcept { return handle_; }

 private:
  std::span<T> opened(detail::host_use use, index_range elements, std::optional<deadline> until) const {
    auto const [begin, end] = handle_.open(use, elements, until);
    return std::span<T>(address(), size()).subspan(begin, end - begin);
  }
  template <class... Index>
  std::size_t flattened(Index... indices) const {
    static_assert(sizeof...(Index) == Rank, "give one index for each dimension of the array");
    std::size_t flat = 0;
    int dimension = 0;
    ((flat = flat * size(dimension++) + std::size_t(indices)), ...);
    return flat;
  }

  detail::array_handle handle_;
};

/// How the units of a job use the elements of their regions; see reads(), writes(), writes_some() and
/// updates().
enum class access_mode : std::uint8_t { reads, writes, writes_some, updates };

/// An array as an argument of a job.
struct job_argument {
  /// The array, which the job keeps alive.
  std::shared_ptr<detail::array_state> array;
  /// Which elements each part of the job touches.
  access_map map;
  /// What it does with them.
  access_mode mode;

  /// Whether a task needs the elements' old values.
  bool reads() const { return mode != access_mode::writes; }
  /// Whether a task leaves new values behind.
  bool writes() const { return mode != access_mode::reads; }
};

/// A job_argument whose elements the kernel sees as T.
template <class T>
struct array_access {
  /// What a factory's array_ref is of: const if the job only reads.
  using element = T;
  /// The argument without the type of its elements.
  job_argument argument;
};

/// An argument of which the units of a job read the elements of their regions.
template <class T, int Rank>
array_access<T const> reads(shared_array<T, Rank> const& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), access_mode::reads}};
}
/// An argument of which the units of a job write every element of their regions, and read none of them
/// before.
template <class T, int Rank>
array_access<T> writes(shared_array<T, Rank>& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), access_mode::writes}};
}
/// An argument of which the units of a job write some elements of their regions; the others keep their
/// values.
template <class T, int Rank>
array_access<T> writes_some(shared_array<T, Rank>& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), access_mode::writes_some}};
}
/// An argument of which the units of a job read and write elements of their regions.
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

}  // namespace ballast
