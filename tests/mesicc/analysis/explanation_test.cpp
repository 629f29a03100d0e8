// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/analyse_launch.hpp"
#include "golden.hpp"
#include "kernels.hpp"
#include "launch_builder.hpp"

namespace ballast::mesicc::explanation_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string name_of(testing::TestParamInfo<known_kernel> const& info) { return info.param.name; }

class accepted_launches : public testing::TestWithParam<known_kernel> {};
class refused_launches : public testing::TestWithParam<known_kernel> {};

TEST_P(accepted_launches, are_explained_as_recorded) {
  auto const& kernel = GetParam();
  auto const found = analyse(kernel.at(4096, 1024));
  ASSERT_TRUE(found.plan) << listed(found.diagnostics);
  auto const said = found.plan->explanation + listed(found.diagnostics);
  EXPECT_EQ(said, golden(kernel.name, said));
}

TEST_P(refused_launches, are_refused_as_recorded) {
  auto const& kernel = GetParam();
  auto const found = analyse(kernel.at(4096, 1024));
  ASSERT_FALSE(found.plan) << found.plan->explanation;
  auto const said = listed(found.diagnostics);
  EXPECT_EQ(said, golden(kernel.name, said));
}

TEST_P(refused_launches, run_as_one_task_where_that_is_allowed) {
  auto const model = GetParam().at(4096, 1024);
  auto const found = analyse(model, {.allow_unpartitioned = true});
  ASSERT_TRUE(found.plan);
  EXPECT_FALSE(found.plan->partitioned);
  ASSERT_EQ(found.plan->arrays.size(), model.arrays.size());
  for (auto const& one : model.accesses) {
    auto const& array = found.plan->arrays[std::size_t(one.array)];
    EXPECT_TRUE(array.reads_all);
    EXPECT_TRUE(array.writes_all || one.kind == access_kind::read);
  }
  for (auto const& said : found.diagnostics) EXPECT_EQ(said.level, severity::warning);
}

TEST(explanations, count_one_byte_as_one) {
  launch_builder k("marks", 4096);
  auto const s = k.array("s", {4096}, 1), d = k.array("d", {4096}, 1), first = k.array("first", {1}, 1);
  k.read(s(k.x)), k.read(first(0)), k.write(d(k.x));
  auto const found = analyse(k.model());
  ASSERT_TRUE(found.plan) << listed(found.diagnostics);
  EXPECT_THAT(found.plan->explanation, HasSubstr("; copies in 1 byte a thread\n"));
  EXPECT_THAT(found.plan->explanation, HasSubstr("; makes 1 byte a thread\n"));
  EXPECT_THAT(found.plan->explanation, Not(HasSubstr("1 bytes")));
}

INSTANTIATE_TEST_SUITE_P(of_known_kernels, accepted_launches, testing::ValuesIn(accepted_kernels()), name_of);
INSTANTIATE_TEST_SUITE_P(of_known_kernels, refused_launches, testing::ValuesIn(refused_kernels()), name_of);

}  // namespace
}  // namespace ballast::mesicc::explanation_test
