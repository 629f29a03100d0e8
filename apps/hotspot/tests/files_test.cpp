// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "command_line/text_file.hpp"
#include "complaint.hpp"
#include "folder_test.hpp"
#include "hotspot/plate_files.hpp"

namespace ballast::hotspot {
namespace {

using testing::HasSubstr;

std::string complaint(std::string const& content, std::size_t count) {
  test::scratch_folder const folder;
  auto const file = folder.file("input", content);
  return test::complaint([&] { read_numbers(file, count); });
}

using hotspot_files = test::folder_test;

TEST_F(hotspot_files, are_read_as_rodinia_writes_them) {
  auto const file = folder.file("input", "323.829\n+3.2e2\r\n  321 \n\n319.5");
  EXPECT_EQ(read_numbers(file, 4), (std::vector<double>{323.829, 320, 321, 319.5}));
}

TEST_F(hotspot_files, are_refused_with_the_line_that_is_no_number) {
  EXPECT_THAT(complaint("1\ntwo\n", 2),
              HasSubstr(", line 2: the value of a cell should be a number but is \"two\"."));
  EXPECT_THAT(complaint("1\n+-5\n", 2), HasSubstr("should be a number but is \"+-5\"."));
  EXPECT_THAT(complaint("1\n\n2 3 4\n", 2),
              HasSubstr(", line 3: the value of a cell should be a number but is \"2 3 4\"."));
  EXPECT_THAT(complaint("inf\n", 1), HasSubstr("should be a finite number but is \"inf\"."));
  EXPECT_THAT(complaint("\x1b[1m\n", 1), HasSubstr("should be a number but is \"\\x1b[1m\"."));
}

TEST_F(hotspot_files, are_refused_if_they_do_not_hold_a_number_for_each_cell) {
  EXPECT_THAT(complaint("1\n2\n3\n", 4),
              HasSubstr(", line 3: the file ends after 3 of 4 numbers, one for each cell."));
  EXPECT_THAT(complaint("1\n2\n3\n", 2),
              HasSubstr(", line 3: more follows than 2 numbers, one for each cell."));
  EXPECT_THAT(complaint("", 2), HasSubstr(": the file ends after 0 of 2 numbers, one for each cell."));
  EXPECT_THROW(read_numbers(folder.file("missing"), 1), command_line::bad_file);
}

TEST_F(hotspot_files, are_written_as_rodinia_does) {
  auto const file = folder.file("output");
  std::vector<float> const numbers{323.829f, 80, 1e9f};
  write_numbers<float>(file, numbers);
  EXPECT_EQ(test::content_of(file), "0\t323.829\n1\t80\n2\t1e+09\n");
  EXPECT_THROW(write_numbers<float>(file + "/output", numbers), error);
}

TEST_F(hotspot_files, are_read_again_as_they_were_written) {
  std::vector<double> const numbers{323.829, 80, 1e9};
  write_numbers<double>(folder.file("output"), numbers);
  EXPECT_EQ(read_numbers(folder.file("output"), 3), numbers);
}

TEST_F(hotspot_files, are_refused_where_an_index_is_not_that_of_the_place) {
  EXPECT_THAT(complaint("0\t1\n0\t2\n", 2), HasSubstr(", line 2: the index of a cell should be 1 but is 0."));
  EXPECT_THAT(complaint("0\t1\n1\ttwo\n", 2),
              HasSubstr("the value of a cell should be a number but is \"two\"."));
  EXPECT_THAT(complaint("0.5\t1\n", 1),
              HasSubstr("the index of a cell should be a whole number but is \"0.5\"."));
}

TEST_F(hotspot_files, are_read_behind_a_byte_order_mark) {
  EXPECT_EQ(read_numbers(folder.file("input",
                                     "\xef\xbb\xbf"
                                     "320\n321\n"),
                         2),
            (std::vector<double>{320, 321}));
}

using hotspot_pictures = test::folder_test;

TEST_F(hotspot_pictures, go_from_black_through_red_and_yellow_to_white) {
  EXPECT_EQ(colour_of(coldest_colour - 100), (colour{0, 0, 0}));
  EXPECT_EQ(colour_of(coldest_colour + 15), (colour{255, 0, 0}));
  EXPECT_EQ(colour_of(coldest_colour + 30), (colour{255, 255, 0}));
  EXPECT_EQ(colour_of(hottest_colour + 100), (colour{255, 255, 255}));
  EXPECT_EQ(colour_of(std::numeric_limits<double>::quiet_NaN()), (colour{0, 0, 255}));
}

TEST_F(hotspot_pictures, have_a_pixel_for_each_cell_row_by_row) {
  auto const file = folder.file("picture");
  std::vector<float> const temperature{0, 315, 330, 345, 345, 0};
  write_picture<float>(file, {2, 3}, temperature);
  EXPECT_EQ(test::content_of(file),
            std::string("P6\n3 2\n255\n") +
                std::string("\0\0\0\xff\0\0\xff\xff\0\xff\xff\xff\xff\xff\xff\0\0\0", 18));
}

}  // namespace
}  // namespace ballast::hotspot
