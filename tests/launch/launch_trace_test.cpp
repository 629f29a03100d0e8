// SPDX-License-Identifier: Apache-2.0
#include "dispatch_stream.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "ballast/error.hpp"
#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

launch_content content_of(std::vector<std::string_view> const& kernels) {
  launch_content content;
  for (auto const kernel : kernels) content.add_kernel(kernel);
  return content;
}

TEST(label_of_a_launch, is_its_kernels_name_or_how_many_were_merged) {
  EXPECT_EQ(content_of({"scale"}).label(), "scale");
  EXPECT_EQ(content_of({"scale", "scale", "scale"}).label(), "merged: 3 kernels of scale");
  EXPECT_EQ(content_of({"scale", "mix"}).label(), "merged: 2 kernels of scale and others");
  EXPECT_EQ(content_of({""}).label(), "plain launch");
}

TEST(spans_of_a_stream, follow_each_other_as_long_as_their_launches_told_or_since_their_issue) {
  auto const spans = spans_of_stream({{.what = content_of({"untold"}), .issued_ns = 10},
                                      {.what = content_of({"told"}), .issued_ns = 20, .device_ns = 30},
                                      {.what = content_of({"last"}), .issued_ns = 60}},
                                     5, 100);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].begin_ns, 10);
  EXPECT_EQ(spans[0].end_ns, 30);
  EXPECT_EQ(spans[1].begin_ns, 30);
  EXPECT_EQ(spans[1].end_ns, 60);
  EXPECT_EQ(spans[2].begin_ns, 60);
  EXPECT_EQ(spans[2].end_ns, 100);
}

TEST(spans_of_a_stream, begin_no_earlier_than_the_stream_was_free_and_never_end_before_they_begin) {
  auto const spans = spans_of_stream({{.what = content_of({"a"}), .issued_ns = 0, .device_ns = 500},
                                      {.what = content_of({"b"}), .issued_ns = 0, .device_ns = 500}},
                                     70, 100);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[1].begin_ns, 70);
  EXPECT_EQ(spans[1].end_ns, 100);
  EXPECT_EQ(spans[0].begin_ns, 70);
  EXPECT_EQ(spans[0].end_ns, 70);
}

std::uint64_t tasks_of(std::vector<span> const& spans) {
  std::uint64_t sum = 0;
  for (auto const& one : spans) sum += one.tasks;
  return sum;
}

TEST(traced_launch_queue, records_each_launch_once_with_its_kernels_name) {
  for (std::string const order : {"adaptive", "held", "passthrough", "resident"}) {
    recorder all({"first"});
    shared_words const visits(1);
    std::uint64_t launches = 0;
    {
      launch_queue queue(first_device(), kernels(), {.order = order, .trace_to = &all});
      std::vector<launch_stream> lines;
      for (int i = 0; i < 8; ++i) lines.push_back(queue.make_launch_stream());
      for (int i = 0; i < 100; ++i)
        for (auto& line : lines) line.launch(count_visits{visits.ref()}, 1);
      queue.wait_all();
      launches = queue.statistics().launches;
    }
    auto const spans = all.snapshot().spans;
    EXPECT_EQ(tasks_of(spans), 800u) << order;
    EXPECT_EQ(spans.size(), launches) << order;
    for (auto const& one : spans) {
      EXPECT_TRUE(one.label.ends_with("count_visits")) << one.label;
      EXPECT_EQ(one.label.starts_with("merged: "), one.tasks > 1) << one.label;
      EXPECT_LE(one.begin_ns, one.end_ns);
    }
  }
}

TEST(traced_launch_queue, shows_merged_launches_as_one_span) {
  recorder all({"first"});
  shared_words const visits(1);
  {
    launch_queue queue(first_device(), kernels(),
                       {.order = "held", .filter_merges = false, .trace_to = &all});
    std::vector<launch_stream> lines;
    queue.pause();
    for (int i = 0; i < 6; ++i) {
      lines.push_back(queue.make_launch_stream());
      lines.back().launch(count_visits{visits.ref()}, 1);
    }
    queue.resume();
    queue.wait_all();
    ASSERT_GT(queue.statistics().merged_launches, 0u);
  }
  auto const spans = all.snapshot().spans;
  EXPECT_EQ(tasks_of(spans), 6u);
  EXPECT_TRUE(std::ranges::any_of(spans, [](span const& one) {
    return one.tasks > 1 && one.label.starts_with("merged: ") && one.label.ends_with("count_visits");
  }));
}

TEST(traced_launch_queue, has_spans_of_callables_and_each_before_its_completion_is_ready) {
  recorder all({"first"});
  shared_words const words(64);
  launch_queue queue(first_device(), kernels(), {.trace_to = &all});
  auto line = queue.make_launch_stream();
  line.launch([&](stream& on) { on.fill(&words[0], 0, 4); }).wait();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.snapshot().spans[0].label, "plain launch");
  line.launch(count_visits{words.ref()}, 3).wait();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.snapshot().spans[1].tasks, 1u);
}

TEST(traced_launch_queue, has_a_line_for_each_device_and_refuses_a_recorder_of_too_few) {
  auto const two = open_devices("host:1,host:1");
  recorder all({"another", "first", "second"});
  {
    launch_queue queue(two, kernels(), {.trace_to = {&all, 1}});
    shared_words const visits(1);
    for (std::size_t d = 0; d < 2; ++d)
      queue.make_launch_stream_on(d).launch(count_visits{visits.ref()}, 1).wait();
  }
  std::vector<std::size_t> of;
  for (auto const& one : all.snapshot().spans) of.push_back(one.device);
  EXPECT_EQ(of, (std::vector<std::size_t>{1, 2}));
  try {
    launch_queue const refused(two, kernels(), {.trace_to = {&all, 2}});
    ADD_FAILURE() << "one device is left";
  } catch (bad_argument const& why) { EXPECT_EQ(why.argument(), "trace_to"); }
}

TEST(traced_launch_queue, tells_on_which_of_as_many_streams_as_were_asked_for_each_launch_was) {
  auto const used = [](std::uint32_t streams) {
    recorder all({"first"});
    shared_words const visits(1);
    {
      launch_queue queue(first_device(), kernels(),
                         {.order = "passthrough", .merge = "none", .streams = streams, .trace_to = &all});
      std::vector<launch_stream> lines;
      for (int i = 0; i < 6; ++i) {
        lines.push_back(queue.make_launch_stream());
        lines.back().launch(count_visits{visits.ref()}, 1);
      }
      queue.wait_all();
    }
    std::set<std::uint32_t> numbers;
    for (auto const& one : all.snapshot().spans) numbers.insert(one.worker);
    return numbers;
  };
  EXPECT_THAT(used(1), testing::ElementsAre(0));
  EXPECT_THAT(used(3), testing::ElementsAre(0, 1, 2));
}

TEST(traced_launch_queue, drops_and_counts_what_a_full_recorder_has_no_room_for) {
  recorder small({"first"}, 2);
  shared_words const visits(1);
  launch_queue queue(first_device(), kernels(), {.trace_to = &small});
  auto line = queue.make_launch_stream();
  for (int i = 0; i < 10; ++i) line.launch(count_visits{visits.ref()}, 1).wait();
  EXPECT_EQ(small.size(), 2u);
  EXPECT_EQ(small.dropped(), 8u);
}

}  // namespace
}  // namespace ballast::test
