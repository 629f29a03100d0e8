// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace {

TEST(trace_nvtx_range, nests_and_ends_with_its_scope_whether_or_not_a_profiler_listens) {
  static_assert(!std::is_copy_constructible_v<ballast::nvtx_range>);
  EXPECT_NO_THROW({
    ballast::nvtx_range outer("outer");
    ballast::nvtx_range inner("inner");
  });
}

}  // namespace
