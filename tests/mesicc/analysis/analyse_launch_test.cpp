// SPDX-License-Identifier: Apache-2.0
#include "analysis/analyse_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "golden.hpp"
#include "kernels.hpp"
#include "launch_builder.hpp"
#include "model/expression_text.hpp"

namespace ballast::mesicc {
namespace {

TEST(analysed_launches, without_threads_touch_nothing) {
  launch_builder k("nobody", 0);
  auto const a = k.array("a", {8});
  k.update(a(k.x));
  auto const found = analyse(k.model());
  ASSERT_TRUE(found.plan);
  EXPECT_FALSE(found.plan->arrays[0].is_read());
  EXPECT_FALSE(found.plan->arrays[0].is_written());
}

TEST(analysed_launches, without_arrays_are_planned) {
  auto const found = analyse(launch_builder("nothing", 64, 64).model());
  ASSERT_TRUE(found.plan);
  EXPECT_TRUE(found.plan->arrays.empty());
}

TEST(analysed_launches, of_one_row_are_cut_along_x) {
  launch_builder k("row", 1024, 1);
  auto const a = k.array("a", {1, 1024});
  k.write(a(k.y, k.x));
  auto const found = analyse(k.model());
  ASSERT_TRUE(found.plan);
  EXPECT_EQ(found.plan->cut, axis::x);
}

TEST(analysed_launches, say_which_reads_lie_within_what_is_written) {
  launch_builder k("both", 64);
  auto const a = k.array("a", {64}), b = k.array("b", {64}), c = k.array("c", {65});
  k.update(a(k.x)), k.write(b(k.x)), k.read(c(k.x + 1));
  auto const found = analyse(k.model());
  ASSERT_TRUE(found.plan);
  EXPECT_TRUE(found.plan->arrays[0].reads_only_what_it_writes);
  EXPECT_FALSE(found.plan->arrays[1].is_read());
  EXPECT_FALSE(found.plan->arrays[2].reads_only_what_it_writes);
}

TEST(analysed_launches, say_whether_the_ends_of_what_they_write_are_surely_written) {
  launch_builder k("both", 64);
  auto const a = k.array("a", {64}), b = k.array("b", {64});
  k.update(a(k.x));
  k.when(k.unknown_choice(), [&] { k.update(b(k.x)); });
  auto const found = analyse(k.model());
  ASSERT_TRUE(found.plan);
  EXPECT_TRUE(found.plan->arrays[0].writes_ends);
  EXPECT_FALSE(found.plan->arrays[1].writes_ends);
}

TEST(analysed_launches, that_are_too_complex_for_the_limit_are_refused_with_the_kernel_s_name) {
  auto const found = analyse(stencil_kernels()[0].at(64, 64), {.operations = 10});
  ASSERT_FALSE(found.plan);
  EXPECT_EQ(listed(found.diagnostics),
            "k.mcu:100:3: error: kernel 'hotspot' is too complex to tell what its threads read and write\n"
            "k.mcu:100:3: note: with --allow-unpartitioned this launch runs as one task, on one device\n");
}

TEST(analysed_launches, have_ranges_as_generated_code_spells_them) {
  auto const kernels = irregular_kernels();
  auto const any = std::ranges::find(kernels, "any_number", &known_kernel::name);
  auto model = any->at(1, 1);
  model.scalars[0].spelling = "of.threads()";
  auto const found = analyse(model);
  ASSERT_TRUE(found.plan);
  auto const& range = found.plan->arrays[0].reads.at(0);
  EXPECT_EQ(text_of(range.begin, names_in_code(model)), "std::max<std::int64_t>(0, part.begin - 1)");
  EXPECT_EQ(text_of(range.end, names_in_code(model)), "std::min<std::int64_t>(of.threads(), part.end + 1)");
}

block_shape shape(launch_builder const& k) { return analyse(k.model()).plan.value().block; }

TEST(blocks, are_as_wide_as_neighbours_touch_neighbouring_elements) {
  launch_builder rows("rows", 4096, 4096), columns("columns", 4096, 4096);
  auto const a = rows.array("a", {4096, 4096}), b = columns.array("b", {4096, 4096});
  rows.write(a(rows.y, rows.x)), columns.write(b(columns.x, columns.y));
  EXPECT_EQ(shape(rows).x, 256);
  EXPECT_EQ(shape(rows).y, 1);
  EXPECT_EQ(shape(columns).x, 1);
  EXPECT_EQ(shape(columns).y, 256);
}

TEST(blocks, are_small_where_there_would_be_few_of_them) {
  launch_builder few("few", 4096), many("many", 1 << 20);
  auto const a = few.array("a", {4096}), b = many.array("b", {1 << 20});
  few.write(a(few.x)), many.write(b(many.x));
  EXPECT_EQ(shape(few).x, 64);
  EXPECT_EQ(shape(many).x, 256);
}

TEST(blocks, give_a_thread_several_rows_where_there_are_more_than_enough) {
  auto const rows_of = [](int rows, int columns) {
    launch_builder k("k", columns, rows);
    auto const a = k.array("a", {rows, columns});
    k.write(a(k.y, k.x));
    return shape(k).rows_per_thread;
  };
  EXPECT_EQ(rows_of(8192, 8192), 8);
  EXPECT_EQ(rows_of(2048, 2048), 2);
  EXPECT_EQ(rows_of(1024, 1024), 1);
  EXPECT_EQ(rows_of(1 << 20, 10), 1);
}

TEST(blocks, of_a_kernel_that_reads_in_a_loop_use_few_registers_and_have_a_row_for_each_thread) {
  launch_builder k("k", 8192, 8192), plain("plain", 8192, 8192);
  auto const a = k.array("a", {8192, 8192}), b = plain.array("b", {8192, 8192});
  k.loop(0, 8192, [&](auto const& i) { k.read(a(k.y, i)); });
  plain.read(b(plain.y, plain.x));
  EXPECT_TRUE(shape(k).few_registers);
  EXPECT_EQ(shape(k).rows_per_thread, 1);
  EXPECT_FALSE(shape(plain).few_registers);
}

TEST(blocks, are_no_wider_than_the_launch) {
  launch_builder k("narrow", 10, 1 << 20);
  auto const a = k.array("a", {1 << 20, 10});
  k.write(a(k.y, k.x));
  EXPECT_EQ(shape(k).x, 16);
  EXPECT_EQ(shape(k).y, 16);
}

}  // namespace
}  // namespace ballast::mesicc
