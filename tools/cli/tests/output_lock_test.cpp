// SPDX-License-Identifier: Apache-2.0
#include "command_line/output_lock.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "refused_argument.hpp"
#include "scratch_folder.hpp"

namespace ballast::test {
namespace {

namespace fs = std::filesystem;
using command_line::output_lock;

struct locked_output : testing::Test {
  scratch_folder const folder;
  std::string const path = (folder.path() / "t.xyz").string();
};

/// A lock belongs to the open file, so that one process can act as two.
TEST_F(locked_output, is_refused_to_another_who_would_add_to_it) {
  output_lock const first("--trajectory", path);
  EXPECT_EQ(refused_argument([&] { output_lock("--trajectory", path); }), "--trajectory");
  fs::create_symlink(path, folder.path() / "link");
  EXPECT_EQ(refused_argument([&] { output_lock("--trajectory", (folder.path() / "link").string()); }),
            "--trajectory");
}

TEST_F(locked_output, is_free_again_when_its_writer_has_ended) {
  { output_lock const first("--trajectory", path); }
  EXPECT_NO_THROW(output_lock("--trajectory", path));
}

TEST_F(locked_output, leaves_no_file_to_which_nothing_was_added) {
  { output_lock const one("--trajectory", path); }
  EXPECT_FALSE(fs::exists(path));
  std::ofstream(path) << "";
  { output_lock const one("--trajectory", path); }
  EXPECT_TRUE(fs::exists(path)) << "it was there before";
}

TEST_F(locked_output, keeps_what_was_added) {
  {
    output_lock const one("--trajectory", path);
    std::ofstream(path, std::ios::app) << "a frame";
  }
  EXPECT_EQ(fs::file_size(path), 7u);
}

TEST_F(locked_output, needs_a_regular_file_and_a_path) {
  output_lock const null("--trajectory", "/dev/null"), none("--trajectory", "");
  EXPECT_NO_THROW(output_lock("--trajectory", "/dev/null"));
  EXPECT_NO_THROW(output_lock("--trajectory", ""));
  EXPECT_NO_THROW(output_lock("--trajectory", (folder.path() / "no" / "such").string()))
      << "who writes says why";
}

}  // namespace
}  // namespace ballast::test
