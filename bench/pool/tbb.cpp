// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>
#include <vector>

#include "ballast/task_pool.hpp"
#include "pool/benchmarks.hpp"
#include "pool/known_numbers.hpp"
#include "pool/peer_kernels.cuh"
#include "pool/summed.hpp"
#include "pool/tbb_programs.hpp"

namespace ballast::bench {
namespace {

using answer = std::uint64_t;
using program = std::function<answer()>;

/// Measures both programs in turn, so that disturbances affect both, and derives how much longer the pool
/// takes.
void race(session& now, std::string const& name, answer right, program const& in_pool,
          program const& by_tbb) {
  bool is_right = true;
  auto const seconds = [&](program const& work) {
    return seconds_of([&] { is_right = work() == right && is_right; });
  };
  std::vector<double> of_tbb;
  now.measure(name + ".pool", "s", [&] {
    of_tbb.push_back(seconds(by_tbb));
    return seconds(in_pool);
  });
  auto const repetitions = std::ptrdiff_t(now.record().repetitions);  // without the warm-up
  now.add(name + ".tbb", "s", {of_tbb.end() - repetitions, of_tbb.end()});
  now.derived(name + ".pool_over_tbb", now.median_of(name + ".pool") / now.median_of(name + ".tbb"));
  now.verify(is_right, "numbers, solutions and the sum over the tree are the known ones");
}

int cores(session const& now) { return now.first()->properties().multiprocessors; }

void race_fibonacci(session& now) {
  auto const n = std::uint32_t(now.size(40, 25)), cut_off = std::uint32_t(now.size(20, 12));
  pinned_buffer<answer> number(now.first(), 1);
  task_pool pool(now.first(), fibonacci_above_kernels());
  auto const in_pool = [&] {
    pool.run(task(fibonacci_above{{array_ref(number.data()), {}}, n, cut_off}));
    return number[0];
  };
  auto const by_tbb = [&] {
    answer found = 0;
    run_by_tbb(cores(now), [&] { found = fibonacci_by_tbb(n, cut_off); });
    return found;
  };
  race(now, "fibonacci", fibonacci_number(n), in_pool, by_tbb);
}

void race_queens(session& now) {
  auto const n = std::uint8_t(now.size(13, 8)), cut_off = std::uint8_t(now.size(5, 3));
  summed solutions(now.first());
  task_pool pool(now.first(), queens_kernels());
  auto const in_pool = [&] {
    solutions.clear();
    pool.run(task(queens_task{solutions.ref(), {}, n, 0, cut_off}));
    return solutions.total();
  };
  auto const by_tbb = [&] {
    solutions.clear();
    run_by_tbb(cores(now), [&] { queens_by_tbb(solutions.ref(), {}, n, cut_off); });
    return solutions.total();
  };
  race(now, "queens", queens_solutions(n), in_pool, by_tbb);
}

std::uint32_t bushy_levels(session const& now) { return std::uint32_t(now.size(5, 3)); }

/// The tree in a pool, repeatedly.
class tree_in_pool {
 public:
  tree_in_pool(std::shared_ptr<compute_device> const& device, std::uint32_t bushy)
      : bushy_(bushy), sum_(device), pool_(device, formula_kernels()) {}

  answer operator()() {
    sum_.clear();
    nodes_ = pool_.run(task(formula_task{sum_.ref(), {}, bushy_})).run;
    return sum_.total();
  }
  std::uint64_t nodes() const { return nodes_; }

 private:
  std::uint32_t bushy_;
  std::uint64_t nodes_ = 0;
  summed sum_;
  task_pool pool_;
};

void race_tree(session& now) {
  auto const bushy = bushy_levels(now);
  auto const right = sum_over_tree(bushy);
  summed sum(now.first());
  tree_in_pool by_all(now.first(), bushy);
  auto const by_tbb = [&] {
    sum.clear();
    run_by_tbb(cores(now), [&] { formula_tree_by_tbb(sum.ref(), {}, bushy); });
    return sum.total();
  };
  race(now, "tree", right.counted, std::ref(by_all), by_tbb);
  now.parameter("tree.nodes", by_all.nodes());

  task_pool summing(now.first(), summing_formula_kernels());
  auto const in_pool = [&] { return summing.run(task(summing_formula_task{{}, bushy})).sum; };
  race(now, "summed_tree", right.all, in_pool, [&] { return summed_formula_tree_by_tbb(cores(now), bushy); });
}

/// The tree on one core of the same kind.
void measure_tree_on_one_core(session& now) {
  auto const device = open_devices("host:1").front();
  tree_in_pool by_one(device, bushy_levels(now));
  now.measure("tree.pool_on_one_core", "s", [&] { return seconds_of([&] { by_one(); }); });
  now.derived("tree.speed_up_over_one_core",
              now.median_of("tree.pool_on_one_core") / now.median_of("tree.pool"));
}

}  // namespace

std::string needs_cores(device_list const& devices) {
  return devices.front()->is_cuda() ? "it compares with a library for CPU cores: --devices host" : "";
}

void measure_tbb(session& now) {
  now.parameter("cores", cores(now));
  now.parameter("tree.bushy_levels", bushy_levels(now));
  race_fibonacci(now);
  race_queens(now);
  race_tree(now);
  measure_tree_on_one_core(now);
}

}  // namespace ballast::bench
