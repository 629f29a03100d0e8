// SPDX-License-Identifier: Apache-2.0
// docs/trace.md shows this.
#include <gtest/gtest.h>

#include <cstdint>

#include "ballast/trace.hpp"

namespace {

TEST(guide_to_trace, tells_how_uneven_spans_of_a_program_are) {
  std::int64_t const begin = 1000, end = 3000;
  ballast::recorder recorder({"cuda:0", "cuda:1"});
  recorder.record({.device = 0, .worker = 17, .label = "force", .step = 3, .begin_ns = begin, .end_ns = end});
  auto const run = recorder.snapshot();
  auto const loads = ballast::device_loads(run.spans, run.devices.size());
  double const uneven = ballast::imbalance(loads);  // 1 is even
  EXPECT_EQ(uneven, 2.0) << "one of two devices did nothing";
}

}  // namespace
