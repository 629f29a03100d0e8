// SPDX-License-Identifier: Apache-2.0
#include "view_kernels.hpp"

#include "ballast/array_view.cuh"
#include "ballast/detail/device/task_of_kernel.cuh"

namespace ballast::test {
namespace {

struct transpose {
  static constexpr int threads = 32;
  array_view<std::uint32_t const, 2> from;
  array_view<std::uint32_t, 2> to;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row = from.row(block.index());
    block.for_each(std::uint32_t(row.extent(0)),
                   [&](std::uint32_t column) { to(column, block.index()) = row[column] + 1; });
  }
};

}  // namespace

void launch_transpose(stream& on, std::uint32_t const* from, std::uint32_t* to) {
  array_view<std::uint32_t const, 2> const rows(from, {view_rows, view_columns}, {view_pitch, 1});
  array_view<std::uint32_t, 2> const columns(to, {view_columns, view_rows});
  detail::task_of_kernel<transpose> const task{{rows, columns}, {0, view_rows}};
  on.launch(*detail::code_without_a_set<transpose, true>(), view_rows, &task, sizeof task);
}

}  // namespace ballast::test
