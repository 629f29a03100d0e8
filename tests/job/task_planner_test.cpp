// SPDX-License-Identifier: Apache-2.0
#include "arrays/task_planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "invented_links_in_use.hpp"
#include "invented_machine.hpp"

namespace ballast::test::task_planner_test {
using namespace detail;
namespace {

using testing::IsEmpty;

constexpr place_id host{0};
constexpr std::size_t mebibyte = std::size_t(1) << 20;

std::vector<std::uint32_t> from_to(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> all;
  for (auto place = first; place <= last; ++place) all.push_back(place);
  return all;
}

/// An array that every task reads, as a scheduler plans its copies.
class read_by_all {
 public:
  read_by_all(copy_links const& links, std::size_t bytes)
      : bytes_(region({{0, bytes}}), extents{bytes}, 1),
        directory_(bytes, links.places(), ops_),
        sources_(links),
        planner_(ops_, sources_,
                 [](place_id, place_id to) {
                   return op_stream{to.value(), 0};
                 }),
        in_use_(links) {}

  /// The devices' first tasks are planned together.
  void begin(std::vector<std::uint32_t> const& devices) {
    std::vector<shared_reader> readers;
    for (auto const device : devices) readers.push_back({place_id(device), {}});
    take(planner_.broadcast(directory_, bytes_, readers));
    for (auto const device : devices) take(planner_.fetch_to(directory_, bytes_, place_id(device)));
  }
  void end_all_copies() {
    for (auto const& copy : std::exchange(under_way_, {})) {
      ops_.mark_issued(copy.op);
      ops_.mark_ended(copy.op);
      sources_.mark_ended(copy.from, copy.to, copy.size);
    }
  }
  std::size_t bytes_from_host() const { return bytes_from_host_; }
  std::int64_t ns() const { return in_use_.last_end_ns(); }
  std::vector<byte_range> missing(std::uint32_t device) const {
    return directory_.missing(place_id(device), bytes_.hull());
  }

 private:
  void take(std::vector<planned_copy> const& copies) {
    for (auto const& copy : copies) {
      if (copy.from == host) bytes_from_host_ += copy.size;
      in_use_.carry_out(ops_, copy);
      under_way_.push_back(copy);
    }
  }

  byte_runs bytes_;
  operations ops_;
  coherence_directory directory_;
  copy_sources sources_;
  task_planner planner_;
  links_in_use in_use_;
  std::vector<planned_copy> under_way_;
  std::size_t bytes_from_host_ = 0;
};

class shared_array_of : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::uint32_t const devices_ = GetParam();
  copy_links const links_ = invented_machine(devices_, devices_);

  void expect_to_be_everywhere(read_by_all const& array, std::size_t bytes) const {
    EXPECT_EQ(array.bytes_from_host(), bytes);
    for (auto const device : from_to(1, devices_)) EXPECT_THAT(array.missing(device), IsEmpty());
  }
};

TEST_P(shared_array_of, devices_that_begin_together_leaves_the_host_once) {
  for (auto const bytes : {std::size_t(40), mebibyte, 5 * mebibyte + 12, 300 * mebibyte}) {
    read_by_all array(links_, bytes);
    array.begin(from_to(1, devices_));
    expect_to_be_everywhere(array, bytes);
  }
}

TEST_P(shared_array_of, devices_that_begin_one_by_one_leaves_the_host_once) {
  for (auto const bytes : {std::size_t(40), 300 * mebibyte}) {
    read_by_all array(links_, bytes);
    for (auto const device : from_to(1, devices_)) array.begin({device});
    expect_to_be_everywhere(array, bytes);
  }
}

TEST_P(shared_array_of, devices_that_begin_at_any_moments_leaves_the_host_once) {
  std::mt19937 engine(devices_);
  for (int round = 0; round < 50; ++round) {
    read_by_all array(links_, 100 * mebibyte);
    auto waiting = from_to(1, devices_);
    std::ranges::shuffle(waiting, engine);
    while (!waiting.empty()) {
      auto const some = std::uniform_int_distribution<std::size_t>(1, waiting.size())(engine);
      array.begin({waiting.end() - std::ptrdiff_t(some), waiting.end()});
      waiting.resize(waiting.size() - some);
      if (engine() % 2 == 0) array.end_all_copies();
    }
    expect_to_be_everywhere(array, 100 * mebibyte);
  }
}

TEST_P(shared_array_of, devices_that_begin_together_takes_a_stripe_from_the_host_and_a_ring) {
  auto const bytes = 256 * mebibyte;
  read_by_all array(links_, bytes);
  array.begin(from_to(1, devices_));
  auto const stripe = bytes / devices_;
  auto const copies = devices_ * ((stripe + max_copy_bytes - 1) / max_copy_bytes);
  auto const ideal = double(stripe) / 50 + double(bytes - stripe) / 400 + 10'000. * double(copies);
  EXPECT_LE(double(array.ns()), 1.05 * ideal);
  read_by_all by_one(links_, bytes);
  by_one.begin({1});
  EXPECT_LT(2 * array.ns(), by_one.ns());
}

TEST_P(shared_array_of, devices_that_have_some_of_it_takes_from_them_what_the_host_need_not_send) {
  read_by_all array(links_, 100 * mebibyte);
  array.begin({2});
  array.end_all_copies();
  auto const before = array.bytes_from_host();
  array.begin(from_to(1, devices_));
  EXPECT_EQ(array.bytes_from_host(), before);
}

INSTANTIATE_TEST_SUITE_P(devices, shared_array_of, testing::Values(4, 8));

TEST(shared_array, of_a_device_without_peers_leaves_the_host_for_it_again) {
  read_by_all array(invented_machine(4, 3), 100 * mebibyte);
  array.begin(from_to(1, 4));
  EXPECT_EQ(array.bytes_from_host(), 200 * mebibyte);
  for (auto const device : from_to(1, 4)) EXPECT_THAT(array.missing(device), IsEmpty());
}

TEST(shared_array, comes_after_what_used_the_memory_of_each_reader_before) {
  operations ops;
  coherence_directory directory(4 * mebibyte, 3, ops);
  copy_sources sources(invented_machine(2, 2));
  task_planner planner(ops, sources, [](place_id, place_id to) { return op_stream{to.value(), 0}; });
  std::vector const before_first{ops.add(op_kind::kernel, {1, 1})};
  std::vector const before_second{ops.add(op_kind::kernel, {2, 1})};
  byte_runs const bytes(region({{0, 4 * mebibyte}}), extents{4 * mebibyte}, 1);
  std::vector<shared_reader> const readers{{place_id(1), before_first}, {place_id(2), before_second}};
  auto const copies = planner.broadcast(directory, bytes, readers);
  ASSERT_EQ(copies.size(), 4u);
  for (auto const& copy : copies) {
    auto const earlier = copy.to == place_id(1) ? before_first.front() : before_second.front();
    EXPECT_THAT(ops.at(copy.op).dependencies, testing::Contains(earlier));
  }
}

}  // namespace
}  // namespace ballast::test::task_planner_test
