// SPDX-License-Identifier: Apache-2.0
// Random trees, whose runs are stopped and go on with what was not executed.

#include <thread>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/task_pool.hpp"
#include "kernels.cuh"
#include "scenario.hpp"

namespace ballast::soak {
namespace {

class pool_program {
 public:
  explicit pool_program(scenario& of)
      : of_(of),
        device_(of.devices(1).front()),
        nodes_(std::uint32_t(of.drawn(1, of.one_in(4) ? 200'000 : 10'000))),
        salt_(std::uint32_t(of.drawn(0, ~0u))),
        visits_(device_, nodes_),
        stream_(device_->make_stream()) {
    stream_->fill(visits_.data(), 0, visits_.bytes());
    stream_->synchronize();
  }

  void run() {
    std::vector<task> todo{
        task(grow{array_ref<std::uint32_t>(visits_.data()), 0, nodes_, salt_}, block_range{0, 1})};
    {
      task_pool pool(device_, pool_kernels(), options());
      for (auto stops = of_.drawn(0, 3); stops > 0 && !todo.empty(); --stops) run_and_stop(pool, todo);
      if (!todo.empty()) pool.run(todo, late());
    }
    check();
  }

 private:
  pool_options options() {
    pool_options options;
    options.method = of_.name_of(pool_methods());
    options.capacity = std::uint32_t(1) << of_.drawn(3, 12);
    if (device_->is_cuda() && options.method == "blocking") options.resident.blocks = 16;
    return options;
  }

  void run_and_stop(task_pool& pool, std::vector<task>& todo) {
    auto const pause = std::chrono::microseconds(of_.drawn(0, 2000));
    bool const asks = of_.one_in(2);
    std::jthread asking;
    if (asks)
      asking = std::jthread([&pool, pause] {
        std::this_thread::sleep_for(pause);
        pool.request_stop();
      });
    try {
      pool.run(todo, asks ? late() : deadline::in(pause));
      todo.clear();
    } catch (pool_stopped const& stopped) {
      if (stopped.statistics().created != stopped.statistics().run + stopped.unexecuted().size())
        of_.report_failure("a stopped pool's tasks do not add up");
      todo = stopped.unexecuted();
      ++of_.counts.stops;
      if (!todo.empty()) ++of_.counts.resumes;
    }
  }

  void check() {
    std::vector<std::uint32_t> found(nodes_, 0), expected(nodes_, 0), waiting{0};
    stream_->copy(found.data(), visits_.data(), visits_.bytes());
    stream_->synchronize();
    while (!waiting.empty()) {
      auto const node = waiting.back();
      waiting.pop_back();
      expected[node] = 1;
      ++of_.counts.tasks;
      for (std::uint32_t i = 0; i < max_children; ++i)
        if (has_child(node, i, nodes_, salt_)) waiting.push_back(max_children * node + 1 + i);
    }
    of_.check_visits(found, expected, "nodes");
  }

  scenario& of_;
  std::shared_ptr<compute_device> device_;
  std::uint32_t nodes_, salt_;
  device_buffer<std::uint32_t> visits_;
  std::unique_ptr<stream> stream_;
};

}  // namespace

void soak_pool(scenario& of) { pool_program(of).run(); }

}  // namespace ballast::soak
