// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace/replace_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>

#include "ballast/base/error.hpp"

namespace {

namespace fs = std::filesystem;
using ballast::replace_file;

std::string contents(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class trace_replace_file : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  auto entries() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path const folder_ = fs::temp_directory_path() / ("ballast_replace_file_" + std::to_string(getpid()));
};

TEST_F(trace_replace_file, leaves_the_new_contents_and_no_temporary_file) {
  replace_file(folder_ / "a", "old and long");
  replace_file(folder_ / "a", "new");
  EXPECT_EQ(contents(folder_ / "a"), "new");
  EXPECT_EQ(entries(), 1);
}

TEST_F(trace_replace_file, keeps_the_old_file_if_the_writer_throws) {
  replace_file(folder_ / "a", "old");
  auto const half = [](std::ostream& out) {
    out << "half";
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(replace_file(folder_ / "a", half), std::runtime_error);
  EXPECT_EQ(contents(folder_ / "a"), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(trace_replace_file, refuses_a_folder) {
  EXPECT_THROW(replace_file(folder_, "x"), ballast::error);
  EXPECT_TRUE(fs::is_directory(folder_));
}

TEST_F(trace_replace_file, writes_through_a_link_and_keeps_it) {
  replace_file(folder_ / "target", "old");
  fs::create_symlink(folder_ / "target", folder_ / "link");
  replace_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents(folder_ / "target"), "new");
}

TEST_F(trace_replace_file, does_not_replace_a_device) {
  replace_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(trace_replace_file, is_tried_before_without_touching_the_file_or_leaving_another) {
  replace_file(folder_ / "a", "old");
  ballast::require_replaceable(folder_ / "a");
  ballast::require_replaceable(folder_ / "b");
  ballast::require_replaceable("/dev/null");
  EXPECT_EQ(contents(folder_ / "a"), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(trace_replace_file, tells_before_what_stands_in_the_way) {
  EXPECT_THROW(ballast::require_replaceable(folder_), ballast::error);
  try {
    ballast::require_replaceable("/no/folder/a");
    FAIL() << "no error";
  } catch (ballast::error const& problem) {
    EXPECT_STREQ(problem.what(), "cannot write /no/folder/a: No such file or directory");
  }
}

TEST_F(trace_replace_file, says_that_the_disk_is_full) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  try {
    replace_file("/dev/full", "x");
    FAIL() << "no error";
  } catch (ballast::error const& problem) {
    EXPECT_STREQ(problem.what(), "cannot write /dev/full: No space left on device");
  }
}

}  // namespace
