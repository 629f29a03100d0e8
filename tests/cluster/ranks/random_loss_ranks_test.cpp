// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/cluster_queue.hpp"
#include "ballast/mpi.hpp"
#include "rank_kernels.cuh"

// A rank ends at a time that a seed draws. random_losses.sh starts the ranks of each seed.
namespace ballast::test {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

/// What becomes of the ranks of a seed; the same on each of them.
struct random_loss {
  std::uint32_t rank;     ///< that is lost
  int by;                 ///< a signal: SIGKILL, or SIGSTOP for a rank that hangs
  microseconds after;     ///< that it has a cluster
  std::uint32_t batches;  ///< of each rank; 0: until it knows of the loss
  bool stops;             ///< or closes
};

random_loss loss_of(std::uint64_t seed, std::uint32_t ranks) {
  std::mt19937_64 draw(seed);
  random_loss drawn{};
  drawn.rank = std::uint32_t(draw() % ranks);
  drawn.by = draw() % 2 == 0 ? SIGKILL : SIGSTOP;
  bool const at_start = draw() % 4 == 0;
  drawn.after = microseconds(draw() % (at_start ? 20'000 : 300'000));
  drawn.batches = draw() % 2 == 0 ? 0 : std::uint32_t(1 + draw() % 40);
  drawn.stops = draw() % 2 == 0;
  return drawn;
}

std::string text_of(random_loss const& of) {
  return "rank " + std::to_string(of.rank) + (of.by == SIGKILL ? " is killed " : " hangs ") +
         std::to_string(of.after.count()) + " us after its start, " +
         (of.batches == 0 ? "amid batches" : "beside " + std::to_string(of.batches) + " batches") +
         (of.stops ? ", then stop()" : ", then close()");
}

/// Where the rank says, before it ends, who it is and when. All ranks are children of one process.
class note_of_loss {
 public:
  /// The time is the same for all processes of a host.
  struct loss {
    pid_t process = 0;
    std::int64_t ns = 0;
  };

  void write() const {
    auto const draft = path_.string() + ".draft";
    std::ofstream(draft) << getpid() << ' ' << clock::now().time_since_epoch().count();
    std::filesystem::rename(draft, path_);
  }
  loss read(deadline until) const {
    while (!std::filesystem::exists(path_) && !until.passed()) std::this_thread::sleep_for(microseconds(500));
    loss said;
    std::ifstream(path_) >> said.process >> said.ns;
    return said;
  }

 private:
  std::filesystem::path const path_ =
      std::filesystem::temp_directory_path() / ("ballast_lost_rank_" + std::to_string(getppid()));
};

/// Tasks of a rank, of which each has a result, or the queue has handed it back, or it perhaps has run.
class counted_tasks {
 public:
  /// In turn a batch of tasks that may run again and one of such that may not. False if a rank has stopped
  /// all.
  bool submit(cluster_queue& queue) {
    auto& results = results_.emplace_back(of_batch);
    may_repeat_ = !may_repeat_;
    try {
      end_ = queue.submit(may_repeat_ ? tasks<slow_square>(results) : tasks<slow_square_once>(results));
      return true;
    } catch (error const& refusal) {
      EXPECT_THAT(refusal.what(), testing::HasSubstr("is closed"));
      results_.pop_back();
      return false;
    }
  }
  /// For the batch that was submitted last.
  void wait() {
    try {
      end_.wait();
    } catch (rank_lost const& loss) {
      EXPECT_FALSE(may_repeat_) << loss.what();
      EXPECT_FALSE(loss.perhaps_run().empty());
      have_no_result(loss.perhaps_run());
    } catch (stopped const& stop) { to_be_handed_back_ += stop.unfinished(); }
  }
  void are_handed_back(std::vector<task> const& returned) {
    EXPECT_EQ(returned.size(), to_be_handed_back_);
    have_no_result(returned);
  }
  void check() const {
    for (std::uint32_t i = 0; i < results_.size() * of_batch; ++i) {
      auto const number = i + 1;
      ASSERT_EQ(results_[i / of_batch][i % of_batch], without_result_.contains(number) ? 0 : number * number)
          << "task " << number << " of " << results_.size() * of_batch;
    }
  }

