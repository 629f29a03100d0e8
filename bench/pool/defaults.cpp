// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ballast/task_pool.hpp"
#include "harness/regret.hpp"
#include "pool/benchmarks.hpp"
#include "pool/depth_first.hpp"
#include "pool/known_numbers.hpp"
#include "pool/peer_kernels.cuh"
#include "pool/pool_kernels.cuh"
#include "pool/summed.hpp"

namespace ballast::bench {
namespace {

/// A run of tasks with a known answer.
struct pool_load {
  std::string name;
  kernel_set const* kernels;
  task root;
  std::function<void()> prepare;
  std::function<bool(pool_statistics const&)> is_right;
  std::uint32_t joins = 0;  ///< joins that may wait at a time
};

/// The loads, with the words that the tasks write.
class pool_loads {
 public:
  explicit pool_loads(session const& now)
      : is_quick_(now.quick()), is_gpu_(now.first()->is_cuda()), answer_(now.first(), 1), sum_(now.first()) {
    add_fibonacci(choose(25, 22, 15));
    add_queens(std::uint8_t(choose(13, 12, 8)), std::uint8_t(choose(5, 5, 3)));
    add_tree(choose(4, 3, 2));
    auto const range = choose(1 << 17, 1 << 15, 1 << 8);
    add_range("tiny tasks", {0, range, 0, 0});
    add_range("tasks of 1 us", {0, range / 4, choose(400, 800, 10), choose(400, 800, 10)});
    add_range("one giant task among tiny ones", {0, range, 0, choose(400'000, 3'200'000, 10'000)});
  }

  std::vector<pool_load> const& all() const { return all_; }

 private:
  std::uint32_t choose(std::uint32_t of_gpu, std::uint32_t of_cores, std::uint32_t in_quick) const {
    return is_quick_ ? in_quick : is_gpu_ ? of_gpu : of_cores;
  }

  void add_fibonacci(std::uint32_t n) {
    auto const joins = std::uint32_t(fibonacci_number(n + 1));  // at most one for each call that is no leaf
    all_.push_back({"fibonacci", &fibonacci_kernels(),
                    task(fibonacci_call{{array_ref(answer_.data()), {}}, n}), [this] { answer_[0] = 0; },
                    [this, n](auto const&) { return answer_[0] == fibonacci_number(n); }, joins});
  }
  void add_queens(std::uint8_t n, std::uint8_t cut_off) {
    all_.push_back({"queens", &queens_kernels(), task(queens_task{sum_.ref(), {}, n, 0, cut_off}),
                    [this] { sum_.clear(); },
                    [this, n](auto const&) { return sum_.total() == queens_solutions(n); }});
  }
  void add_tree(std::uint32_t bushy) {
    all_.push_back(
        {"unbalanced tree", &formula_kernels(), task(formula_task{sum_.ref(), {}, bushy}),
         [this] { sum_.clear(); },
         [this, right = sum_over_tree(bushy).counted](auto const&) { return sum_.total() == right; }});
  }
  void add_range(std::string const& name, range_task const& root) {
    all_.push_back({name, &range_kernels(), task(root), [] {},
                    [count = root.count](pool_statistics const& did) { return did.sum == count; }});
  }

  bool is_quick_, is_gpu_;
  pinned_buffer<std::uint64_t> answer_;
  summed sum_;
  std::vector<pool_load> all_;
};

/// Measures each method in a pool of its own, made before.
void measure_load(session& now, pool_load const& load, regrets& all) {
  std::map<std::string, task_pool> pools;
  auto const seconds = [&](std::string const& method) {
    auto options = by(method);
    options.joins = load.joins;
    auto& pool = pools.try_emplace(method, now.first(), *load.kernels, options).first->second;
    load.prepare();
    pool_statistics did;
    auto const taken = seconds_of([&] { did = pool.run(load.root); });
    now.verify(load.is_right(did), "the numbers are the known ones");
    return taken;
  };
  all.measure(load.name, rivals_of(std::string(pool_methods().front().name), pool_methods(), seconds),
              now.size(1, 0), now.size(9, 1));
}

}  // namespace

void measure_pool_defaults(session& now) {
  now.axes("Tasks that create tasks, by method", "", "seconds");
  pool_loads const loads(now);
  regrets all(now);
  for (auto const& load : loads.all()) measure_load(now, load, all);
  all.derive();
}

}  // namespace ballast::bench
