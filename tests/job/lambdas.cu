// SPDX-License-Identifier: Apache-2.0
#include "lambdas.hpp"

#include <stdexcept>

namespace ballast::test {
namespace {

struct add_row_above {
  static constexpr int threads = 64;
  array_ref<std::uint64_t const> from;
  array_ref<std::uint64_t> to;
  std::uint64_t factor;
  std::uint32_t columns;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row = std::size_t(block.index()) * columns, above = row == 0 ? 0 : row - columns;
    block.for_each(columns,
                   [&](std::uint32_t i) { to[row + i] = factor * (from[above + i] + from[row + i]); });
  }
};

struct add_row_above_of_views {
  static constexpr int threads = 64;
  array_view<std::uint64_t const, 2> from;
  array_view<std::uint64_t, 2> to;
  std::uint64_t factor;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row = block.index(), above = row == 0 ? 0 : row - 1;
    block.for_each(std::uint32_t(from.extent(1)),
                   [&](std::uint32_t i) { to(row, i) = factor * (from(above, i) + from(row, i)); });
  }
};

}  // namespace

completion submit_lambda(job_scheduler& to_jobs, shared_array<std::uint64_t, 2> const& from,
                         shared_array<std::uint64_t, 2>& to, std::uint64_t factor) {
  auto const columns = std::uint32_t(from.size(1));
  return to_jobs.submit(
      {from.size(0)}, reads(from, neighborhood(1)), writes(to, rows),
      [=] BALLAST_HD(block_of<64> const& block, array_ref<std::uint64_t const> a,
                     array_ref<std::uint64_t> b) {
        auto const row = std::size_t(block.index()) * columns, above = row == 0 ? 0 : row - columns;
        block.for_each(columns, [&](std::uint32_t i) { b[row + i] = factor * (a[above + i] + a[row + i]); });
      });
}

completion submit_lambda_of_views(job_scheduler& to_jobs, shared_array<std::uint64_t, 2> const& from,
                                  shared_array<std::uint64_t, 2>& to, std::uint64_t factor) {
  return to_jobs.submit({from.size(0)}, reads(from, neighborhood(1)), writes(to, rows),
                        [=] BALLAST_HD(block_of<64> const& block, array_view<std::uint64_t const, 2> a,
                                       array_view<std::uint64_t, 2> b) {
                          auto const row = block.index(), above = row == 0 ? 0 : row - 1;
                          block.for_each(std::uint32_t(a.extent(1)), [&](std::uint32_t i) {
                            b(row, i) = factor * (a(above, i) + a(row, i));
                          });
                        });
}

completion submit_functor(job_scheduler& to_jobs, shared_array<std::uint64_t, 2> const& from,
                          shared_array<std::uint64_t, 2>& to, std::uint64_t factor) {
  auto const columns = std::uint32_t(from.size(1));
  return to_jobs.submit({from.size(0)}, reads(from, neighborhood(1)), writes(to, rows), [=](auto a, auto b) {
    return add_row_above{a, b, factor, columns};
  });
}

completion submit_functor_of_views(job_scheduler& to_jobs, shared_array<std::uint64_t, 2> const& from,
                                   shared_array<std::uint64_t, 2>& to, std::uint64_t factor) {
  return to_jobs.submit({from.size(0)}, reads(from, neighborhood(1)), writes(to, rows),
                        [=](array_view<std::uint64_t const, 2> a, array_view<std::uint64_t, 2> b) {
                          return add_row_above_of_views{a, b, factor};
                        });
}

completion submit_lambda_of_items(job_scheduler& to_jobs, shared_array<std::uint64_t, 1> const& from,
                                  shared_array<std::uint64_t, 1>& to) {
  return to_jobs.submit({from.size(0)}, reads(from, rows), writes(to, rows),
                        [] BALLAST_HD(item i, array_view<std::uint64_t const, 1> a,
                                      array_ref<std::uint64_t> b) { b[i] = i + 2 * a(i); });
}

completion submit_throwing_lambda(job_scheduler& to_jobs, shared_array<std::uint64_t, 2>& array) {
  return to_jobs.submit({1}, updates(array, rows),
                        [] BALLAST_HD(block_of<32> const&, array_ref<std::uint64_t>) {
#if !BALLAST_ON_GPU
                          throw std::runtime_error("the lambda fails");
#endif
                        });
}

}  // namespace ballast::test
