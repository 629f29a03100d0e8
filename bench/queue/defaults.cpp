// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "harness/regret.hpp"
#include "queue/benchmarks.hpp"
#include "queue/pattern_kernels.cuh"

namespace ballast::bench {
namespace {

/// The microseconds of each task of a batch.
struct task_load {
  std::string name;
  std::vector<double> us;
};

template <class Us>
task_load load_of(std::string name, std::size_t tasks, Us const& us) {
  task_load load{std::move(name), {}};
  for (std::size_t i = 0; i < tasks; ++i) load.us.push_back(us(double(i) / double(tasks)));
  return load;
}

task_load one_giant_among(task_load load) {
  load.us[load.us.size() / 2] = 5000;
  return load;
}

/// The batches to measure. The number of tasks in each is a multiple of the number of workers.
std::vector<task_load> task_loads(session const& now, std::size_t workers) {
  auto const some = [&](std::size_t full) { return workers * now.size(full, 4); };
  std::mt19937 random(1);
  std::exponential_distribution<double> exponential;
  return {load_of("tiny", some(4000), [](double) { return 0.0; }),
          load_of("5 us", some(1000), [](double) { return 5.0; }),
          load_of("50 us", some(100), [](double) { return 50.0; }),
          load_of("exponential, 50 us", some(100), [&](double) { return 50 * exponential(random); }),
          load_of("one of 5 ms first", some(100), [](double at) { return at == 0 ? 5000.0 : 50.0; }),
          one_giant_among(load_of("one of 5 ms among tiny ones", some(4000), [](double) { return 0.0; })),
          load_of("longer and longer, to 100 us", some(100), [](double at) { return 100 * at; }),
          load_of("shorter and shorter, from 100 us", some(100), [](double at) { return 100 * (1 - at); }),
          load_of("tiny, then 50 us", some(400), [](double at) { return at < 0.75 ? 0.0 : 50.0; }),
          load_of("three for each worker, 1 ms", 3 * workers, [](double) { return 1000.0; })};
}

/// A batch over all devices, in memory that the devices can address.
class fed_batch {
 public:
  fed_batch(device_list const& devices, task_load const& load)
      : devices_(devices),
        steps_(devices.front(), load.us.size()),
        counts_(devices.front(), load.us.size()),
        results_(devices.front(), load.us.size()) {
    std::vector<task> tasks;
    for (std::uint32_t i = 0; i < load.us.size(); ++i) {
      steps_[i] = uneven_steps(*devices.front(), load.us[i]);
      tasks.push_back(task(uneven_block{array_ref<std::uint32_t const>(steps_.data()),
                                        array_ref(counts_.data()), array_ref(results_.data())},
                           {i, 1}));
    }
    prepared_ = std::make_shared<prepared_tasks const>(uneven_kernels(), tasks);
    std::ranges::fill(counts_.span(), 0u);
  }

  /// The time of the second of two batches, as in a long-running program.
  double seconds(std::string const& policy) {
    balanced_queue queue(devices_, uneven_kernels(), {.policy = policy});
    queue.submit(prepared_).wait();
    auto const taken = seconds_of([&] { queue.submit(prepared_).wait(); });
    queue.close();
    rounds_ += 2;
    return taken;
  }
  bool each_ran() const {
    return std::ranges::all_of(counts_.span(), [this](auto count) { return count == rounds_; });
  }

 private:
  device_list devices_;
  pinned_buffer<std::uint32_t> steps_, counts_, results_;
  std::shared_ptr<prepared_tasks const> prepared_;
  std::uint32_t rounds_ = 0;
};

void measure_load(session& now, task_load const& load, device_choice const& on, regrets& all) {
  fed_batch batch(on.devices, load);
  auto const rivals = rivals_of(balanced_options{}.policy, feed_policies(),
                                [&](std::string const& policy) { return batch.seconds(policy); });
  all.measure(load.name + on.remark, rivals, now.size(1, 0), now.size(9, 1));
  now.verify(batch.each_ran(), "every task ran exactly once");
}

}  // namespace

void measure_queue_defaults(session& now) {
  now.axes("A batch over several devices by how these are fed", "", "seconds");
  regrets all(now);
  for (auto const& on : equal_and_unequal(now))
    for (auto const& load : task_loads(now, uneven_blocks_at_once(on.devices)))
      measure_load(now, load, on, all);
  all.derive();
}

}  // namespace ballast::bench
