// SPDX-License-Identifier: Apache-2.0
#include "working_set_model.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ballast::test {
using namespace detail;
namespace {

constexpr std::size_t bytes_of_device = 16 * memory_alignment;

class random_tasks {
 public:
  random_tasks(std::uint32_t seed, std::uint32_t devices, std::size_t words_of_array)
      : engine_(seed),
        devices_(devices),
        model_(devices, bytes_of_device, {words_of_array, words_of_array / 2, words_of_array}, engine_) {}

  residency_counts const& run() {
    for (int step = 0; step < 300 && !testing::Test::HasFatalFailure(); ++step) do_one();
    model_.carry_out_all();
    return model_.counts();
  }

 private:
  void do_one() {
    auto const device = std::uint32_t(model_.drawn(0, devices_ - 1));
    switch (model_.drawn(0, 19)) {
      case 0:
        return model_.evict_unpinned(device);
      case 1:
        return model_.plan_host_access(need_of(model_.drawn(0, 2)));
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
        return model_.plan_task(device, needs());
      default:
        return model_.carry_out_one();
    }
  }
  /// That fit if nothing else is there.
  std::vector<modelled_need> needs() {
    std::vector<modelled_need> found;
    auto left = bytes_of_device;
    for (std::size_t array = 0; array < 3; ++array) {
      auto const need = need_of(array);
      if (model_.drawn(0, 3) == 0 || memory_of(need.bytes) > left) continue;
      left -= memory_of(need.bytes);
      found.push_back(need);
    }
    return found;
  }
  modelled_need need_of(std::size_t array) {
    auto const words = model_.arrays()[array].now.size();
    auto const begin = model_.drawn(0, words - 1), end = model_.drawn(begin, std::min(words, begin + 500));
    return {
        array, {begin * sizeof(word), end * sizeof(word)}, model_.drawn(0, 1) == 0, model_.drawn(0, 1) == 0};
  }

  std::mt19937 engine_;
  std::uint32_t devices_;
  working_set_model model_;
};

class random_tasks_on_devices : public testing::TestWithParam<std::uint32_t> {};

TEST_P(random_tasks_on_devices, read_what_a_sequential_program_reads_though_memory_is_short) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_tasks(seed, GetParam(), 1500).run();
    if (HasFatalFailure()) return;
  }
}
TEST_P(random_tasks_on_devices, move_nothing_and_always_have_room_while_all_arrays_fit) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto const counts = random_tasks(seed, GetParam(), 380).run();
    EXPECT_EQ(counts.moves, 0);
    EXPECT_EQ(counts.refusals, 0);
    if (HasFatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(working_set_model, random_tasks_on_devices, testing::Values(1, 2, 3));

TEST(working_set_model, draws_tasks_for_which_everything_happens) {
  residency_counts sum;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    auto const counts = random_tasks(seed, 2, 1500).run();
    sum.tasks += counts.tasks;
    sum.refusals += counts.refusals;
    sum.evictions += counts.evictions;
    sum.write_backs += counts.write_backs;
    sum.moves += counts.moves;
    sum.waits_for_memory += counts.waits_for_memory;
  }
  EXPECT_GT(sum.tasks, 500);
  EXPECT_GT(sum.refusals, 50);
  EXPECT_GT(sum.evictions, 500);
  EXPECT_GT(sum.write_backs, 200);
  EXPECT_GT(sum.moves, 100);
  EXPECT_GT(sum.waits_for_memory, 200);
}

}  // namespace
}  // namespace ballast::test
