// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/trace.hpp"
#include "captured_log.hpp"
#include "forked_child.hpp"
#include "progress_memory.hpp"
#include "sanitized.hpp"

namespace ballast::test {
namespace {

namespace fs = std::filesystem;
using namespace detail;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Of this process or a child.
std::vector<fs::path> files_of(int process) {
  std::vector<fs::path> found;
  auto const begin = "ballast.progress." + std::to_string(process) + '.';
  for (auto const& file : fs::directory_iterator("/dev/shm"))
    if (file.path().filename().string().starts_with(begin)) found.push_back(file.path());
  return found;
}

std::vector<std::string> names_shown_by(int process) {
  std::vector<std::string> names;
  for (auto const& one : published_progress::read(process)) names.push_back(one.name);
  return names;
}

/// Until it holds; false after a minute.
bool comes_true(auto const& condition) {
  for (auto const until = deadline::in(std::chrono::minutes(1)); !until.passed(); std::this_thread::yield())
    if (condition()) return true;
  return false;
}

work_progress some_progress() {
  return {.submitted = 9,
          .done = 4,
          .waiting = 3,
          .oldest = std::chrono::milliseconds(70),
          .busy = 0.75,
          .devices = {{.submitted = 5, .done = 3, .waiting = 1, .busy = 1}, {.done = 1, .busy = 0.5}}};
}

TEST(published_progress, is_read_by_another_process_with_all_counts_and_devices) {
  published_progress const published("frames", &some_progress);
  auto const parent = getpid();
  EXPECT_EQ(end_of_child([&] {
              auto const all = published_progress::read(parent);
              if (all.size() != 1 || all[0].process != parent || all[0].name != "frames") return false;
              auto const& now = all[0].progress;
              auto const& devices = now.devices;
              return now.submitted == 9 && now.done == 4 && now.waiting == 3 &&
                     now.oldest == std::chrono::milliseconds(70) && now.busy == 0.75 && devices.size() == 2 &&
                     devices[0].submitted == 5 && devices[0].busy == 1 && devices[1].done == 1 &&
                     all[0].when <= clock::now() && all[0].rate == 0;
            }),
            well);
}

TEST(published_progress, has_a_file_that_its_user_alone_may_use_and_that_ends_with_it) {
  {
    published_progress const one("one", &some_progress), other("other", &some_progress);
    ASSERT_THAT(files_of(getpid()), SizeIs(2));
    for (auto const& file : files_of(getpid())) {
      struct stat of {};
      ASSERT_EQ(stat(file.c_str(), &of), 0);
      EXPECT_EQ(of.st_mode & 07777, 0600u);
      EXPECT_EQ(of.st_uid, geteuid());
    }
    EXPECT_THAT(names_shown_by(getpid()), ElementsAre("one", "other"));
  }
  EXPECT_THAT(files_of(getpid()), IsEmpty());
  EXPECT_THAT(names_shown_by(getpid()), IsEmpty());
}

TEST(published_progress, is_sampled_again_and_again_while_it_lives) {
  std::atomic<std::uint64_t> done = 0;
  published_progress const published("frames", [&] { return work_progress{.done = ++done}; });
  EXPECT_TRUE(comes_true([] { return published_progress::read(getpid()).at(0).progress.done > 2; }));
  EXPECT_GT(published_progress::read(getpid()).at(0).rate, 0);
}

TEST(published_progress, has_no_rate_of_tasks_when_another_run_begins) {
  std::atomic<std::uint64_t> done = 1'000, looks = 0;
  published_progress const published("frames", [&] {
    ++looks;
    return work_progress{.done = done.load()};
  });
  done = 0;
  auto const seen = looks.load();
  EXPECT_TRUE(comes_true([&] { return looks > seen + 1; }));
  EXPECT_EQ(published_progress::read(getpid()).at(0).rate, 0) << "less than nothing was done";
}

TEST(published_progress, of_a_process_that_died_is_neither_shown_nor_left) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  auto const child = fork();
  if (child == 0) {
    alarm(60);
    auto* const published = new published_progress("dead", &some_progress);  // not destroyed
    (void)!write(ready[1], published, 1);
    pause();
  }
  close(ready[1]);  // else a child that fails early is waited for
  char sign = 0;
  ASSERT_EQ(read(ready[0], &sign, 1), 1);
  EXPECT_THAT(names_shown_by(child), ElementsAre("dead"));
  kill(child, SIGKILL);
  siginfo_t ended{};
  waitid(P_PID, id_t(child), &ended, WEXITED | WNOWAIT);
  EXPECT_THAT(names_shown_by(child), IsEmpty()) << "also while nobody has waited for it";
  EXPECT_THAT(files_of(child), IsEmpty());
  waitpid(child, nullptr, 0);
  close(ready[0]);
}

TEST(published_progress, of_an_earlier_process_of_the_same_number_is_removed) {
  auto const earlier = "/dev/shm/ballast.progress." + std::to_string(getpid()) + ".99999";
  std::ofstream(earlier) << std::string(sizeof(progress_memory), 'x');
  EXPECT_THAT(names_shown_by(getpid()), IsEmpty());
  EXPECT_FALSE(fs::exists(earlier));
}

TEST(published_progress, takes_another_file_where_one_of_its_name_is_there) {
  published_progress const first("first", &some_progress);
  auto const path = files_of(getpid()).at(0).string();
  auto const end = path.rfind('.') + 1;
  auto const next = path.substr(0, end) + std::to_string(std::stoull(path.substr(end)) + 1);
  std::ofstream(next) << "of a program before an exec()";
  published_progress const second("second", &some_progress);
  EXPECT_THAT(names_shown_by(getpid()), ElementsAre("first", "second"));
  fs::remove(next);
}

TEST(published_progress, refuses_a_name_that_the_process_publishes_already) {
  published_progress const first("first", &some_progress);
  EXPECT_THROW(published_progress("first", &some_progress), bad_argument);
  EXPECT_THAT(names_shown_by(getpid()), ElementsAre("first"));
}

TEST(published_progress, shows_nothing_of_files_that_have_another_size_or_no_sample) {
  published_progress const published("frames", &some_progress);
  auto const own = files_of(getpid()).at(0).string();
  std::ofstream(own + "7");
  auto const empty = own + "8";
  std::ofstream(empty) << std::string(sizeof(progress_memory), '\0');
  EXPECT_THAT(names_shown_by(getpid()), ElementsAre("frames"));
  fs::remove(own + "7");
  fs::remove(empty);
}

TEST(published_progress, keeps_its_last_values_and_says_once_in_the_log_that_the_function_throws) {
  captured_log const log;
  std::atomic<int> calls = 0;
  published_progress const published("frames", [&]() -> work_progress {
    switch (++calls) {
      case 1:
        return some_progress();
      case 2:
        throw std::runtime_error("no more");
      default:
        throw 7;
    }
  });
  ASSERT_TRUE(comes_true([&] { return calls > 4; }));
  EXPECT_EQ(published_progress::read(getpid()).at(0).progress.done, 4u);
  EXPECT_EQ(log.lines(), "the progress that is published as frames cannot be read: no more")
      << "and no more lines";
}

TEST(published_progress, is_not_a_childs_which_leaves_the_file_to_its_parent) {
  auto published = std::make_unique<published_progress>("frames", &some_progress);
  EXPECT_EQ(end_of_child([&] {
              published.reset();
              return files_of(getpid()).empty();
            }),
            well);
  EXPECT_THAT(names_shown_by(getpid()), ElementsAre("frames"));
  published.reset();
  EXPECT_THAT(files_of(getpid()), IsEmpty());
}

TEST(published_progress, refuses_names_that_do_not_fit_and_no_function) {
  for (std::string const& name :
       {std::string(), std::string(64, 'x'), std::string("a\nb"), std::string("\x7f")})
    EXPECT_THROW(published_progress(name, &some_progress), bad_argument) << name;
  EXPECT_THROW(published_progress("frames", {}), bad_argument);
  EXPECT_THAT(files_of(getpid()), IsEmpty());
  published_progress const longest(std::string(63, 'x'), &some_progress);
  EXPECT_THAT(names_shown_by(getpid()), ElementsAre(std::string(63, 'x')));
}

TEST(published_progress, keeps_the_first_of_more_than_64_devices) {
  published_progress const published("frames", [] {
    work_progress many;
    for (std::uint64_t i = 0; i < 70; ++i) many.devices.push_back({.done = i});
    return many;
  });
  auto const devices = published_progress::read(getpid()).at(0).progress.devices;
  ASSERT_THAT(devices, SizeIs(64));
  EXPECT_EQ(devices.back().done, 63u);
}

/// All counts are the same number.
progress_sample sample_of(std::uint64_t i) {
  work_progress const one{.submitted = i, .done = i, .waiting = i, .busy = double(i)};
  progress_sample made{one, double(i), std::int64_t(i)};
  made.progress.devices.assign(8, one);
  return made;
}

bool is_whole(progress_sample const& seen) {
  auto const i = seen.progress.done;
  auto const is_i = [&](work_progress const& one) {
    return one.submitted == i && one.done == i && one.waiting == i && one.busy == double(i);
  };
  return is_i(seen.progress) && seen.rate == double(i) && seen.when_ns == std::int64_t(i) &&
         seen.progress.devices.size() == 8 && std::ranges::all_of(seen.progress.devices, is_i);
}

TEST(progress_memory, gives_no_reader_parts_of_two_samples_and_no_older_one) {
  progress_memory memory{};
  EXPECT_FALSE(memory.load());
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> torn = 0, older = 0, seen = 0;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      std::uint64_t last = 0;
      while (!is_over) {
        auto const sample = memory.load();
        if (!sample) continue;
        torn += is_whole(*sample) ? 0 : 1;
        older += sample->progress.done < last ? 1 : 0;
        last = sample->progress.done;
        ++seen;
      }
    });
  for (std::uint64_t i = 1; i < 20'000 || seen < 100; ++i) memory.store(sample_of(i));
  is_over = true;
  readers.clear();
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(older, 0u);
  EXPECT_TRUE(is_whole(*memory.load()));
}

TEST(progress_memory, gives_nothing_if_its_writer_ended_in_the_middle_of_a_sample) {
  std::vector<std::byte> bytes(sizeof(progress_memory));
  auto* const memory = new (bytes.data()) progress_memory{};
  memory->store(sample_of(1));
  auto const odd = std::uint64_t(3);
  std::memcpy(bytes.data() + 64, &odd, sizeof odd);  // behind the name
  EXPECT_FALSE(memory->load());
}

}  // namespace
}  // namespace ballast::test
