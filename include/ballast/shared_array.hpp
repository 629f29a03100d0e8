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
#include "ballast/array_view.cuh"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/kernel.cuh"

namespace ballast {

namespace detail {

/// Memory of the caller that a shared_array uses as the host's copy or as a device's; made by adopt().
template <class T, int Rank>
class adopted_memory {
  static_assert(!std::is_const_v<T>, "jobs may write what an array adopts: give it memory that is not const");

 public:
  /// Describes memory by the address of the first element, and the elements per dimension, slowest first.
  /// Without a device it is host memory.
  adopted_memory(T* first, extents const& sizes, compute_device const* device = nullptr)
      : first_(first), sizes_(sizes), device_(device) {}

  /// The address of the first element.
  T* first() const { return first_; }
  /// Elements per dimension, slowest first.
  extents const& sizes() const { return sizes_; }
  /// The device of the memory; null for the host's memory.
  compute_device const* device() const { return device_; }

 private:
  T* first_;
  extents sizes_;
  compute_device const* device_;
};

/// How the units of a job use the elements of their regions; see reads(), writes(), writes_some() and
/// updates().
enum class access_mode : std::uint8_t { reads, writes, writes_some, updates };

/// An array as an argument of a job.
struct job_argument {
  /// The array, which the job keeps alive.
  std::shared_ptr<detail::array_state> array;
  /// The elements that each part of the job touches.
  access_map map;
  /// How the job uses the elements that it touches.
  access_mode mode;

  /// True if a task needs the elements' old values.
  bool reads() const { return mode != access_mode::writes; }
  /// True if a task leaves new values behind.
  bool writes() const { return mode != access_mode::reads; }
};

/// A job_argument whose elements the kernel sees as T, in Rank dimensions.
template <class T, int Rank = 1>
struct array_access {
  /// The dimensions of a factory's array_view.
  static constexpr int rank = Rank;
  /// The element type of a factory's array_ref or array_view: const if the job only reads.
  using element = T;
  /// The argument without the type of its elements.
  job_argument argument;
};

template <class T>
struct is_array_access : std::false_type {};
template <class T, int Rank>
struct is_array_access<array_access<T, Rank>> : std::true_type {};
/// An array_access of any element type and rank.
template <class T>
concept array_access_of_any = is_array_access<std::remove_cvref_t<T>>::value;

}  // namespace detail

///@{
/// The caller's host memory, for shared_array's constructor: elements row-major without gaps, from an
/// address and sizes, a span with or without sizes, or a view. Throws bad_argument ("sizes") if a span does
/// not have as many elements, ("view") if a view has gaps or another order.
template <class T, std::size_t Rank>
detail::adopted_memory<T, int(Rank)> adopt(T* first, std::size_t const (&sizes)[Rank]) {
  return {first, extents(std::span<std::size_t const>(sizes))};
}
template <class T>
detail::adopted_memory<T, 1> adopt(std::span<T> elements) {
  return {elements.data(), extents{elements.size()}};
}
template <class T, std::size_t Rank>
detail::adopted_memory<T, int(Rank)> adopt(std::span<T> elements, std::size_t const (&sizes)[Rank]) {
  auto const memory = adopt(elements.data(), sizes);
  detail::check_sizes(memory.sizes(), elements.size());
  return memory;
}
template <class T, int Rank>
detail::adopted_memory<T, Rank> adopt(array_view<T, Rank> const& view) {
  detail::check_has_no_gaps(view.is_contiguous());
  std::array<std::size_t, std::size_t(Rank)> sizes;
  for (int dimension = 0; dimension < Rank; ++dimension)
    sizes[std::size_t(dimension)] = view.extent(dimension);
  return {view.data(), extents(sizes)};
}
///@}

///@{
/// The caller's memory on a device of the scheduler, for the constructor of shared_array: elements row-major
/// without gaps, from an address and sizes, or a view. The device must outlive the result. Throws
/// bad_argument ("view") if a view has gaps or another order.
template <class T, std::size_t Rank>
detail::adopted_memory<T, int(Rank)> adopt(compute_device const& device, T* first,
                                           std::size_t const (&sizes)[Rank]) {
  return {first, extents(std::span<std::size_t const>(sizes)), &device};
}
template <class T, int Rank>
detail::adopted_memory<T, Rank> adopt(compute_device const& device, array_view<T, Rank> const& view) {
  auto const memory = adopt(view);
  return {memory.first(), memory.sizes(), &device};
}
///@}

/// An array that the host and all devices of a scheduler share. Each of them has a copy, and data is copied
/// between them on demand. Not cleared at first. Move only. Moving, swapping and destroying arrays that
/// unfinished jobs use is safe: the memory stays as long as a job needs it. An array may outlive the
/// scheduler; data that only devices held is then lost. Any thread may call any member, but none while
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
  shared_array(job_scheduler& of, std::array<std::size_t, std::size_t(Rank)> const& sizes,
               std::string name = {})
      : handle_(of, extents(sizes), sizeof(T), std::move(name)) {}
  /// Makes an array whose copy on the host, or on one device, is the caller's memory, with the values that
  /// are there now: nothing is copied. Until release() or the destructor returns, the caller must not free
  /// the memory. Host memory may be touched only as the spans of read(), write() and update() may; device
  /// memory not at all.
  ///
  /// The host's memory may be pinned or pageable; to and from a GPU, pageable memory is copied slower, and
  /// the GPU's thread waits for it. Device memory is used in place by tasks on that device, does not count
  /// towards device_bytes, and is never evicted; the host's copy is allocated, as for any array. Work that
  /// fills the memory must have ended before. Ownership is not checked.
  ///
  /// Throws bad_argument ("memory") for null if there are elements, for an address that is not a multiple of
  /// alignof(T), and for memory that overlaps another array of the scheduler; ("device") for a device that is
  /// not the scheduler's; ("sizes").
  shared_array(job_scheduler& of, detail::adopted_memory<T, Rank> const& memory, std::string name = {})
      : handle_(of, memory.sizes(), sizeof(T), std::move(name),
                {memory.first(), alignof(T), memory.device()}) {}
  /// Takes over the other's elements, also those that unfinished jobs use.
  shared_array(shared_array&&) noexcept = default;
  /// Gives up its own elements, as the destructor does, and takes over the other's.
  shared_array& operator=(shared_array&& other) noexcept {
    if (this == &other) return *this;
    handle_.give_up();
    handle_ = std::move(other.handle_);
    return *this;
  }
  /// Gives up the elements. Does not wait, unless the memory was adopted: then copies the newest values back,
  /// as release(), and waits for the jobs that use the array, at most for job_options::timeout. Logs a
  /// warning for values that are missing because their job failed or their scheduler was destroyed. If a
  /// device may still use the memory after that, the destructor logs it and calls std::terminate(), since the
  /// caller could free the memory next; release() throws instead.
  ~shared_array() { handle_.give_up(); }

