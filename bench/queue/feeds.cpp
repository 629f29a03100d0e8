// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/policy/feed.hpp"
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

/// For each worker as many tasks.
std::vector<task_load> all_loads(session const& now, std::size_t workers) {
  auto const some = [&](std::size_t full) { return workers * now.size(full, 4); };
  std::mt19937 random(1);
  std::exponential_distribution<double> exponential;
  return {load_of("tiny", some(4000), [](double) { return 0.0; }),
          load_of("5 us", some(1000), [](double) { return 5.0; }),
          load_of("50 us", some(100), [](double) { return 50.0; }),
          load_of("exponential, 50 us", some(100), [&](double) { return 50 * exponential(random); }),
          load_of("one of 5 ms first", some(100), [](double at) { return at == 0 ? 5000.0 : 50.0; }),
          load_of("longer and longer, to 100 us", some(100), [](double at) { return 100 * at; }),
          load_of("shorter and shorter, from 100 us", some(100), [](double at) { return 100 * (1 - at); }),
          load_of("tiny, then 50 us", some(400), [](double at) { return at < 0.75 ? 0.0 : 50.0; }),
          load_of("three for each worker, 1 ms", 3 * workers, [](double) { return 1000.0; })};
}

/// A batch of them over all devices, in memory that these can address.
class fed_batch {
 public:
  fed_batch(session const& now, task_load const& load)
      : devices_(now.devices()),
        steps_(now.first(), load.us.size()),
        counts_(now.first(), load.us.size()),
        results_(now.first(), load.us.size()) {
    auto const steps_of_us = now.first()->is_cuda() ? 400.0 : 800.0;
    std::vector<task> tasks;
    for (std::uint32_t i = 0; i < load.us.size(); ++i) {
      steps_[i] = std::uint32_t(std::lround(steps_of_us * load.us[i]));
      tasks.push_back(task(uneven_block{array_ref<std::uint32_t const>(steps_.data()),
                                        array_ref(counts_.data()), array_ref(results_.data())},
                           {i, 1}));
    }
    prepared_ = std::make_shared<prepared_tasks const>(uneven_kernels(), tasks);
    std::ranges::fill(counts_.span(), 0u);
  }

  /// The second of two batches, as of a program that goes on.
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

void measure_load(session& now, task_load const& load, regrets& all) {
  fed_batch batch(now, load);
  std::vector<rival> rivals{{"default", [&] { return batch.seconds(balanced_options{}.policy); }}};
  for (auto const& policy : feed_policies())
    if (policy.name != balanced_options{}.policy)
      rivals.push_back(
          {std::string(policy.name), [&, name = std::string(policy.name)] { return batch.seconds(name); }});
  all.measure(load.name, rivals, now.size(1, 0), now.size(9, 1));
  now.verify(batch.each_ran(), "every task ran exactly once");
}

}  // namespace

void measure_feeds(session& now) {
  now.axes("A batch over several devices by how these are fed", "", "seconds");
  now.parameter("regret", "how much longer the default takes than the best by name");
  std::size_t workers = 0;
  for (auto const& device : now.devices())
    workers += std::size_t(device->properties().multiprocessors) * (device->is_cuda() ? 16 : 1);
  regrets all(now);
  for (auto const& load : all_loads(now, workers)) measure_load(now, load, all);
  all.derive();
}

}  // namespace ballast::bench
