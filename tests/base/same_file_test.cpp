// SPDX-License-Identifier: Apache-2.0
#include "ballast/replace_file.hpp"

#include <gtest/gtest.h>

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

}  // namespace
