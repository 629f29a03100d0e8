// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "ballast/task_pool.hpp"
#include "pool/benchmarks.hpp"
#include "pool/depth_first.hpp"
#include "pool/known_numbers.hpp"
#include "pool/peer_kernels.cuh"
#include "pool/pool_costs.hpp"
#include "pool/summed.hpp"

namespace ballast::bench {
namespace {

struct queens_case {
  std::uint8_t n, cut_off;
};

std::vector<queens_case> cases(session const& now) {
  if (now.quick()) return {{8, 3}};
  if (now.first()->is_cuda()) return {{15, 7}, {16, 7}};
  return {{12, 5}, {13, 5}};
}

void measure_case(session& now, std::string_view method, queens_case one) {
  summed solutions(now.first());
  task const root(queens_task{solutions.ref(), {}, one.n, 0, one.cut_off});
  bool is_right = true;
  auto const run_in = [&](task_pool& pool) {
    solutions.clear();
    auto const seconds = seconds_of([&] { pool.run(root); });
    is_right = is_right && solutions.total() == queens_solutions(one.n);
    return seconds;
  };
  add_pool_costs(now, std::string(method), one.n, queens_kernels(), by(method), run_in);
  task_pool pool(now.first(), queens_kernels(), by(method));
  now.measure(std::string(method), one.n, "s", [&] { return run_in(pool); });
  now.verify(is_right, "the numbers of solutions are those of OEIS A000170");
}

}  // namespace

void measure_queens(session& now) {
  now.axes("N queens, a task for each way to fill the first rows", "n", "s", false, true);
  now.parameter("cut_off_rows", int(cases(now).back().cut_off));
  for (auto const method : depth_first_methods())
    for (auto const one : cases(now)) measure_case(now, method, one);
}

}  // namespace ballast::bench
