// SPDX-License-Identifier: Apache-2.0
// Plain launches of many launch streams that go out as graphs: on a GPU, and on cores that look like one.
#include "graph_batch.hpp"

#include <chrono>
#include <functional>
#include <optional>

#include "fixture.hpp"
#include "plain_kernels.hpp"
#include "pretended_gpu.hpp"

namespace ballast::test {
using namespace detail;
namespace {

struct described_nothing {
  void operator()(stream&) const {}
  described_launch describe(void**) const { return {}; }
};

TEST(graph_batch, is_due_once_eight_launch_streams_have_offered_something_since_it_looked_last) {
  pretended_gpu device;
  plain_times const times;
  graph_batch batch(device, {}, times);
  launch_stream_table lines(nullptr, {}, std::chrono::minutes(1));
  auto const is_due_after = [&](int offers) {
    for (int i = 0; i < offers; ++i) {
      auto const line = lines.add(0);
      line->chain().next().set_work(described_nothing{});
      line->chain().commit();
      line->offered = true;
      batch.count_offer(*line);
    }
    return batch.is_due();
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(is_due_after(7));
    EXPECT_TRUE(is_due_after(1));
    EXPECT_FALSE(batch.collect({})) << "none of them waits any more";
  }
}

struct tested_place {
  std::shared_ptr<compute_device> device;  // null: there is none
  append_kernel append, other_append;
};

void append_too(std::uint64_t* number, std::uint64_t added) { append(number, added); }

tested_place pretended() { return {std::make_shared<pretended_gpu>(), append, append_too}; }

tested_place gpu() {
  for (auto const& device : devices())
    if (device->is_cuda()) return {device, plain_append(), other_plain_append()};
  return {};
}

/// Launch streams with a number each, to which their launches append.
class launches_in_graphs : public testing::TestWithParam<tested_place (*)()> {
 protected:
  static constexpr std::uint32_t launch_streams = 64, launches = 8;
  using added_by_launch = std::function<std::uint64_t(std::uint32_t round, std::uint32_t launch)>;

  void SetUp() override {
    place_ = GetParam()();
    if (place_.device == nullptr) GTEST_SKIP() << "needs a GPU";
    numbers_.emplace(place_.device, launch_streams);
    std::ranges::fill(numbers_->span(), 0u);
    expected_.assign(launch_streams, 0);
    open({});
  }
  void open(launch_options const& options) {
    lines_.clear();
    queue_.reset();
    queue_.emplace(device_list{place_.device}, options);
    for (std::uint32_t p = 0; p < launch_streams; ++p) lines_.push_back(queue_->make_launch_stream());
  }

  void launch(std::uint32_t p, std::uint64_t added) { launch_on(p, lines_[p], added); }
  void launch(append_kernel kernel, std::uint32_t p, std::uint64_t added) {
    append(&expected_[p], added);
    lines_[p].launch(kernel, 1, 1, &(*numbers_)[p], added);
  }
  void launch_on(std::uint32_t number, launch_stream& line, std::uint64_t added) {
    append(&expected_[number], added);
    line.launch(place_.append, 1, 1, &(*numbers_)[number], added);
  }
  /// `submit` while the queue is paused, so that all waits at once; then until all has finished.
  void together(std::function<void()> const& submit) {
    queue_->pause();
    submit();
    queue_->resume();
    queue_->wait_all();
    expect_each_once_and_in_order();
  }
  void rounds(std::uint32_t count, added_by_launch const& added) {
    for (std::uint32_t round = 0; round < count; ++round)
      together([&] {
        for (std::uint32_t p = 0; p < launch_streams; ++p)
          for (std::uint32_t i = 0; i < launches; ++i) launch(p, p + added(round, i));
      });
  }
  void expect_each_once_and_in_order() {
    EXPECT_EQ(std::vector(numbers_->span().begin(), numbers_->span().end()), expected_);
  }
  launch_statistics statistics() const { return queue_->statistics(); }

