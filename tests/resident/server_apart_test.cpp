// SPDX-License-Identifier: Apache-2.0
// A resident kernel whose server is a kernel of its own, on CPU cores that look like a GPU: a core for each
// of two kernels, or one for both, so that the second does not start before the first has ended. What a
// process has found out of that it keeps, so each test is a process.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>

#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/detail/resident/worker_loop.cuh"
#include "ballast/error.hpp"
#include "captured_log.hpp"
#include "kernels.cuh"
#include "noting_device.hpp"

namespace ballast::test {
using namespace detail;

kernel_set const& resident_test_kernels();

namespace {

/// Cores as a GPU of so many SMs, of which others leave so many to servers.
class cores_as_gpu final : public noting_device {
 public:
  explicit cores_as_gpu(std::string const& cores, int multiprocessors, std::uint32_t left_to_servers)
      : noting_device(open_devices(cores)[0], {.kind = backend::cuda}, "pretended"),
        left_to_servers_(left_to_servers) {
    properties_ = noting_device::properties();
    properties_.multiprocessors = multiprocessors;
  }
  device_properties const& properties() const noexcept override { return properties_; }
  resident_room claim_resident(resident_request const& request) override {
    if (request.starts_first && request.min_blocks > left_to_servers_) throw no_room("others are there");
    if (request.starts_first) servers_ = request.blocks;
    auto const left = std::uint32_t(properties_.multiprocessors) - (request.starts_first ? 0 : servers_);
    return {++rooms_, std::min(request.blocks, left)};
  }
  void release_resident(resident_room const&) noexcept override { servers_ = 0; }
  bool has_resident() const noexcept override { return false; }
  std::string resident_holders(std::span<resident_room const>) const override { return ""; }

 private:
  device_properties properties_;
  std::uint32_t left_to_servers_, servers_ = 0;
  std::uint64_t rooms_ = 0;
};

/// What both kernels are given: how often a server, a worker and a block that may be either have begun.
struct counted_begins {
  resident_control control;
  std::array<std::atomic<int>, 3>* begun = nullptr;
};
enum : std::size_t { as_server, as_worker, as_either };

/// A block of the run, by its number in it.
struct numbered_block {
  std::uint32_t number;
  std::uint32_t block() const { return number; }
  bool leader() const { return true; }
};

template <std::size_t As, std::uint32_t First>
void stay(void const* argument, host_block_context& context) {
  auto const given = *static_cast<counted_begins const*>(argument);
  host_block_count const counted(*given.control.host_blocks);
  ++(*given.begun)[As];
  numbered_block const me{context.block + First};
  if (As == as_server)
    given.control.arrive_as_server(me, 1);
  else
    given.control.arrive(me, 1);
  while (!given.control.stop_requested()) std::this_thread::yield();
}

void is_no_kernel() {}

kernel_entry entry_of_two() {
  auto const code = [](auto* function) {
    return kernel_code{.name = "a pretended kernel",
                       .cuda_function = &is_no_kernel,
                       .host_function = function,
                       .threads = 32,
                       .scratch_bytes = 0};
  };
  return {.key = {},
          .code = code(&stay<as_either, 0>),
          .server = code(&stay<as_server, 0>),
          .workers = code(&stay<as_worker, 1>)};
}

struct apart_options {
  int blocks = 2;
  server_limits servers = {};
  std::uint32_t left_to_servers = 4;
  int multiprocessors = 2;
};

struct apart {
  explicit apart(std::string const& cores, apart_options const& of = {})
      : kernel(std::make_shared<cores_as_gpu>(cores, of.multiprocessors, of.left_to_servers),
               resident_test_kernels(), entry_of_two(), {.blocks = of.blocks, .spared_multiprocessors = 0},
               false, of.servers) {}

  bool start(std::uint32_t servers) {
    kernel.take_room(servers);
    counted_begins const argument{kernel.next_control(), &begun};
    return kernel.start(&argument, sizeof argument);
  }
  void end() {
    kernel.request_stop();
    kernel.join(deadline::in(std::chrono::minutes(1)));
  }
  std::array<int, 3> counts() const { return {begun[0], begun[1], begun[2]}; }

