// SPDX-License-Identifier: Apache-2.0
#define BALLAST_CHECK_BOUNDS

#include <stdexcept>

#include "ballast/array_view.cuh"
#include "ballast/detail/device/task_of_kernel.cuh"
#include "ballast/error.hpp"
#include "view_kernels.hpp"

namespace ballast::test {
namespace {

/// Of this file alone: other files of the program do not check, and share the functions of other views.
struct checked_word {
  std::uint32_t value;
};

struct access_one {
  static constexpr int threads = 32;
  array_view<checked_word> words;
  std::size_t index;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) { words[index].value += 1; });
  }
};

template <class Access>
std::string complaint_of(Access const& access) {
  try {
    access();
    return "";
  } catch (bad_argument const& refused) {
    return refused.argument() + ": " + refused.value() + ", " + refused.legal();
  }
}

}  // namespace

std::string complaint_of_access(std::size_t row, std::size_t column) {
  checked_word words[6] = {};
  return complaint_of([&] { array_view(words, {2, 3})(row, column).value = 1; });
}

std::string complaint_of_rows(std::size_t begin, std::size_t count) {
  checked_word words[6] = {};
  return complaint_of([&] { array_view(words, {2, 3}).rows(begin, count); });
}

namespace {

/// What is called for items.
struct beginning {
  template <class... Item>
  BALLAST_HD float operator()(Item...) const {
#if BALLAST_ON_GPU
    return 0;
#else
    throw std::logic_error("begun");
#endif
  }
};

void call_with(std::uint32_t n, int call) {
  detail::host_block<access_one> const block({0, 1}, nullptr);
  beginning const begin;
  if (call == 0) block.for_each(n, begin);
  if (call == 1) block.for_each(n / 3, 3, begin);
  if (call == 2) block.reduce(n, 0.0f, begin);
  if (call == 3) block.scan(n, 0.0f, begin, plus(), begin);
  if (call == 4) block.warp().for_each(n, begin);
  if (call == 5) block.warp().reduce(n, 0.0f, begin);
}

}  // namespace

std::string complaint_of_items(int call, std::uint32_t items) {
  try {
    return complaint_of([&] { call_with(items, call); });
  } catch (std::logic_error const& begun) { return begun.what(); }
}

void launch_checked_access(stream& on, std::uint32_t* elements, std::size_t index) {
  array_view const words(reinterpret_cast<checked_word*>(elements), {4});
  detail::task_of_kernel<access_one> const task{{words, index}, {0, 1}};
  on.launch(*detail::code_without_a_set<access_one, true>(), 1, &task, sizeof task);
}

}  // namespace ballast::test
