// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "ballast/base/error.hpp"
#include "job_fixture.hpp"
#include "kept_log.hpp"

namespace ballast::test {
namespace {

using testing::HasSubstr;

/// The one worker of a device, claimed and held as a queue's resident kernel does.
class held_worker {
 public:
  explicit held_worker(std::shared_ptr<compute_device> device)
      : device_(std::move(device)), gate_({device_}), stream_(device_->make_stream()) {
    device_->claim_resident("the kernel of the test");
    auto const word = gate_.ref();
    stream_->launch_cooperative({.name = "hold", .host_function = hold, .threads = 32}, 1, &word,
                                sizeof word);
  }
  void let_go() {
    gate_.open();
    stream_->synchronize();
    device_->give_back_resident();
  }

 private:
  static void hold(void const* argument, host_lane&) {
    auto const word = *static_cast<array_ref<std::uint32_t> const*>(argument);
    while (atomic_ref<std::uint32_t, scope::system>(word[0]).load_acquire() == 0) std::this_thread::yield();
  }

  std::shared_ptr<compute_device> device_;
  gate gate_;
  std::unique_ptr<stream> stream_;
};

/// A job whose kernel was issued and cannot begin, of a scheduler that goes without patience. Returns what
/// the ticket's wait said.
std::string wait_in_vain(std::shared_ptr<compute_device> const& device, array_ref<std::uint32_t> open) {
  job_scheduler jobs({device}, kernels(), {.device_bytes = enough_device_bytes, .patience = {}});
  words from(jobs, {4}), to(jobs, {4});
  number(from);
  auto const ticket =
      jobs.submit({.grid = 4, .name = "late"}, reads(from), writes(to), [=](auto in, auto out) {
        return copy_behind_gate{open, in, out};
      });
  std::string state;
  while (state.find("is a kernel on host:1, issued") == state.npos) {
    try {
      ticket.wait(deadline::in(std::chrono::milliseconds(1)));
      return "no deadline passed";
    } catch (deadline_passed const& late) { state = late.state(); }
  }
  return state;
}

TEST(job_on_a_held_device, is_told_who_holds_it_and_leaves_its_memory_to_the_kernel_that_comes_later) {
  auto const device = open_devices("host:1").front();
  static auto const* const open = new gate({device});  // nobody can await the kernel that looks at it
  open->open();
  kept_log log;
  held_worker worker(device);
  auto const owners_before = device.use_count();
  EXPECT_THAT(wait_in_vain(device, open->ref()), HasSubstr("host:1 is held by the kernel of the test"));
  EXPECT_GT(device.use_count(), owners_before) << "the memory was freed";
  EXPECT_THAT(log.lines(), HasSubstr("left behind"));
  EXPECT_THAT(log.lines(), HasSubstr("the kernel of the test"));
  worker.let_go();
}

}  // namespace
}  // namespace ballast::test
