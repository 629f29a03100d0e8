// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace {

TEST(trace_nvtx_range, nests_and_ends_with_its_scope_whether_or_not_a_profiler_listens) {
  static_assert(!std::is_copy_constructible_v<ballast::detail::nvtx_range>);
  EXPECT_NO_THROW({
    ballast::detail::nvtx_range outer("outer");
    ballast::detail::nvtx_range inner("inner");
  });
}

}  // namespace
