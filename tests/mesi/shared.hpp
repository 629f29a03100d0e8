// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/mesi/variable.hpp"

namespace ballast::test {
using namespace detail;

constexpr int rows = 45, columns = 23, numbers_count = 1000;

// In shared.cu, and used by several files.
extern mesi::variable<int[rows][columns]> table, next_table;
extern mesi::variable<int[numbers_count]> numbers;
extern mesi::variable<double> factor;

/// Element i becomes i, in so many threads.
void number(int* to, long long threads);
/// Each becomes itself, those above and below at the edge themselves, and `more`: along y.
void add_neighbours(int const (*from)[columns], int (*to)[columns], int more);
/// Says that it writes all elements, but leaves out the last.
void leave_out_last(int* to);
/// In more.cu. The kernel names the variable.
void scale_numbers();
/// In late.cu. Element i becomes -i.
void number_late(int* to);

}  // namespace ballast::test
