// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "scratch_folder.hpp"

namespace ballast::test {

/// Tests that each have a new empty folder: `using SUITE = test::folder_test;`, then TEST_F.
struct folder_test : testing::Test {
  scratch_folder folder;
};

}  // namespace ballast::test
