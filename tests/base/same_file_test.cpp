// SPDX-License-Identifier: Apache-2.0
#include "ballast/base/same_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using ballast::is_same_file;

/// With `there`, links to it, and a link to the folder itself.
class folder_with_links {
 public:
  folder_with_links() {
    std::string pattern = testing::TempDir() + "same-file-XXXXXX";
    path_ = mkdtemp(pattern.data());
    std::ofstream(path_ / "there") << "text";
    fs::create_symlink("there", path_ / "link");
    fs::create_hard_link(path_ / "there", path_ / "hard");
    fs::create_directory_symlink(".", path_ / "self");
  }
  ~folder_with_links() { fs::remove_all(path_); }
  folder_with_links(folder_with_links const&) = delete;
  folder_with_links& operator=(folder_with_links const&) = delete;

  fs::path operator/(char const* name) const { return path_ / name; }

 private:
  fs::path path_;
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
