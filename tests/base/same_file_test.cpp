// SPDX-License-Identifier: Apache-2.0
#include "ballast/replace_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "ballast/error.hpp"
#include "scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using ballast::is_same_file;

/// With `there`, links to it, and a link to the folder itself.
class folder_with_links {
 public:
  folder_with_links() {
    own_.file("there", "text");
    fs::create_symlink("there", *this / "link");
    fs::create_hard_link(*this / "there", *this / "hard");
    fs::create_directory_symlink(".", *this / "self");
  }

  fs::path operator/(char const* name) const { return own_.path() / name; }

 private:
  ballast::test::scratch_folder own_;
};

TEST(base_same_file, is_known_through_links_and_dots) {
  folder_with_links const folder;
  for (auto const* const name : {"there", "link", "hard", "self/there", "./there"})
    EXPECT_TRUE(is_same_file(folder / "there", folder / name)) << name;
  EXPECT_FALSE(is_same_file(folder / "there", folder / "self"));
}

TEST(base_same_file, is_known_by_its_name_where_it_is_not_there_yet) {
  folder_with_links const folder;
  EXPECT_TRUE(is_same_file(folder / "new", folder / "self/./new"));
  EXPECT_FALSE(is_same_file(folder / "new", folder / "newer"));
  EXPECT_TRUE(is_same_file("no-such-file-here", "./no-such-file-here"));
}

using ballast::read_files_guard;

void expect_that_it_cannot_be_written(fs::path const& path) {
  auto const why = testing::ThrowsMessage<ballast::error>("cannot write " + path.string() +
                                                          ": the program reads this file");
  EXPECT_THAT([&] { ballast::check_replaceable(path); }, why);
  EXPECT_THAT([&] { ballast::replace_file(path, "new"); }, why);
}

TEST(base_read_files_guard, refuses_to_replace_what_was_read_by_whichever_name) {
  folder_with_links const folder;
  read_files_guard const guard;
  ballast::note_read(folder / "link");
  for (auto const* const name : {"there", "link", "hard", "self/there"})
    expect_that_it_cannot_be_written(folder / name);
  EXPECT_EQ(ballast::test::content_of(folder / "there"), "text");
  ballast::replace_file(folder / "other", "new");
}

TEST(base_read_files_guard, knows_a_file_that_was_noted_before_it_was_there_or_was_replaced_since) {
  folder_with_links const folder;
  read_files_guard const guard;
  ballast::note_read(folder / "self/new");
  std::ofstream(folder / "new") << "text";
  expect_that_it_cannot_be_written(folder / "new");
  ballast::note_read(folder / "there");
  fs::remove(folder / "there");
  std::ofstream(folder / "there") << "another file";
  expect_that_it_cannot_be_written(folder / "there");
  expect_that_it_cannot_be_written(folder / "hard");
}

TEST(base_read_files_guard, does_not_know_what_was_noted_before_it) {
  folder_with_links const folder;
  ballast::note_read(folder / "there");
  read_files_guard const guard;
  EXPECT_EQ(ballast::noted_as_read(folder / "there"), std::nullopt);
}

TEST(base_read_files_guard, is_not_asked_about_devices_nor_when_it_has_ended) {
  folder_with_links const folder;
  {
    read_files_guard const guard;
    ballast::note_read("/dev/null");
    ballast::replace_file("/dev/null", "text");
    ballast::note_read(folder / "there");
    EXPECT_EQ(ballast::noted_as_read(folder / "link"), folder / "there");
  }
  ballast::note_read(folder / "there");
  EXPECT_EQ(ballast::noted_as_read(folder / "there"), std::nullopt);
  ballast::replace_file(folder / "there", "new");
}

}  // namespace
