// SPDX-License-Identifier: Apache-2.0
#include "device_executor.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "ballast/device.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Those that take data from it look at its progress, and do not try theirs.
TEST(stream_queue, marks_as_failed_what_its_lost_device_did_not_carry_out) {
  auto const device = open_devices("host:1").front();
  auto const waiting = std::make_shared<operation_progress>(op_id(1), op_stream{0, 0}, false);
  event_count wake_event;
  stream_queue queue(*device, 0, wake_event);
  queue.add({waiting, false, {}, {}, [](stream&, task_extent const&) {}, {}});
  queue.close(deadline::in(std::chrono::minutes(1)));
  auto const end = queue.next_end_after_loss(std::make_exception_ptr(std::runtime_error("planted")));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->op, waiting->op());
  EXPECT_TRUE(waiting->has_failed());
}

}  // namespace
}  // namespace ballast::test
