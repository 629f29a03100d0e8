// SPDX-License-Identifier: Apache-2.0
#include "run/device_executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ballast/device.hpp"
#include "noting_device.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::ElementsAre;

/// Those that take data from it look at its progress, and do not try theirs.
TEST(stream_queue, marks_as_failed_what_its_lost_device_did_not_carry_out) {
  auto const device = open_devices("host:1").front();
  auto const waiting = std::make_shared<operation_progress>(op_id(1), op_stream{0, 0}, backend::host);
  event_count wake_event;
  stream_queue queue(*device, 0, wake_event);
  queue.add({waiting, false, {}, {}, [](stream&, task_extent const&) {}, {}});
  queue.close(deadline::in(std::chrono::minutes(1)));
  auto const end = queue.next_end_after_loss(std::make_exception_ptr(std::runtime_error("planted")));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->op, waiting->op());
  EXPECT_TRUE(waiting->has_failed());
}

/// What the stream of a queue is asked for to carry out a copy of one byte, and the end that is told of it.
struct carried_out {
  explicit carried_out(bool is_timed, bool looks_like_a_gpu = false,
                       std::exception_ptr const& failure = nullptr, bool is_sequence = false) {
    auto const cores = open_devices("host:1").front();
    noting_device device(cores, looks_like_a_gpu ? device_spec{.kind = backend::cuda} : cores->spec(), "one");
    auto const on_device = device.make_stream();
    std::shared_ptr<event> const origin = on_device->record();
    on_device->synchronize();
    core_clock const clock(origin, 1);
    device.notes().take();
    event_count wake_event;
    stream_queue queue(device, 0, wake_event);
    char from = 1, to = 0;
    queue.add(
        {.progress = std::make_shared<operation_progress>(op_id(1), op_stream{0, 0}, device.spec().kind),
         .is_timed = is_timed,
         .enqueue =
             [&](stream& on, task_extent const&) {
               enqueued_ns = now_ns();
               on.copy(&to, &from, 1);
               if (failure) std::rethrow_exception(failure);
             },
         .is_sequence = is_sequence});
    queue.issue_next();
    asked = device.notes().take();
    while (!(end = queue.next_end(clock))) std::this_thread::yield();
  }

  std::vector<std::string> asked;
  std::optional<ended_operation> end;
  std::int64_t enqueued_ns = 0;  ///< when the copy was
};

TEST(stream_queue, records_a_beginning_only_of_what_is_timed_on_cores) {
  constexpr auto event = "records an event", copy = "copies 1 bytes";
  EXPECT_THAT(carried_out(true).asked, ElementsAre(event, copy, event));
  EXPECT_THAT(carried_out(false).asked, ElementsAre(copy, event));
  EXPECT_THAT(carried_out(true, true).asked, ElementsAre(copy, event));
  EXPECT_THAT(carried_out(false, true).asked, ElementsAre(copy, event));
}

TEST(stream_queue, tells_times_only_of_what_is_timed_and_ended_well) {
  for (bool const looks_like_a_gpu : {false, true}) {
    EXPECT_GT(carried_out(true, looks_like_a_gpu).end->begin_ns, 0);
    auto const untimed = *carried_out(false, looks_like_a_gpu).end;
    EXPECT_EQ(untimed.begin_ns, 0);
    EXPECT_EQ(untimed.end_ns, 0);
    auto const failed =
        *carried_out(true, looks_like_a_gpu, std::make_exception_ptr(std::runtime_error("planted"))).end;
    EXPECT_TRUE(failed.failure);
    EXPECT_EQ(failed.begin_ns, 0);
    EXPECT_EQ(failed.end_ns, 0);
  }
}

TEST(stream_queue, counts_the_time_in_which_a_sequence_is_enqueued_on_a_gpu) {
  carried_out const one(true, true), sequence(true, true, nullptr, true);
  EXPECT_GE(one.end->begin_ns, one.enqueued_ns);
  EXPECT_LE(sequence.end->begin_ns, sequence.enqueued_ns);
}

}  // namespace
}  // namespace ballast::test
