// SPDX-License-Identifier: Apache-2.0
#include "md/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "command_line/text_file.hpp"
#include "complaint.hpp"
#include "folder_test.hpp"
#include "md/gaussian_system.hpp"
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

using md_checkpoint = test::folder_test;

TEST_F(md_checkpoint, reads_back_bit_for_bit) {
  auto const point = example();
  write_checkpoint(folder.file("c"), point);
  auto const back = read_checkpoint(folder.file("c"));
  EXPECT_EQ(back, point);
  EXPECT_TRUE(std::signbit(back.state.velocity[5].x));
  write_checkpoint(folder.file("d"), back);
  EXPECT_EQ(content_of(folder.file("c")), content_of(folder.file("d")));
}

TEST_F(md_checkpoint, replaces_an_older_one_and_leaves_nothing_beside_it) {
  auto point = example();
  write_checkpoint(folder.file("c"), point);
  ++point.step;
  write_checkpoint(folder.file("c"), point);
  EXPECT_EQ(read_checkpoint(folder.file("c")), point);
  EXPECT_EQ(folder.files(), 1u);
}

TEST_F(md_checkpoint, that_cannot_be_written_leaves_the_older_one_whole) {
  write_checkpoint(folder.file("c"), example());
  auto const before = content_of(folder.file("c"));
  std::filesystem::permissions(folder.file("c"), std::filesystem::perms(0444));
  EXPECT_THAT(complaint([&] { write_checkpoint(folder.file("c"), example()); }),
              testing::HasSubstr("cannot write"));
  EXPECT_EQ(content_of(folder.file("c")), before);
}

TEST_F(md_checkpoint, in_a_folder_that_is_not_there_is_refused) {
  auto const missing = folder.file("missing/c");
  EXPECT_THROW(write_checkpoint(missing, example()), error);
  EXPECT_THAT(complaint([&] { read_checkpoint(missing); }), testing::HasSubstr("cannot be opened"));
}

TEST_F(md_checkpoint, cut_off_anywhere_is_refused) {
  write_checkpoint(folder.file("c"), example());
  auto const whole = content_of(folder.file("c"));
  for (std::size_t length = 0; length < whole.size(); length += 97)
    EXPECT_THROW(read_checkpoint(folder.file("cut", whole.substr(0, length))), command_line::bad_file);
  EXPECT_THAT(complaint([&] { read_checkpoint(folder.file("cut", whole.substr(0, whole.size() - 1))); }),
              testing::HasSubstr("cut off"));
  EXPECT_THAT(complaint([&] { read_checkpoint(folder.file("long", whole + "x")); }),
              testing::HasSubstr("damaged"));
}

TEST_F(md_checkpoint, with_any_byte_changed_is_refused) {
  write_checkpoint(folder.file("c"), example());
  auto const whole = content_of(folder.file("c"));
  for (std::size_t at = 0; at < whole.size(); at += 41) {
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 16);
    EXPECT_THROW(read_checkpoint(folder.file("changed", changed)), command_line::bad_file) << "byte " << at;
  }
}

TEST_F(md_checkpoint, of_another_format_is_refused_by_number) {
  write_checkpoint(folder.file("c"), example());
  auto other = content_of(folder.file("c"));
  other[8] = 77;
  EXPECT_THAT(complaint([&] { read_checkpoint(folder.file("other", other)); }),
              testing::HasSubstr("format 77"));
  EXPECT_THAT(complaint([&] { read_checkpoint(folder.file("text", std::string(200, 'x'))); }),
              testing::HasSubstr("no checkpoint"));
}

// Checkpoints with a right checksum but a content that no run can have written.

constexpr double infinite = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

checkpoint sound_point() {
  checkpoint point;
  point.step = 10;
  point.time_step = 2;
  point.skin = 1;
  point.state = s64();
  point.rebuilt_at = point.state.position;
  return point;
}

struct corrupted_field {
  std::function<void(checkpoint&)> corrupt;
  std::string sentence;
};