  /// Ends the use of adopted memory: waits for the jobs that use the array, copies the newest values into the
  /// adopted memory, on the host or on its device, and returns its elements, which are the caller's again.
  /// The array is then as if moved from. Waits and throws as update(); the array keeps the memory if it
  /// throws. Throws bad_argument ("array") if its memory was not adopted.
  std::span<T> release(std::optional<deadline> until = {}) {
    std::span<T> const elements(static_cast<T*>(handle_.adopted_address()), size());
    handle_.release(until);
    return elements;
  }

  /// Elements over all dimensions.
  std::size_t size() const { return shape().elements(); }
  /// Elements along `dimension`, from 0, the slowest, to Rank - 1.
  std::size_t size(int dimension) const { return shape()[dimension]; }
  /// The sizes of all dimensions.
  extents const& shape() const noexcept { return handle_.shape(); }

  /// The elements that own_elements stands for. Does not wait.
  index_range own() const { return handle_.own(); }

  // With job_options::ranks, all ranks make these calls with the same range, in the same order relative to
  // each other and to the jobs. Each rank then has the elements, and must write the same values to them.
  // own_elements means different elements on each rank.

  /// The flattened elements of a range, to be read by the caller. Waits only for the jobs submitted before
  /// that write them, at most until the deadline, or for job_options::timeout if none is passed; copies
  /// missing elements to the host. The span is valid until a job that writes these elements is submitted.
  /// Throws bad_argument ("elements") beyond the array; job_failed if the job that should have written the
  /// elements failed; error if they were lost with a device or with the scheduler; stopped if the scheduler
  /// is destroyed meanwhile; timed_out with the state of the scheduler.
  std::span<T const> read(index_range elements = every_element, std::optional<deadline> until = {}) const {
    return opened({detail::host_use::read, elements}, until);
  }
  /// read() for one rank alone, with job_options::ranks. All ranks make the call; the elements go to
  /// that rank, and the others get none and do not wait. own_elements are that rank's. Throws bad_argument
  /// ("rank") if there is no such rank; without ranks there is only 0.
  std::span<T const> read_on(std::uint32_t rank, index_range elements = every_element,
                             std::optional<deadline> until = {}) const {
    return opened({detail::host_use::read, elements, rank}, until);
  }
  /// The flattened elements of a range. The caller must write every one of them, because nothing is copied
  /// in. Waits for the jobs submitted before that read or write them. The span is valid until a job that uses
  /// these elements is submitted. Throws as read().
  std::span<T> write(index_range elements = every_element, std::optional<deadline> until = {}) {
    return opened({detail::host_use::write, elements}, until);
  }
  /// The flattened elements of a range with their values, to be read and written by the caller. Waits and
  /// throws as write(), and copies missing elements to the host.
  std::span<T> update(index_range elements = every_element, std::optional<deadline> until = {}) {
    return opened({detail::host_use::update, elements}, until);
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

  /// The address of the host's copy, up to date or not. Does not wait.
  T* address() const noexcept { return static_cast<T*>(handle_.address()); }
  /// The array without its element type, for the parts of the library that do not need the type.
  detail::array_handle const& handle() const noexcept { return handle_; }

 private:
  std::span<T> opened(detail::access_request const& what, std::optional<deadline> until) const {
    auto const [begin, end] = handle_.open(what, until);
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

/// An argument for a job whose units read the elements of their regions.
template <class T, int Rank>
detail::array_access<T const, Rank> reads(shared_array<T, Rank> const& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), detail::access_mode::reads}};
}
/// An argument for a job whose units write every element of their regions, and read none of them before.
template <class T, int Rank>
detail::array_access<T, Rank> writes(shared_array<T, Rank>& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), detail::access_mode::writes}};
}
/// An argument for a job whose units write some elements of their regions; the others keep their values.
template <class T, int Rank>
detail::array_access<T, Rank> writes_some(shared_array<T, Rank>& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), detail::access_mode::writes_some}};
}
/// An argument for a job whose units read and write elements of their regions.
template <class T, int Rank>
detail::array_access<T, Rank> updates(shared_array<T, Rank>& array, access_map map = one_to_one()) {
  return {{array.handle().state(), std::move(map), detail::access_mode::updates}};
}

}  // namespace ballast
