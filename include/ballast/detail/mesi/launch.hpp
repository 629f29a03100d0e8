// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/detail/mesi/kernel.cuh"
#include "ballast/detail/mesi/program.hpp"
#include "ballast/detail/mesi/variable.hpp"
#include "ballast/error.hpp"
#include "ballast/shared_array.hpp"
#include "ballast/version.hpp"

namespace ballast::mesi {

/// Threads of a launch along the dimension that is cut: begin <= lThreadId.y (or .x) < end.
struct part {
  /// The first thread.
  std::int64_t begin = 0, end = 0;  ///< one past the last
};
/// Flattened elements begin to end - 1, counted from the element to which an argument points.
struct range {
  /// The first element; negative ones lie before the argument.
  std::int64_t begin = 0, end = 0;  ///< one past the last
};

/// Ranges in any order, which may overlap.
using ranges = std::vector<range>;

/// a / b rounded towards minus infinity; b must be positive.
constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

/// The target of an argument of a launch: the variable whose memory a pointer leads to, and the place in it.
struct argument_location {
  /// The variable that the pointer leads into.
  variable_state* of;
  std::int64_t offset;  ///< in elements
};
/// The location to which an argument leads. Throws bad_argument naming the parameter if the argument leads to
/// no variable, to a variable whose elements have another size, or into the middle of an element.
BALLAST_API argument_location location_of(void const* argument, std::size_t element_bytes,
                                          char const* parameter, std::string const& kernel);
/// Throws bad_argument naming parameter, kernel and variable if a launch writes beyond the variable.
BALLAST_API void require_inside(argument_location const& location, ranges const& written,
                                char const* parameter, std::string const& kernel);

/// The access map of an argument. `touched_by` gives the ranges of a part; adding `offset` makes them the
/// variable's own elements. Ranges are cut off at the variable's bounds.
template <class Touched>
access_map map_of(Touched touched_by, std::int64_t offset, launch_form form, threads of) {
  auto const rows = form.cut == axis::y ? of.y : of.x;
  auto const each = std::int64_t(form.cut == axis::y ? form.height() : form.width());
  return [=](map_view const& view) {
    auto const begin = std::int64_t(view.part.first) * each;
    auto const touched =
        touched_by(part{begin, (std::min)(begin + std::int64_t(view.part.count) * each, rows)});
    auto const size = std::int64_t(view.array.elements());
    auto const inside = [&](std::int64_t element) {
      return std::size_t(std::clamp<std::int64_t>(element + offset, 0, size));
    };
    std::vector<index_range> all;
    for (auto const& one : touched) all.push_back({inside(one.begin), inside(one.end)});
    return region(std::move(all));
  };
}

/// An argument value from which ranges are computed, checked so that they cannot overflow. Throws
/// bad_argument naming parameter and kernel if it exceeds 2^40 in either direction.
BALLAST_API std::int64_t as_bound(std::int64_t value, char const* parameter, std::string const& kernel);

/// Collects the arrays and ranges that a launch touches.
class launch_uses {
 public:
  /// For a launch of `of` threads; messages name the `kernel`.
  launch_uses(launch_form form, threads of, std::string kernel)
      : form_(form), of_(of), kernel_(std::move(kernel)) {}

  /// Threads of the launch along x.
  std::int64_t threads_x() const { return of_.x; }
  /// Threads of the launch along y.
  std::int64_t threads_y() const { return of_.y; }
  /// A bound from an integer argument, as as_bound().
  template <class T>
  std::int64_t bound(T value, char const* name) const {
    constexpr auto most = (std::numeric_limits<std::int64_t>::max)();
    bool const is_beyond = std::is_unsigned_v<T> && std::uint64_t(value) > std::uint64_t(most);
    return as_bound(is_beyond ? most : std::int64_t(value), name, kernel_);
  }

