// SPDX-License-Identifier: Apache-2.0
#include "ballast/replace_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "file_size_limit.hpp"
#include "scratch_folder.hpp"
#include "watched_call.hpp"

namespace {

namespace fs = std::filesystem;
using ballast::replace_file;
using ballast::test::content_of;

class base_replace_file : public testing::Test {
 protected:
  std::size_t entries() const { return own_.files(); }

  void expect_a_refusal_that_leaves(fs::path const& path, std::string const& old, std::string const& cause) {
    EXPECT_THAT([&] { replace_file(path, "new"); },
                testing::ThrowsMessage<ballast::error>("cannot write " + path.string() + ": " + cause));
    EXPECT_EQ(content_of(path), old);
    EXPECT_EQ(entries(), 1u);
  }

  ballast::test::scratch_folder const own_;
  fs::path const folder_ = own_.path();
};

TEST_F(base_replace_file, leaves_the_new_contents_and_no_temporary_file) {
  replace_file(folder_ / "a", "old and long");
  replace_file(folder_ / "a", "new");
  EXPECT_EQ(content_of(folder_ / "a"), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(base_replace_file, keeps_the_old_file_if_the_writer_throws) {
  replace_file(folder_ / "a", "old");
  auto const half = [](std::ostream& out) {
    out << "half";
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(replace_file(folder_ / "a", half), std::runtime_error);
  EXPECT_EQ(content_of(folder_ / "a"), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(base_replace_file, leaves_no_file_open_where_standard_input_was_closed) {
  int const kept = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  EXPECT_NO_THROW(replace_file(folder_ / "a", "new"));
  EXPECT_THROW(replace_file("/nowhere/a", "new"), ballast::error);
  EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1);
  if (kept < 0) return;  // it was closed before
  dup2(kept, STDIN_FILENO);
  close(kept);
}

TEST_F(base_replace_file, refuses_a_folder) {
  EXPECT_THROW(replace_file(folder_, "x"), ballast::error);
  EXPECT_TRUE(fs::is_directory(folder_));
}

TEST_F(base_replace_file, writes_through_a_link_and_keeps_it) {
  replace_file(folder_ / "target", "old");
  fs::create_symlink(folder_ / "target", folder_ / "link");
  replace_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content_of(folder_ / "target"), "new");
}

TEST_F(base_replace_file, does_not_write_through_a_link_planted_where_its_temporary_file_could_be) {
  replace_file(folder_ / "victim", "precious");
  fs::create_symlink(folder_ / "victim", folder_ / ("a.partial-" + std::to_string(getpid())));
  replace_file(folder_ / "a", "new");
  EXPECT_EQ(content_of(folder_ / "victim"), "precious");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "a")));
}

TEST_F(base_replace_file, has_a_temporary_file_of_another_name_each_time) {
  std::set<std::string> names;
  auto const record_names = [&](std::ostream&) {
    for (auto const& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
  };
  for (int i = 0; i < 3; ++i) {
    replace_file(folder_ / "a", record_names);
    fs::remove(folder_ / "a");
  }
  EXPECT_EQ(names.size(), 3u);
}

TEST_F(base_replace_file, takes_names_as_long_as_the_folder_does) {
  replace_file(folder_ / std::string(255, 'a'), "new");
  EXPECT_EQ(content_of(folder_ / std::string(255, 'a')), "new");
}

unsigned mode_of(fs::path const& path) { return static_cast<unsigned>(fs::status(path).permissions()); }

TEST_F(base_replace_file, keeps_the_mode_of_the_old_file_also_while_it_writes) {
  for (unsigned const mode : {0600u, 0640u, 0755u}) {
    replace_file(folder_ / "a", "old");
    fs::permissions(folder_ / "a", fs::perms(mode));
    replace_file(folder_ / "a", [&](std::ostream& out) {
      out << "new";
      for (auto const& entry : fs::directory_iterator(folder_)) EXPECT_EQ(mode_of(entry.path()), mode);
    });
    EXPECT_EQ(mode_of(folder_ / "a"), mode);
  }
}

TEST_F(base_replace_file, gives_a_new_file_the_mode_that_the_umask_says) {
  mode_t const usual = umask(027);
  replace_file(folder_ / "a", "new");
  umask(usual);
  EXPECT_EQ(mode_of(folder_ / "a"), 0640u);
}

TEST_F(base_replace_file, refuses_a_read_only_file_also_as_root_and_before_anything_is_computed) {
  replace_file(folder_ / "a", "old");
  fs::permissions(folder_ / "a", fs::perms(0444));
  expect_a_refusal_that_leaves(folder_ / "a", "old", "the file that is there is read-only");
  EXPECT_THROW(ballast::check_replaceable(folder_ / "a"), ballast::error);
}

TEST_F(base_replace_file, waits_for_the_disk_before_the_file_has_its_name_and_then_for_the_folder) {
  replace_file(folder_ / "a", "old");
  std::vector<std::string> waited;
  watched_call const watch(file_call::fsync, [&](fs::path const& path) {
    waited.push_back((fs::is_directory(path) ? "folder " : content_of(path) + " ") +
                     content_of(folder_ / "a"));
    return 0;
  });
  replace_file(folder_ / "a", "new");
  EXPECT_THAT(waited, testing::ElementsAre("new old", "folder new"));
}

TEST_F(base_replace_file, leaves_what_others_make_under_its_temporary_name_once_that_is_free) {
  fs::path temporary;
  watched_call const watch(file_call::fsync, [&](fs::path const& path) {
    if (fs::is_directory(path))
      std::ofstream(temporary) << "of others";
    else
      temporary = path;
    return 0;
  });
  replace_file(folder_ / "a", "new");
  EXPECT_EQ(content_of(temporary), "of others");
  EXPECT_EQ(content_of(folder_ / "a"), "new");
}

TEST_F(base_replace_file, keeps_the_old_file_if_the_disk_did_not_take_the_new_one) {
  replace_file(folder_ / "a", "old");
  watched_call const watch(file_call::fsync, [](fs::path const&) { return EIO; });
  expect_a_refusal_that_leaves(folder_ / "a", "old", "Input/output error");
}

TEST_F(base_replace_file, says_that_a_file_could_not_be_closed_whichever_way_it_was_written) {
  auto const why = [](fs::path const& path) {
    return testing::ThrowsMessage<ballast::error>("cannot write " + path.string() + ": Input/output error");
  };
  replace_file(folder_ / "a", "old");
  watched_call const watch(file_call::close, [](fs::path const&) { return EIO; });
  expect_a_refusal_that_leaves(folder_ / "a", "old", "Input/output error");
  EXPECT_THAT([&] { ballast::append_to_file(folder_ / "a", "more"); }, why(folder_ / "a"));
  EXPECT_EQ(content_of(folder_ / "a"), "old");
  EXPECT_THAT([&] { replace_file("/dev/null", "gone"); }, why("/dev/null"));
}

TEST_F(base_replace_file, does_not_replace_a_device) {
  replace_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(base_replace_file, is_tried_before_without_touching_the_file_or_leaving_another) {
  replace_file(folder_ / "a", "old");
  ballast::check_replaceable(folder_ / "a");
  ballast::check_replaceable(folder_ / "b");
  ballast::check_replaceable("/dev/null");
  EXPECT_EQ(content_of(folder_ / "a"), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(base_replace_file, tells_before_what_stands_in_the_way) {
  EXPECT_THROW(ballast::check_replaceable(folder_), ballast::error);
  auto const missing = folder_ / "missing/a";
  EXPECT_THAT([&] { ballast::check_replaceable(missing); },
              testing::ThrowsMessage<ballast::error>("cannot write " + missing.string() +
                                                     ": No such file or directory"));
}

TEST_F(base_replace_file, says_that_the_disk_is_full) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  try {
    replace_file("/dev/full", "x");
    FAIL() << "no error";
  } catch (ballast::error const& problem) {
    EXPECT_STREQ(problem.what(), "cannot write /dev/full: No space left on device");
  }
}

TEST_F(base_replace_file, has_a_counterpart_that_adds_to_what_is_there) {
  ballast::append_to_file(folder_ / "a", "one\n");
  ballast::append_to_file(folder_ / "a", "two\n");
  EXPECT_EQ(content_of(folder_ / "a"), "one\ntwo\n");
  EXPECT_EQ(entries(), 1u);
  ballast::append_to_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(base_replace_file, has_a_counterpart_that_cuts_off_again_what_has_no_room) {
  std::string const more(1 << 20, 'x');
  replace_file(folder_ / "a", "old");
  ballast::test::file_size_limit const limit(more.size() / 2);
  EXPECT_THAT([&] { ballast::append_to_file(folder_ / "a", more); },
              testing::ThrowsMessage<ballast::error>("cannot write " + (folder_ / "a").string() +
                                                     ": File too large"));
  EXPECT_EQ(content_of(folder_ / "a"), "old");
  EXPECT_THROW(ballast::append_to_file(folder_ / "missing/a", more), ballast::error);
  EXPECT_THROW(ballast::append_to_file(folder_, more), ballast::error);
}

}  // namespace
