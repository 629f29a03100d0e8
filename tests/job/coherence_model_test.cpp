// SPDX-License-Identifier: Apache-2.0
#include "coherence_model.hpp"

#include <gtest/gtest.h>

#include <random>

#include "random_jobs.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// 0 to 64 words in 1 to 3 dimensions.
extents random_shape(std::mt19937& engine) {
  auto const drawn = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(engine);
  };
  switch (drawn(2)) {
    case 0:
      return {drawn(64)};
    case 1:
      return {drawn(8), drawn(8)};
    default:
      return {drawn(4), drawn(4), drawn(4)};
  }
}

class random_program {
 public:
  random_program(std::uint32_t seed, std::uint32_t places)
      : engine_(seed), model_(places, shapes(), engine_), jobs_(model_, places) {}

  model_counts const& run() {
    for (int step = 0; step < 150 && !testing::Test::HasFatalFailure(); ++step) jobs_.step();
    model_.carry_out_all();
    return model_.counts();
  }

 private:
  std::vector<extents> shapes() {
    return {random_shape(engine_), random_shape(engine_), random_shape(engine_)};
  }

  std::mt19937 engine_;
  coherence_model model_;
  random_jobs jobs_;
};

class random_jobs_on_places : public testing::TestWithParam<std::uint32_t> {};

TEST_P(random_jobs_on_places, read_in_any_legal_order_what_a_sequential_program_reads) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_program(seed, GetParam()).run();
    if (HasFatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(coherence_model, random_jobs_on_places, testing::Values(1, 2, 3, 4));

TEST(coherence_model, draws_programs_in_which_everything_happens) {
  model_counts sum;
  for (std::uint32_t seed = 0; seed < 30; ++seed) sum += random_program(seed, 4).run();
  EXPECT_GT(sum.copies_from_host, 100);
  EXPECT_GT(sum.copies_to_host, 100);
  EXPECT_GT(sum.copies_between_devices, 100);
  EXPECT_GT(sum.evictions, 100);
  EXPECT_GT(sum.waits, 1000);
  EXPECT_GT(sum.tasks, 1000);
  EXPECT_GT(sum.failed_tasks, 20);
  EXPECT_GT(sum.failed_copies, 20);
  EXPECT_GT(sum.refused_tasks, 20);
}

}  // namespace
}  // namespace ballast::test
