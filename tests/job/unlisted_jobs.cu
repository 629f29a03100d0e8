// SPDX-License-Identifier: Apache-2.0
#include "unlisted_jobs.hpp"

#include <cstddef>

#include "ballast/array_view.cuh"

namespace ballast::test {
namespace {

struct transpose_row {
  static constexpr int threads = 32;
  array_view<std::uint32_t const, 2> from;
  array_view<std::uint32_t, 2> to;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row = to.row(block.index());
    block.for_each(std::uint32_t(row.extent(0)),
                   [&](std::uint32_t column) { row[column] = from(column, block.index()); });
  }
};

job_setup setup_for(shared_array<std::uint32_t, 2> const& to) { return {.grid = std::uint32_t(to.size(0))}; }

}  // namespace

completion submit_transpose_of_views(job_scheduler& jobs, shared_array<std::uint32_t, 2> const& from,
                                     shared_array<std::uint32_t, 2>& to) {
  return jobs.submit(setup_for(to), reads(from, all), writes(to, rows),
                     [](array_view<std::uint32_t const, 2> one, array_view<std::uint32_t, 2> other) {
                       return transpose_row{one, other};
                     });
}

completion submit_transpose_of_refs(job_scheduler& jobs, shared_array<std::uint32_t, 2> const& from,
                                    shared_array<std::uint32_t, 2>& to) {
  std::size_t const side[] = {from.size(0), from.size(1)};
  return jobs.submit(setup_for(to), reads(from, all), writes(to, rows), [=](auto one, auto other) {
    return transpose_row{{one.data(), {side[0], side[1]}}, {other.data(), {side[1], side[0]}}};
  });
}

}  // namespace ballast::test
