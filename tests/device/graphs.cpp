// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "every_device.hpp"
#include "held_stream.hpp"
#include "plain_kernels.hpp"

namespace ballast::test {
namespace {

using graphs = every_gpu;
using testing::ElementsAre;
using testing::HasSubstr;

// Numbers to whose ends the launches of a graph append digits: one number per branch.
class written_numbers {
 public:
  written_numbers(std::shared_ptr<compute_device> const& device, std::size_t count)
      : numbers_(device, count) {
    clear();
  }

  void clear() {
    for (auto& number : numbers_.span()) number = 0;
  }
  // The addresses stay valid and what they hold unchanged until the numbers go.
  void* const* appending(std::size_t which, std::uint64_t digit) {
    auto& kept = kept_.emplace_back();
    kept.number = &numbers_[which];
    kept.digit = digit;
    kept.addresses[0] = &kept.number;
    kept.addresses[1] = &kept.digit;
    return kept.addresses;
  }
  plain_launch append(std::size_t which, std::uint64_t digit) {
    return {append_digit_function(), {1, 1}, appending(which, digit), "append_digit"};
  }
  // What was passed may go once it was copied: makes it useless.
  void forget_arguments() {
    for (auto& kept : kept_) kept = {};
  }
  std::vector<std::uint64_t> read() const { return {numbers_.span().begin(), numbers_.span().end()}; }

 private:
  struct arguments {
    std::uint64_t* number = nullptr;
    std::uint64_t digit = 0;
    void* addresses[2] = {};
  };

  pinned_buffer<std::uint64_t> numbers_;
  std::deque<arguments> kept_;
};

std::vector<graph_branch> two_branches(written_numbers& numbers) {
  return {{{numbers.append(0, 1), numbers.append(0, 2), numbers.append(0, 3)}},
          {{numbers.append(1, 4), numbers.append(1, 5)}}};
}

// Nothing is left to allocate when a kernel stays on the device.
std::unique_ptr<launch_graph> uploaded(compute_device& device, std::vector<graph_branch> const& branches) {
  auto graph = device.make_graph(branches);
  auto const work = device.make_stream();
  graph->upload(*work);
  work->synchronize();
  return graph;
}

std::vector<std::uint64_t> numbers_after(launch_graph& graph, stream& work, written_numbers& numbers) {
  numbers.clear();
  graph.launch(work);
  work.synchronize();
  return numbers.read();
}

void expect_refused(std::string const& argument, auto const& call) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown instead of a bad " << argument;
  } catch (bad_argument const& refusal) { EXPECT_EQ(refusal.argument(), argument); }
}

TEST(host_graphs, are_refused_for_gpus_run_them_only) {
  auto const device = open_devices("host:1").front();
  std::vector<graph_branch> const branches{{{{do_nothing_function(), {1, 1}, nullptr, "do_nothing"}}}};
  try {
    device->make_graph(branches);
    ADD_FAILURE() << "nothing was thrown";
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(refusal.argument(), "device");
    EXPECT_EQ(refusal.value(), "host:1");
    EXPECT_THAT(refusal.legal(), HasSubstr("a GPU: the plain __global__ functions of a graph"));
  }
}

TEST_F(graphs, run_the_launches_of_each_branch_in_order) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 2);
    auto const graph = device->make_graph(two_branches(numbers));
    numbers.forget_arguments();
    EXPECT_EQ(graph->branches(), 2u);
    EXPECT_EQ(graph->launches(0), 3u);
    EXPECT_EQ(graph->launches(1), 2u);
    auto const work = device->make_stream();
    graph->upload(*work);
    EXPECT_THAT(numbers_after(*graph, *work, numbers), ElementsAre(123, 45));
    EXPECT_THAT(numbers_after(*graph, *work, numbers), ElementsAre(123, 45));
  }
}

TEST_F(graphs, begin_a_branch_when_those_that_it_comes_after_have_ended) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 2);
    auto branches = two_branches(numbers);
    branches.push_back({{numbers.append(0, 8), numbers.append(1, 9)}, {0, 1}});
    branches.push_back({{numbers.append(1, 7)}, {2}});
    auto const graph = device->make_graph(branches);
    auto const work = device->make_stream();
    for (int times = 0; times < 20; ++times)
      EXPECT_THAT(numbers_after(*graph, *work, numbers), ElementsAre(1238, 4597));
    graph->set_arguments(2, 0, numbers.appending(0, 6));
    EXPECT_THAT(numbers_after(*graph, *work, numbers), ElementsAre(1236, 4597));
  }
}

TEST_F(graphs, run_behind_what_was_enqueued_before_and_before_what_follows) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 2);
    auto const graph = uploaded(*device, two_branches(numbers));
    held_stream held(device);
    graph->launch(held.get());
    held.get().launch_plain(numbers.append(0, 9));
    held.await_start();
    EXPECT_THAT(numbers.read(), ElementsAre(0, 0));
    held.release();
    held.get().synchronize();
    EXPECT_THAT(numbers.read(), ElementsAre(1239, 45));
  }
}