  std::array<std::atomic<int>, 3> begun{};
  resident_kernel kernel;
};

/// For a test that is a process: says what is wrong, if anything, and ends it.
[[noreturn]] void end_with(std::string const& complaint) {
  std::cerr << (complaint.empty() ? "all is well" : complaint) << std::endl;
  std::_Exit(complaint.empty() ? 0 : 1);
}

struct server_apart : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(server_apart, runs_beside_its_workers_again_and_again) {
  if (cores_of_process().usable < 2) GTEST_SKIP() << "needs two cores";
  auto const test = [] {
    apart two("host:2");
    for (int run = 1; run <= 3; ++run) {
      if (!two.start(1)) end_with("it says that kernels run one at a time");
      if (two.kernel.blocks() != 2 || !two.kernel.running()) end_with("it does not run");
      two.end();
      if (two.counts() != std::array{run, run, 0}) end_with("not one server and one worker a run");
      if (two.kernel.running() || two.kernel.claimed()) end_with("it did not end");
    }
    end_with("");
  };
  EXPECT_EXIT(test(), testing::ExitedWithCode(0), "all is well");
}

/// Starts and ends it; says what is wrong, if its servers and workers are not so many.
std::string complaint_about(apart& run, std::array<int, 3> expected, std::uint32_t asked) {
  for (std::size_t i = 0; i < expected.size(); ++i) run.begun[i] = 0;
  if (!run.start(asked)) return "it says that kernels run one at a time";
  auto const servers = run.kernel.servers(), blocks = run.kernel.blocks();
  run.end();
  if (run.counts() != expected) return "not the servers and workers that were expected";
  if (servers != std::uint32_t(expected[as_server])) return "it tells another number of servers";
  return blocks == std::uint32_t(expected[as_worker]) + 1 ? "" : "it counts more servers than the first";
}

TEST_F(server_apart, is_several_blocks_beside_as_many_workers_if_these_have_room) {
  if (cores_of_process().usable < 2) GTEST_SKIP() << "needs two cores";
  auto const test = [] {
    apart several("host:5", {.blocks = 3, .servers = {3, 3}, .multiprocessors = 5});
    end_with(complaint_about(several, {3, 2, 0}, 3));
  };
  EXPECT_EXIT(test(), testing::ExitedWithCode(0), "all is well");
}

TEST_F(server_apart, is_as_many_blocks_in_each_run_as_that_run_asks_for_within_its_limits) {
  if (cores_of_process().usable < 2) GTEST_SKIP() << "needs two cores";
  auto const test = [] {
    captured_log log;
    apart several("host:6", {.blocks = 3, .servers = {1, 3}, .multiprocessors = 6});
    auto const max_blocks = several.kernel.max_blocks();
    std::string complaint;
    std::pair<std::uint32_t, int> const runs[] = {{0, 1}, {3, 3}, {2, 2}, {9, 3}, {1, 1}};
    for (auto const& [asked, given] : runs)
      if (complaint.empty()) complaint = complaint_about(several, {given, 2, 0}, asked);
    if (log.lines().find("with 3 of 3 servers") == std::string::npos) end_with("the log: " + log.lines());
    end_with(max_blocks == 3 ? complaint : "servers beyond the first count as its blocks");
  };
  EXPECT_EXIT(test(), testing::ExitedWithCode(0), "all is well");
}

// Each server beyond the first costs one of 16 workers.
TEST_F(server_apart, is_fewer_blocks_than_asked_where_the_workers_would_lose_over_an_eighth) {
  if (cores_of_process().usable < 2) GTEST_SKIP() << "needs two cores";
  auto const test = [] {
    apart several("host:18", {.blocks = 0, .servers = {1, 4}, .multiprocessors = 17});
    end_with(complaint_about(several, {3, 14, 0}, 4));
  };
  EXPECT_EXIT(test(), testing::ExitedWithCode(0), "all is well");
}

TEST_F(server_apart, is_fewer_blocks_where_so_many_leave_the_workers_no_room) {
  if (cores_of_process().usable < 2) GTEST_SKIP() << "needs two cores";
  auto const test = [] {
    apart several("host:4", {.blocks = 3, .servers = {4, 4}, .multiprocessors = 4});
    end_with(complaint_about(several, {2, 2, 0}, 4));
  };
  EXPECT_EXIT(test(), testing::ExitedWithCode(0), "all is well");
}

TEST_F(server_apart, is_fewer_blocks_where_others_have_the_room_of_so_many_and_the_log_says_so) {
  if (cores_of_process().usable < 2) GTEST_SKIP() << "needs two cores";
  auto const test = [] {
    captured_log log;
    apart several("host:5", {.blocks = 3, .servers = {3, 3}, .left_to_servers = 1, .multiprocessors = 5});
    auto const complaint = complaint_about(several, {1, 2, 0}, 3);
    if (log.lines().find("with 1 of 3 servers") == std::string::npos) end_with("the log: " + log.lines());
    end_with(complaint);
  };
  EXPECT_EXIT(test(), testing::ExitedWithCode(0), "all is well");
}

TEST_F(server_apart, gives_way_to_a_block_that_serves_where_kernels_run_one_at_a_time) {
  auto const test = [] {
    apart two("host:1");
    if (two.start(1)) end_with("two kernels ran on one core");
    if (two.kernel.claimed()) end_with("it has not ended");
    if (two.counts()[as_server] != 1 || two.counts()[as_either] != 0) end_with("the server did not try");
    end_with("");
  };
  EXPECT_EXIT(test(), testing::ExitedWithCode(0), "all is well");
}

TEST_F(server_apart, is_a_block_of_the_workers_kernel_where_launches_wait_for_their_end) {
  if (cores_of_process().usable < 2) GTEST_SKIP() << "needs two cores";
  auto const test = [] {
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    apart one("host:2");
    if (!one.start(1)) end_with("it says that kernels run one at a time");
    one.end();
    if (one.counts() != std::array{0, 0, 2}) end_with("not two blocks of one kernel");
    end_with("");
  };
  EXPECT_EXIT(test(), testing::ExitedWithCode(0), "all is well");
}

}  // namespace
}  // namespace ballast::test