 private:
  static constexpr std::uint32_t of_batch = 50;

  template <class Kernel>
  std::vector<task> tasks(std::vector<std::uint32_t>& results) const {
    std::vector<task> batch;
    for (auto& result : results) {
      Kernel one;
      one.number = std::uint32_t((results_.size() - 1) * of_batch + batch.size() + 1);
      one.result = result_ref(&result);
      batch.push_back(task(one));
    }
    return batch;
  }
  void have_no_result(std::vector<task> const& tasks) {
    for (auto const& one : tasks)
      EXPECT_TRUE(without_result_.insert(one.arguments().words()[0]).second) << "a task is told of twice";
  }

  std::deque<std::vector<std::uint32_t>> results_;
  std::set<std::uint32_t> without_result_;
  std::size_t to_be_handed_back_ = 0;
  bool may_repeat_ = false;
  completion end_;
};

/// Of all ranks. The one that is lost goes on until then.
void run_until_the_end(cluster& ranks, random_loss const& of) {
  counted_tasks tasks;
  cluster_queue_options options;
  options.devices.queue.timeout = seconds(40);
  cluster_queue queue(ranks, open_devices("host:1"), rank_kernels(), options);
  for (std::uint32_t i = 0; of.batches == 0 ? ranks.lost().empty() : i < of.batches; ++i)
    if (tasks.submit(queue)) tasks.wait();
  bool const waits = tasks.submit(queue);
  std::vector<task> returned;
  try {
    if (of.stops)
      returned = queue.stop();
    else
      queue.close();
  } catch (rank_lost const& loss) { EXPECT_FALSE(loss.perhaps_run().empty()) << loss.what(); }
  if (waits) tasks.wait();
  tasks.are_handed_back(returned);
  tasks.check();
}

TEST(mpi_cluster_random_loss, survivors_end_in_time_with_all_tasks_accounted_for) {
  auto const* const seed = std::getenv("BALLAST_LOSS_SEED");
  if (seed == nullptr) GTEST_SKIP() << "BALLAST_LOSS_SEED is not given";
  cluster_options watchful;
  watchful.heartbeat = std::chrono::milliseconds(50);
  watchful.lost_after = seconds(3);
  note_of_loss const note;
  {
    auto ranks = mpi_cluster({}, watchful);
    auto const loss = loss_of(std::strtoull(seed, nullptr, 10), ranks.ranks());
    SCOPED_TRACE(text_of(loss));
    std::jthread end;
    if (ranks.rank() == loss.rank)
      end = std::jthread([&] {
        std::this_thread::sleep_for(loss.after);
        note.write();
        kill(getpid(), loss.by);
      });
    try {
      run_until_the_end(ranks, loss);
      for (auto const lost : ranks.lost()) EXPECT_EQ(lost, loss.rank);
    } catch (rank_lost const& of_start) {  // with which a rank leaves the others
      EXPECT_EQ(loss.rank, 0u) << "only rank 0 is needed to start a queue: " << of_start.what();
      EXPECT_THAT(of_start.ranks(), testing::Contains(0u));
    }
  }
  auto const now = clock::now().time_since_epoch();
  auto const said = note.read(deadline::in(seconds(20)));
  EXPECT_GT(said.process, 0);
  EXPECT_LT(now - std::chrono::nanoseconds(said.ns), watchful.lost_after + seconds(5));
  if (said.process > 0) kill(said.process, SIGKILL);  // or mpirun would wait for one that hangs
  std::puts(testing::Test::HasFailure() ? "a survivor has failed" : "a survivor has passed");
  std::fflush(stdout);
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

}  // namespace
}  // namespace ballast::test
