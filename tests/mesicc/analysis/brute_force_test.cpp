// SPDX-License-Identifier: Apache-2.0
// Each part of each launch, carried out element by element, against what the analysis says of it.
#include <gtest/gtest.h>

#include <iomanip>
#include <sstream>

#include "analysis/analyse_launch.hpp"
#include "golden.hpp"
#include "kernels.hpp"
#include "range_check.hpp"

namespace ballast::mesicc {
namespace {

std::string name_of(testing::TestParamInfo<known_kernel> const& info) { return info.param.name; }

class parts_of : public testing::TestWithParam<known_kernel> {};

range_check_result checked(known_kernel const& kernel, std::int64_t rows, std::int64_t columns,
                           std::int64_t scalar) {
  auto const model = kernel.at(rows, columns);
  auto const found = analyse(model);
  if (!found.plan) return {listed(found.diagnostics), 0, 0, 0};
  interpreted_launch const launch(model, found.plan->cut,
                                  std::vector<std::int64_t>(model.scalars.size(), scalar), 1);
  return check_ranges(*found.plan, launch);
}

TEST_P(parts_of, touch_nothing_that_the_plan_does_not_tell) {
  auto const result = checked(GetParam(), 13, 11, 7);
  EXPECT_EQ(result.wrong, "");
  EXPECT_GT(result.parts, 0);
}

TEST_P(parts_of, are_right_for_other_extents_too) {
  for (auto const& [rows, columns, scalar] :
       {std::tuple(2, 3, 1), std::tuple(11, 13, 0), std::tuple(12, 12, 12), std::tuple(7, 50, 5)}) {
    EXPECT_EQ(checked(GetParam(), rows, columns, scalar).wrong, "")
        << rows << " rows, " << columns << " columns";
  }
}

INSTANTIATE_TEST_SUITE_P(known_kernels, parts_of, testing::ValuesIn(accepted_kernels()), name_of);

TEST(ranges, hold_as_little_as_recorded_that_is_not_needed) {
  std::ostringstream lines;
  lines << "elements over all parts of a launch over 13 x 11: read, and read for nothing\n";
  for (auto const& kernel : accepted_kernels()) {
    auto const result = checked(kernel, 13, 11, 7);
    lines << std::left << std::setw(26) << kernel.name << std::right << std::setw(8) << result.needed
          << std::setw(8) << result.slack << "\n";
  }
  EXPECT_EQ(lines.str(), golden("slack", lines.str()));
}

}  // namespace
}  // namespace ballast::mesicc
