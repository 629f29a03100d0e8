// SPDX-License-Identifier: Apache-2.0
// host_costs tasks|launches|jobs COUNT: submits that number of them by a function of that name, in which
// callgrind counts (count.sh, figures.py). All comes after what is held, so that no device takes a part.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/kernels.cuh"
#include "ballast/launch_queue.hpp"
#include "ballast/shared_array.hpp"
#include "ballast/task_queue.hpp"

namespace {

using word = ballast::array_ref<std::uint32_t>;

/// Begins, and ends when the gate, gate[1], is open.
struct hold {
  static constexpr int threads = 64;
  word gate;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {
    std::atomic_ref(gate[0]).store(1, std::memory_order_release);
    while (std::atomic_ref(gate[1]).load(std::memory_order_acquire) == 0) std::this_thread::yield();
  }
};

struct add_one {
  static constexpr int threads = 64;
  word items;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) ++items[block.index()];
  }
};

BALLAST_KERNELS(kernels_of_tasks, ballast::for_queues, hold)
BALLAST_KERNELS(kernels_to_launch, ballast::for_launches, hold, add_one)
BALLAST_KERNELS(kernels_of_jobs, ballast::for_jobs, hold, add_one)

}  // namespace

extern "C" {

[[gnu::noinline]] void tasks(ballast::task_queue& queue, ballast::task const& one, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) queue.submit(one);
}

[[gnu::noinline]] void launches(ballast::launch_stream& line, add_one const& kernel, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) line.launch(kernel, 1);
}

[[gnu::noinline]] void jobs(ballast::job_scheduler& scheduler, ballast::shared_array<std::uint32_t, 1>& array,
                            std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    scheduler.submit({64}, ballast::updates(array, ballast::one_to_one),
                     [](auto items) { return add_one{items}; });
}
}

namespace {

/// What a kernel of type hold looks at.
class gate {
 public:
  explicit gate(std::shared_ptr<ballast::compute_device> const& device) : words_(device, 2) {
    words_[0] = words_[1] = 0;
  }
  hold kernel() const { return {word(words_.data())}; }
  void await_entry() const {
    while (std::atomic_ref(words_[0]).load(std::memory_order_acquire) == 0) std::this_thread::yield();
  }
  void open() const { std::atomic_ref(words_[1]).store(1, std::memory_order_release); }

 private:
  ballast::pinned_buffer<std::uint32_t> words_;
};

void count_tasks(std::uint32_t count) {
  auto const device = ballast::open_devices("host:1").front();
  gate const held(device);
  ballast::task_queue queue(device, kernels_of_tasks(), {});
  ballast::task const one(held.kernel());
  queue.submit(one);
  held.await_entry();
  tasks(queue, one, count);
  held.open();
  queue.close();
}

void count_launches(std::uint32_t count) {
  auto const device = ballast::open_devices("host:1").front();
  gate const held(device);
  ballast::pinned_buffer<std::uint32_t> item(device, 1);
  ballast::launch_queue queue({device}, kernels_to_launch(), {});
  auto line = queue.make_launch_stream();
  line.launch(held.kernel(), 1);
  held.await_entry();
  launches(line, {word(item.data())}, count);
  held.open();
  queue.wait_all();
}

void count_jobs(std::uint32_t count) {
  auto const device = ballast::open_devices("host:1").front();
  gate const held(device);
  ballast::job_scheduler scheduler({device}, kernels_of_jobs(), {.device_bytes = 1 << 20});
  ballast::shared_array<std::uint32_t, 1> array(scheduler, {64});
  for (auto& item : array.write()) item = 0;
  scheduler.submit({1}, ballast::updates(array, ballast::all),
                   [kernel = held.kernel()](auto) { return kernel; });
  held.await_entry();
  jobs(scheduler, array, count);
  held.open();
  scheduler.wait_all();
}

}  // namespace

int main(int arguments, char** argument) {
  if (arguments != 3) return 2;
  std::string_view const way = argument[1];
  auto const count = std::uint32_t(std::strtoul(argument[2], nullptr, 10));
  (way == "tasks" ? count_tasks : way == "jobs" ? count_jobs : count_launches)(count);
}