  /// Reads the ranges that `touched` returns for a part, cut off at the variable's end.
  template <class P, class Touched>
  auto reads(P array, char const* name, Touched touched) const {
    return access<element_of<P> const>(array, name, touched, detail::access_mode::reads, beyond::cut_off);
  }
  /// Reads the whole variable, in every task.
  template <class P>
  auto reads_all(P array, char const* name) const {
    auto const location = this->location(array, name);
    return detail::array_access<element_of<P> const>{
        {location.of->handle().state(), all(), detail::access_mode::reads}};
  }
  /// Reads and writes the whole variable, in every task.
  template <class P>
  auto updates_all(P array, char const* name) const {
    auto const location = this->location(array, name);
    return detail::array_access<element_of<P>>{
        {location.of->handle().state(), all(), detail::access_mode::updates}};
  }
  /// Writes every element of the ranges. Throws bad_argument if one lies beyond the variable.
  template <class P, class Touched>
  auto writes(P array, char const* name, Touched touched) const {
    return access<element_of<P>>(array, name, touched, detail::access_mode::writes, beyond::refused);
  }
  /// Writes some elements of the ranges, which end where the variable does.
  template <class P, class Touched>
  auto writes_some(P array, char const* name, Touched touched) const {
    return access<element_of<P>>(array, name, touched, detail::access_mode::writes_some, beyond::cut_off);
  }
  /// Reads and writes the ranges. Throws bad_argument if one lies beyond the variable.
  template <class P, class Touched>
  auto updates(P array, char const* name, Touched touched) const {
    return access<element_of<P>>(array, name, touched, detail::access_mode::updates, beyond::refused);
  }
  /// Updates ranges that may be longer than the written elements: they are cut off at the variable's end, and
  /// never refused.
  template <class P, class Touched>
  auto updates_some(P array, char const* name, Touched touched) const {
    return access<element_of<P>>(array, name, touched, detail::access_mode::updates, beyond::cut_off);
  }

 private:
  template <class P>
  using element_of = std::remove_cv_t<std::remove_all_extents_t<std::remove_pointer_t<P>>>;

  template <class P>
  argument_location location(P array, char const* name) const {
    return location_of(place_behind(array), sizeof(element_of<P>), name, kernel_);
  }

  /// The treatment of a range that is longer than the variable.
  enum class beyond : std::uint8_t { refused, cut_off };

  template <class T, class P, class Touched>
  detail::array_access<T> access(P array, char const* name, Touched touched, detail::access_mode mode,
                                 beyond end) const {
    auto const location = this->location(array, name);
    auto const rows = form_.cut == axis::y ? of_.y : of_.x;
    if (end == beyond::refused) require_inside(location, touched(part{0, rows}), name, kernel_);
    return {{location.of->handle().state(), map_of(touched, location.offset, form_, of_), mode}};
  }

  launch_form form_;
  threads of_;
  std::string kernel_;
};

/// The address of the argument's element 0 on the device that runs the task, even if that element is not
/// there.
template <class P, class T>
P biased(P argument, array_ref<T> on_device) {
  auto const location = location_of(place_behind(argument), sizeof(T), "", "");
  return reinterpret_cast<P>(const_cast<std::remove_const_t<T>*>(on_device.data()) + location.offset);
}

/// Throws bad_argument naming the kernel if there are more than 2 147 483 647 threads along a dimension.
BALLAST_API void require_threads(threads of, char const* kernel);
/// If the argument's variable is kept open, waits for the launch and copies the variable to the host. Called
/// after a launch.
BALLAST_API void fetch_if_kept_open(void const* argument);

/// The learning_key of a kernel. All launches of one kernel share it, wherever they are written. A border
/// between devices that was learned for one launch suits the kernel's other launches, so rows do not move
/// back and forth between devices.
constexpr std::uint64_t site_of(std::string_view kernel) {
  std::uint64_t sum = 14695981039346656037u;  // FNV-1a
  for (char const c : kernel) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return sum | 1;  // 0 would be none
}

/// The blocks of a launch as a job's grid, cut along the dimension that the launch's form names.
template <class Launch>
job_grid grid_of(thread_blocks<Launch> const& all) {
  switch (Launch::form.cut) {
    case axis::x:
      return job_grid({all.blocks_y(), all.blocks_x()}, cut::y);
    case axis::y:
      return job_grid({all.blocks_x(), all.blocks_y()}, cut::y);
    default:
      return job_grid({all.blocks_x(), all.blocks_y(), 1}, cut::z);
  }
}

/// A launch as mesicc writes it: submits the job and returns, unless a variable that it touches is kept open
/// or 256 launches have not ended. Throws bad_argument, and what job_scheduler::submit() throws.
template <class Launch, class... Arguments>
void launch(threads of, Arguments&&... arguments) {
  if (of.x <= 0 || of.y <= 0) return;
  require_threads(of, Launch::name);
  Launch const made(std::forward<Arguments>(arguments)...);
  launch_form constexpr form = Launch::form;
  thread_blocks<Launch> const all{made, std::uint32_t(of.x), std::uint32_t(of.y)};
  job_setup const setup{.grid = grid_of(all), .name = Launch::name, .learning_key = site_of(Launch::name)};
  auto const submit = [&](auto... uses) {
    track_launch(scheduler().submit(setup, uses..., [all](auto... on_device) {
      auto kernel = all;
      kernel.launch.bind(on_device...);
      return kernel;
    }));
  };
  limit_pending_launches();  // called first, so that a launch never throws its own failure
  std::apply(submit, made.uses(launch_uses(form, of, Launch::name)));
  made.for_each_array([](auto array) { fetch_if_kept_open(place_behind(array)); });
}

}  // namespace ballast::mesi
