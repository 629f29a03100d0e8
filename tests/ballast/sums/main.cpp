// SPDX-License-Identifier: Apache-2.0
// program [devices]: prints what a queue, a pool and a launch queue sum up on each device, by default on
// those of BALLAST_TEST_DEVICES or one core. With BUILD_SHARED_LIBS its kernels lie in another file than the
// library's code.
#include <cstdio>
#include <exception>
#include <numeric>

#include "ballast/arguments.hpp"
#include "ballast/ballast.hpp"
#include "kernels.cuh"

namespace ballast::test {
namespace {

constexpr std::uint32_t count = 1000;

class cleared_numbers {
 public:
  explicit cleared_numbers(std::shared_ptr<compute_device> const& device) : numbers_(device, count) {
    for (auto& number : numbers_.span()) number = 0;
  }
  std::uint32_t* data() { return numbers_.data(); }
  array_ref<std::uint32_t> ref() { return array_ref<std::uint32_t>(numbers_.data()); }
  std::uint64_t sum() const {
    return std::accumulate(numbers_.span().begin(), numbers_.span().end(), std::uint64_t{0});
  }

 private:
  pinned_buffer<std::uint32_t> numbers_;
};

std::uint64_t sum_of_queue(std::shared_ptr<compute_device> const& device) {
  cleared_numbers numbers(device);
  task_queue queue(device, index_kernels());
  for (std::uint32_t first = 0; first < count; first += 20)
    queue.submit(task(add_index{numbers.ref()}, {first, 20}));
  queue.close();
  return numbers.sum();
}

std::uint64_t sum_of_pool(std::shared_ptr<compute_device> const& device) {
  task_pool pool(device, tree_kernels());
  return pool.run(task(count_node{12})).sum;
}

/// Plain kernels stand between those of the set where the device has them.
std::uint64_t sum_of_launches(std::shared_ptr<compute_device> const& device) {
  cleared_numbers numbers(device);
  launch_queue queue({device}, index_kernels());
  auto line = queue.make_launch_stream();
  for (std::uint32_t round = 0; round < 10; ++round) {
    line.launch(add_index{numbers.ref()}, count);
    if (device->is_cuda()) line.launch(add_plainly(), 1, 1, numbers.data(), 100u);
  }
  line.last().wait();
  return numbers.sum();
}

bool is_right(std::shared_ptr<compute_device> const& device) {
  auto const queue = sum_of_queue(device), pool = sum_of_pool(device), launches = sum_of_launches(device);
  std::printf("%s: queue %llu, pool %llu, launches %llu\n", device->name().c_str(), 0ull + queue, 0ull + pool,
              0ull + launches);
  return queue == 499'500 && pool == 8'191 && launches == 4'995'000u + (device->is_cuda() ? 1000 : 0);
}

int run(int argc, char** argv) {
  auto const list = argc > 1 ? argv[1] : environment("BALLAST_TEST_DEVICES").value_or("host:1");
  bool right = true;
  for (auto const& device : open_devices(list)) right = is_right(device) && right;
  return right ? 0 : 1;
}

}  // namespace
}  // namespace ballast::test

int main(int argc, char** argv) try {
  return ballast::test::run(argc, argv);
} catch (std::exception const& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