std::vector<corrupted_field> const corrupted_fields{
    {[](auto& p) { p.step = -1; }, "step is -1; legal is 0 to"},
    {[](auto& p) { p.step = std::numeric_limits<std::int64_t>::max(); }, "step is 9223372036854775807"},
    {[](auto& p) { p.time_step = 0; }, "dt is 0; legal is"},
    {[](auto& p) { p.time_step = nan; }, "dt is nan"},
    {[](auto& p) { p.skin = -1; }, "skin is -1; legal is 0 to 1e9"},
    {[](auto& p) { p.field.parameters.epsilon = -1; }, "epsilon is -1"},
    {[](auto& p) { p.field.parameters.sigma = infinite; }, "sigma is inf"},
    {[](auto& p) { p.field.cutoff = 0; }, "cutoff is 0"},
    {[](auto& p) { p.field.shape = static_cast<potential>(2); }, "potential is 2; legal is 0 to 1"},
    {[](auto& p) { p.field.edges = static_cast<boundary>(-1); }, "boundary is -1; legal is 0 to 1"},
    {[](auto& p) { p.field.edges = boundary::periodic; }, "cutoff is 12; legal is at most 6.5"},
    {[](auto& p) { p.state = {}; }, "the length of rebuilt_at is 64; legal is 0"},
    {[](auto& p) { p.state.position[3].y = nan; }, "the position of atom 4 is nan"},
    {[](auto& p) { p.state.velocity[0].z = infinite; }, "the velocity of atom 1 is inf"},
    {[](auto& p) { p.state.charge[63] = -2e9; }, "the charge of atom 64 is -2e+09"},
    {[](auto& p) { p.state.mass[1] = 0; }, "the mass of atom 2 is 0"},
    {[](auto& p) { p.state.velocity.pop_back(); }, "the length of velocity is 63; legal is 64"},
    {[](auto& p) { p.state.charge.clear(); }, "the length of charge is 0"},
    {[](auto& p) { p.state.mass.push_back(1); }, "the length of mass is 65"},
    {[](auto& p) { p.state.id.pop_back(); }, "the length of id is 63"},
    {[](auto& p) { p.state.type.pop_back(); }, "the length of type is 63"},
    {[](auto& p) { p.state.type[2] = 1; }, "the type of atom 3 is 1; legal is 0 to 0"},
    {[](auto& p) { p.state.type_name.clear(); }, "the length of type_name is 0; legal is at least 1"},
    {[](auto& p) { p.state.type_name[0].clear(); }, "type_name 0 is \"\"; legal is one word"},
    {[](auto& p) { p.state.type_name[0] = "He\nX"; }, "type_name 0 is \"He\\nX\""},
    {[](auto& p) { p.state.type_name[0] = "He X"; }, "type_name 0 is \"He X\""},
    {[](auto& p) { p.state.box.low.x = nan; }, "the lower x of box is nan"},
    {[](auto& p) { p.state.box.high.y = infinite; }, "the upper y of box is inf"},
    {[](auto& p) { p.state.box.high.z = -2; }, "the upper z of box is -2; legal is the lower side or more"},
    {[](auto& p) { p.state.parameters->epsilon = nan; }, "the file's epsilon is nan"},
    {[](auto& p) { p.state.parameters->sigma = infinite; }, "the file's sigma is inf"},
    {[](auto& p) { p.rebuilt_at[5].x = infinite; }, "rebuilt_at of atom 6 is inf"},
    {[](auto& p) { p.rebuilt_at.pop_back(); }, "the length of rebuilt_at is 63"},
};

TEST(md_checkpoint_fields, are_each_refused_by_name_where_no_run_can_have_left_their_value) {
  scratch_folder folder;
  write_checkpoint(folder.file("c"), sound_point());
  EXPECT_EQ(read_checkpoint(folder.file("c")), sound_point());
  for (auto const& [corrupt, sentence] : corrupted_fields) {
    auto point = sound_point();
    corrupt(point);
    write_checkpoint(folder.file("c"), point);
    EXPECT_THAT(complaint([&] { read_checkpoint(folder.file("c")); }),
                testing::AllOf(testing::HasSubstr("is damaged: "), testing::HasSubstr(sentence)));
  }
}

TEST(md_checkpoint_fields, that_are_true_or_false_are_refused_where_they_are_neither) {
  auto const bytes = packed(sound_point());
  auto const behind = 8 + sound_point().rebuilt_at.size() * sizeof(vec3) + 2 * sizeof(double);
  std::vector<std::pair<std::size_t, std::string>> const flags{
      {24, "single_precision"},
      {25, "all_pairs"},
      {bytes.size() - behind - 2, "box_is_given"},
      {bytes.size() - behind - 1, "parameters_are_given"}};
  for (auto const& [at, name] : flags) {
    auto corrupted = bytes;
    corrupted[at] = 7;
    EXPECT_THAT(complaint([&] { unpacked(corrupted, "c"); }),
                testing::HasSubstr(name + " is 7; legal is 0 to 1"));
  }
}

TEST(md_checkpoint_fields, are_refused_where_counts_promise_more_than_there_is_or_less) {
  auto const bytes = packed(sound_point());
  auto const at_positions = 26 + 3 * sizeof(double) + 2 * sizeof(int);
  auto corrupted = bytes;
  corrupted[at_positions + 7] = 1;
  EXPECT_THAT(complaint([&] { unpacked(corrupted, "c"); }),
              testing::HasSubstr("the length of position is 720575940379"));
  EXPECT_THAT(complaint([&] { unpacked(bytes + "xy", "c"); }),
              testing::HasSubstr("what follows rebuilt_at is 2"));
  for (std::size_t size = 0; size < bytes.size(); size += 13)
    EXPECT_THROW(unpacked(bytes.substr(0, size), "c"), command_line::bad_file) << size;
}

}  // namespace
}  // namespace ballast::md
