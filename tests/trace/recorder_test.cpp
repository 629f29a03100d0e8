// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "ballast/error.hpp"

namespace {

using ballast::bad_argument;
using ballast::recorder;
using ballast::span;

span on_device(std::size_t device, std::int64_t begin = 0, std::int64_t end = 1) {
  return {.device = device, .label = "k", .begin_ns = begin, .end_ns = end};
}

TEST(trace_recorder, keeps_spans_in_the_order_in_which_they_came) {
  recorder all({"host:1#0", "host:1#1"});
  all.record(on_device(1));
  all.record(std::vector{on_device(0), on_device(1, 5, 9)});
  auto const seen = all.snapshot();
  EXPECT_EQ(seen.devices, (std::vector<std::string>{"host:1#0", "host:1#1"}));
  EXPECT_EQ(seen.spans, (std::vector{on_device(1), on_device(0), on_device(1, 5, 9)}));
  EXPECT_EQ(seen.dropped, 0u);
}

TEST(trace_recorder, counts_what_finds_it_full) {
  recorder small({"host"}, 2);
  small.record(std::vector{on_device(0), on_device(0), on_device(0)});
  small.record(on_device(0));
  EXPECT_EQ(small.size(), 2u);
  EXPECT_EQ(small.dropped(), 2u);
}

TEST(trace_recorder, starts_again_after_clear) {
  recorder small({"host"}, 1);
  small.record(std::vector{on_device(0), on_device(0)});
  small.clear();
  EXPECT_EQ(small.dropped(), 0u);
  small.record(on_device(0, 3, 4));
  EXPECT_EQ(small.snapshot().spans, (std::vector{on_device(0, 3, 4)}));
}

TEST(trace_recorder, refuses_a_batch_whole_if_one_span_is_illegal) {
  recorder all({"host"});
  EXPECT_THROW(all.record(std::vector{on_device(0), on_device(1)}), bad_argument);
  EXPECT_THROW(all.record(on_device(0, 2, 1)), bad_argument);
  EXPECT_EQ(all.size(), 0u);
}

TEST(trace_recorder, refuses_no_device_and_no_capacity) {
  EXPECT_THROW(recorder({}), bad_argument);
  EXPECT_THROW(recorder({"host"}, 0), bad_argument);
}

TEST(trace_recorder, loses_nothing_that_many_threads_record_at_once) {
  constexpr std::size_t threads = 4, each = 2000, capacity = 5000;
  recorder shared({"host"}, capacity);
  std::vector<std::thread> writers;
  for (std::size_t t = 0; t < threads; ++t) {
    writers.emplace_back([&shared] {
      for (std::size_t i = 0; i < each; ++i) shared.record(on_device(0));
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(shared.size(), capacity);
  EXPECT_EQ(shared.dropped(), threads * each - capacity);
}

}  // namespace
