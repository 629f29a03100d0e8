// SPDX-License-Identifier: Apache-2.0
#include "md/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "complaint.hpp"
#include "md/gaussian_system.hpp"
#include "md/text_file.hpp"
#include "scratch_folder.hpp"
#include "systems.hpp"

namespace ballast::md {
namespace {

using test::complaint;
using test::content_of;
using test::scratch_folder;

checkpoint example() {
  checkpoint point;
  point.step = 1234567890123;
  point.time_step = 2.5;
  point.skin = 1.0 / 3;
  point.single_precision = false;
  point.all_pairs = true;
  point.field = {{0.5, 3.25}, 11.0, potential::force_shifted, boundary::periodic};
  point.state = gaussian_system(100);
  draw_velocities(point.state, 30, 1);
  point.state.velocity[5] = {-0.0, 1e-310, 3};
  point.rebuilt_at = point.state.position;
  point.rebuilt_at[3].x += 0.1;
  return point;
}

TEST(md_checkpoint, reads_back_bit_for_bit) {
  scratch_folder folder;
  auto const point = example();
  write_checkpoint(folder.file("c"), point);
  auto const back = read_checkpoint(folder.file("c"));
  EXPECT_EQ(back, point);
  EXPECT_TRUE(std::signbit(back.state.velocity[5].x));
  write_checkpoint(folder.file("d"), back);
  EXPECT_EQ(content_of(folder.file("c")), content_of(folder.file("d")));
}

TEST(md_checkpoint, replaces_an_older_one_and_leaves_nothing_beside_it) {
  scratch_folder folder;
  auto point = example();
  write_checkpoint(folder.file("c"), point);
  ++point.step;
  write_checkpoint(folder.file("c"), point);
  EXPECT_EQ(read_checkpoint(folder.file("c")), point);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(md_checkpoint, that_cannot_be_written_leaves_the_older_one_whole) {
  scratch_folder folder;
  write_checkpoint(folder.file("c"), example());
  auto const before = content_of(folder.file("c"));
  std::filesystem::permissions(folder.file("c"), std::filesystem::perms(0444));
  EXPECT_THAT(complaint([&] { write_checkpoint(folder.file("c"), example()); }),
              testing::HasSubstr("cannot write"));
  EXPECT_EQ(content_of(folder.file("c")), before);
}

TEST(md_checkpoint, in_a_folder_that_is_not_there_is_refused) {
  scratch_folder const folder;
  auto const missing = folder.file("missing/c");
  EXPECT_THROW(write_checkpoint(missing, example()), error);
  EXPECT_THAT(complaint([&] { read_checkpoint(missing); }), testing::HasSubstr("cannot be opened"));
}

TEST(md_checkpoint, cut_off_anywhere_is_refused) {
  scratch_folder folder;
  write_checkpoint(folder.file("c"), example());
  auto const whole = content_of(folder.file("c"));
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    EXPECT_THROW(read_checkpoint(folder.file("cut", whole.substr(0, length))), bad_file);
  }
  EXPECT_THAT(complaint([&] { read_checkpoint(folder.file("cut", whole.substr(0, whole.size() - 1))); }),
              testing::HasSubstr("cut off"));
  EXPECT_THAT(complaint([&] { read_checkpoint(folder.file("long", whole + "x")); }),
              testing::HasSubstr("damaged"));
}

TEST(md_checkpoint, with_any_byte_changed_is_refused) {
  scratch_folder folder;
  write_checkpoint(folder.file("c"), example());
  auto const whole = content_of(folder.file("c"));
  for (std::size_t at = 0; at < whole.size(); at += 41) {
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 16);
    EXPECT_THROW(read_checkpoint(folder.file("changed", changed)), bad_file) << "byte " << at;
  }
}

TEST(md_checkpoint, of_another_format_is_refused_by_number) {
  scratch_folder folder;
  write_checkpoint(folder.file("c"), example());
  auto other = content_of(folder.file("c"));
  other[8] = 77;
  EXPECT_THAT(complaint([&] { read_checkpoint(folder.file("other", other)); }),
              testing::HasSubstr("format 77"));
  EXPECT_THAT(complaint([&] { read_checkpoint(folder.file("text", std::string(200, 'x'))); }),
              testing::HasSubstr("no checkpoint"));
}

}  // namespace
}  // namespace ballast::md