  tested_place place_;
  std::optional<pinned_buffer<std::uint64_t>> numbers_;
  std::vector<std::uint64_t> expected_;
  std::optional<launch_queue> queue_;
  std::vector<launch_stream> lines_;
};

std::string test_name(testing::TestParamInfo<tested_place (*)()> const& tested) {
  return tested.param == pretended ? "cores" : "a_gpu";
}

INSTANTIATE_TEST_SUITE_P(on, launches_in_graphs, testing::Values(pretended, gpu), test_name);

std::uint64_t the_same(std::uint32_t, std::uint32_t launch) { return launch; }

TEST_P(launches_in_graphs, go_out_as_one_graph_from_the_third_time_on) {
  rounds(2, the_same);
  EXPECT_EQ(statistics().graphs_built, 0u);
  EXPECT_EQ(statistics().launches, 2 * launch_streams * launches);
  rounds(5, the_same);
  EXPECT_EQ(statistics().graphs_built, 1u);
  EXPECT_EQ(statistics().graph_launches, 5u);
  EXPECT_EQ(statistics().graph_kernels, 5 * launch_streams * launches);
  EXPECT_EQ(statistics().graph_arguments_set, 0u);
  EXPECT_EQ(statistics().kernels, 7 * launch_streams * launches);
  EXPECT_EQ(statistics().launches, 2 * launch_streams * launches + 5);
}

TEST_P(launches_in_graphs, have_only_those_arguments_set_that_have_changed) {
  auto const third_differs = [](std::uint32_t round, std::uint32_t i) { return i == 3 ? 100 + round : i; };
  rounds(7, third_differs);
  EXPECT_EQ(statistics().graphs_built, 1u);
  EXPECT_EQ(statistics().graph_launches, 5u);
  EXPECT_EQ(statistics().graph_arguments_set, 4 * launch_streams);
}

TEST_P(launches_in_graphs, may_have_all_their_arguments_changed) {
  rounds(8, [](std::uint32_t round, std::uint32_t i) { return 1000 * round + i; });
  EXPECT_EQ(statistics().graphs_built, 1u);
  EXPECT_EQ(statistics().kernels, 8 * launch_streams * launches);
}

TEST_P(launches_in_graphs, match_whichever_launch_streams_they_are_of) {
  for (std::uint32_t round = 0; round < 6; ++round)
    together([&] {
      for (std::uint32_t p = 0; p < launch_streams; ++p)
        for (std::uint32_t i = 0; i < launches; ++i)
          launch((p + round) % 2 == 0 ? place_.append : place_.other_append, p, 7);
    });
  EXPECT_EQ(statistics().graphs_built, 1u);
}

TEST_P(launches_in_graphs, are_at_most_sixteen_of_a_launch_stream_and_the_rest_follows) {
  for (std::uint32_t round = 0; round < 6; ++round)
    together([&] {
      for (std::uint32_t i = 0; i < 20; ++i)
        for (std::uint32_t p = 0; p < launch_streams; ++p) launch(p, i);
    });
  EXPECT_GE(statistics().graph_launches, 4u);
  EXPECT_EQ(statistics().kernels, 6 * 20 * launch_streams);
}

TEST_P(launches_in_graphs, end_where_a_launch_waits_for_that_of_another_launch_stream) {
  for (std::uint32_t round = 0; round < 6; ++round)
    together([&] {
      for (std::uint32_t p = launch_streams; p-- > 0;) {
        for (std::uint32_t i = 0; i < launches; ++i) launch(p, i);
        if (p + 1 == launch_streams) continue;
        lines_[p].after(lines_[p + 1].last());
        launch_on(p + 1, lines_[p], 99);
      }
    });
  EXPECT_GE(statistics().graph_launches, 4u);
  EXPECT_EQ(statistics().kernels, 6 * ((launches + 1) * launch_streams - 1));
}

TEST_P(launches_in_graphs, end_where_something_else_is_launched) {
  for (std::uint32_t round = 0; round < 6; ++round)
    together([&] {
      for (std::uint32_t p = 0; p < launch_streams; ++p) {
        for (std::uint32_t i = 0; i < launches; ++i) launch(p, i);
        lines_[p].launch([](stream&) {});
        for (std::uint32_t i = 0; i < launches; ++i) launch(p, 50 + i);
      }
    });
  EXPECT_GE(statistics().graph_launches, 4u);
  EXPECT_EQ(statistics().kernels, 6 * (2 * launches + 1) * launch_streams);
}

TEST_P(launches_in_graphs, are_carried_out_though_their_launch_streams_are_gone) {
  for (std::uint32_t round = 0; round < 5; ++round) {
    together([&] {
      for (std::uint32_t p = 0; p < launch_streams; ++p)
        for (std::uint32_t i = 0; i < launches; ++i) launch(p, i);
      lines_.clear();
    });
    for (std::uint32_t p = 0; p < launch_streams; ++p) lines_.push_back(queue_->make_launch_stream());
  }
  // At least one: later ones have other arguments, which slow cores set in no less time than launching takes.
  EXPECT_GE(statistics().graph_launches, 1u);
  EXPECT_EQ(statistics().kernels, 5 * launch_streams * launches);
}

TEST_P(launches_in_graphs, fail_alone_if_one_of_them_cannot_be_launched) {
  for (std::uint32_t round = 0; round < 5; ++round) {
    lines_[5] = queue_->make_launch_stream();
    completion wrong;
    together([&] {
      for (std::uint32_t i = 0; i < launches; ++i)
        for (std::uint32_t p = 0; p < launch_streams; ++p)
          if (p != 5) launch(p, i);
      for (std::uint32_t i = 0; i < launches; ++i)
        wrong = lines_[5].launch(place_.append, 1, 1025, &(*numbers_)[5], std::uint64_t{1});
    });
    EXPECT_THROW(wrong.wait(), error);
  }
  EXPECT_EQ(statistics().graphs_built, 0u);
}

TEST_P(launches_in_graphs, are_not_if_the_options_say_so) {
  for (auto const& options : {launch_options{.graphs = false}, launch_options{.order = "held"},
                              launch_options{.key = "priority"}}) {
    open(options);
    rounds(5, the_same);
    EXPECT_EQ(statistics().graphs_built, 0u);
    EXPECT_EQ(statistics().kernels, 5 * launch_streams * launches);
  }
}

TEST_P(launches_in_graphs, are_issued_one_by_one_if_they_are_few) {
  for (std::uint32_t round = 0; round < 100; ++round)
    together([&] {
      for (std::uint32_t p = 0; p < 7; ++p)
        for (std::uint32_t i = 0; i < launches; ++i) launch(p, i);
    });
  EXPECT_EQ(statistics().graphs_built, 0u);
}

TEST_P(launches_in_graphs, are_built_from_eight_launch_streams_on) {
  for (std::uint32_t round = 0; round < 10; ++round)
    together([&] {
      for (std::uint32_t p = 0; p < 8; ++p)
        for (std::uint32_t i = 0; i < 2 * launches; ++i) launch(p, i);
    });
  EXPECT_EQ(statistics().graphs_built, 1u);
}

TEST_P(launches_in_graphs, are_built_only_while_no_kernel_is_resident) {
  auto const first = place_.device->claim_resident({.holder = "the test"});
  auto const second = place_.device->claim_resident({.holder = "the test, again"});
  place_.device->release_resident(first);
  rounds(5, the_same);
  EXPECT_EQ(statistics().graphs_built, 0u);
  place_.device->release_resident(second);
  rounds(1, the_same);
  EXPECT_EQ(statistics().graphs_built, 1u);
}

TEST_P(launches_in_graphs, keep_their_order_in_bursts_without_a_pause) {
  for (std::uint32_t round = 0; round < 20; ++round) {
    for (std::uint32_t p = 0; p < launch_streams; ++p)
      for (std::uint32_t i = 0; i < launches; ++i) launch(p, round + i);
    if (round % 4 == 3) queue_->wait_all();
  }
  expect_each_once_and_in_order();
  EXPECT_EQ(statistics().kernels, 20 * launch_streams * launches);
}

}  // namespace
}  // namespace ballast::test