TEST_F(graphs, never_overlap_themselves_in_whichever_streams) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 2);
    auto const graph = device->make_graph(two_branches(numbers));
    auto const first = device->make_stream(), second = device->make_stream();
    for (int times = 0; times < 3; ++times) {
      graph->launch(*first);
      graph->launch(*second);
    }
    first->synchronize();
    second->synchronize();
    EXPECT_THAT(numbers.read(), ElementsAre(123123123123123123, 454545454545));
  }
}

TEST_F(graphs, change_the_arguments_of_one_launch_and_of_no_other) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 2);
    auto const graph = device->make_graph(two_branches(numbers));
    auto const work = device->make_stream();
    graph->set_arguments(0, 1, numbers.appending(0, 7));
    numbers.forget_arguments();
    EXPECT_THAT(numbers_after(*graph, *work, numbers), ElementsAre(173, 45));
    graph->set_arguments(1, 0, numbers.appending(1, 8));
    EXPECT_THAT(numbers_after(*graph, *work, numbers), ElementsAre(173, 85));
  }
}

TEST_F(graphs, keep_the_arguments_of_launches_that_wait_already) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 2);
    auto const graph = uploaded(*device, two_branches(numbers));
    held_stream held(device);
    graph->launch(held.get());
    graph->set_arguments(0, 2, numbers.appending(0, 8));
    held.release();
    held.get().synchronize();
    EXPECT_THAT(numbers.read(), ElementsAre(123, 45));
    EXPECT_THAT(numbers_after(*graph, held.get(), numbers), ElementsAre(128, 45));
  }
}

TEST_F(graphs, give_a_launch_its_shape_and_its_shared_memory) {
  for (auto const& device : devices_) {
    constexpr std::uint32_t blocks = 20;
    std::uint32_t bytes = 150 * 1024;
    pinned_buffer<std::uint32_t> sums(device, blocks);
    auto* at = sums.data();
    void* const arguments[] = {&at, &bytes};
    std::vector<graph_branch> const branches{
        {{{sum_shared_function(), {blocks, 64, bytes}, arguments, "sum_shared"}}}};
    auto const graph = device->make_graph(branches);
    auto const work = device->make_stream();
    graph->launch(*work);
    work->synchronize();
    for (std::uint32_t block = 0; block < blocks; ++block) EXPECT_EQ(sums[block], bytes * block);
  }
}

TEST_F(graphs, run_in_adopted_streams_and_may_go_before_they_have_ended) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 2);
    auto graph = device->make_graph(two_branches(numbers));
    auto const own = device->make_stream();
    auto const adopted = device->adopt_stream(own->native());
    for (int times = 0; times < 3; ++times) graph->launch(*adopted);
    graph.reset();
    own->synchronize();
    EXPECT_THAT(numbers.read(), ElementsAre(123123123, 454545));
  }
}

TEST_F(graphs, refuse_what_they_do_not_hold_and_streams_of_other_devices) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 2);
    auto const graph = device->make_graph(two_branches(numbers));
    auto* const arguments = numbers.appending(0, 7);
    expect_refused("branch", [&] { graph->launches(2); });
    expect_refused("branch", [&] { graph->set_arguments(2, 0, arguments); });
    expect_refused("index", [&] { graph->set_arguments(1, 2, arguments); });
    auto const elsewhere = open_devices("host:1").front()->make_stream();
    expect_refused("on", [&] { graph->launch(*elsewhere); });
    expect_refused("on", [&] { graph->upload(*elsewhere); });
    auto const work = device->make_stream();
    EXPECT_THAT(numbers_after(*graph, *work, numbers), ElementsAre(123, 45));
  }
}

TEST_F(graphs, of_nothing_are_refused) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 1);
    expect_refused("branches", [&] { device->make_graph({}); });
    std::vector<graph_branch> const one_is_empty{{{numbers.append(0, 1)}}, {}};
    expect_refused("branches", [&] { device->make_graph(one_is_empty); });
    std::vector<graph_branch> const no_function{{{plain_launch{}}}};
    expect_refused("function", [&] { device->make_graph(no_function); });
  }
}

TEST_F(graphs, with_a_branch_after_itself_or_a_later_one_are_refused) {
  for (auto const& device : devices_) {
    written_numbers numbers(device, 2);
    for (std::size_t const before : {0u, 1u, 2u}) {
      auto branches = two_branches(numbers);
      branches[0].after = {before};
      expect_refused("branches", [&] { device->make_graph(branches); });
    }
  }
}

TEST_F(graphs, of_a_bad_shape_are_refused_and_leave_the_device_sound) {
  for (auto const& device : devices_) {
    std::vector<graph_branch> const branches{{{{do_nothing_function(), {1, 1025}, nullptr, "do_nothing"}}}};
    try {
      device->make_graph(branches);
      ADD_FAILURE() << "nothing was thrown";
    } catch (device_lost const& loss) { ADD_FAILURE() << loss.what(); } catch (error const& refused) {
      EXPECT_THAT(refused.what(), HasSubstr(device->name() + ": cuGraphAddKernelNode"));
    }
    written_numbers numbers(device, 2);
    auto const graph = device->make_graph(two_branches(numbers));
    auto const work = device->make_stream();
    EXPECT_THAT(numbers_after(*graph, *work, numbers), ElementsAre(123, 45));
  }
}

}  // namespace
}  // namespace ballast::test
