// SPDX-License-Identifier: Apache-2.0
#include "message_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cluster_kernels.cuh"
#include "is_deep_run.hpp"
#include "transport.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using kind = cluster_message::kind;
using bytes_of_message = std::vector<std::byte>;

constexpr std::uint32_t ranks = 5;
constexpr std::uint16_t channel = 7;

/// Two ranks that have published an array each.
class message_codec_test : public testing::Test {
 protected:
  message_codec_test() {
    here_.publish(words_here_.data(), words_here_.size() * 4);
    there_.publish(words_there_.data(), words_there_.size() * 4);
  }

  task_range tasks(std::uint32_t first, std::uint32_t count, std::uint64_t batch = 3) {
    std::vector<task> all;
    for (std::uint32_t i = 0; i < count; ++i)
      all.push_back(task(tally{first + i, 0, &words_here_[i % 100], result_ref(&results_[i % 100])}));
    auto load = std::make_shared<range_load>();
    load->first = first;
    load->own = prepared_tasks(cluster_kernels(), all);
    return {1, first, count, batch, std::move(load)};
  }
  static std::vector<task_range> pieces(std::uint32_t count) {
    std::vector<task_range> all;
    for (std::uint32_t i = 0; i < count; ++i) all.push_back({i % ranks, 2 * i, 1, 100 + i, {}});
    return all;
  }
  std::vector<bytes_of_message> encoded(cluster_message const& message) const {
    std::vector<bytes_of_message> sent;
    sender_.encode(channel, message, [&](bytes_of_message bytes) { sent.push_back(std::move(bytes)); });
    for (auto const& one : sent) EXPECT_LE(one.size(), transport::max_message_bytes);
    return sent;
  }
  static envelope head_of(bytes_of_message const& message) {
    envelope head;
    std::memcpy(&head, message.data(), sizeof head);
    return head;
  }
  message_codec::decoded decoded(bytes_of_message const& message) const {
    return receiver_.decode(head_of(message), std::span(message).subspan(sizeof(envelope)), ranks);
  }
  /// What arrives of it, put together again.
  cluster_message passed_on(cluster_message const& message) const {
    cluster_message all;
    bool has_more = true;
    for (auto const& one : encoded(message)) {
      EXPECT_TRUE(has_more) << "the last message was not the last";
      EXPECT_EQ(head_of(one).channel, channel);
      auto part = decoded(one).message;
      has_more = part.has_more;
      all.what = part.what;
      all.ranks = part.ranks;
      all.state = part.state;
      all.why = part.why;
      all.ranges.insert(all.ranges.end(), part.ranges.begin(), part.ranges.end());
    }
    EXPECT_FALSE(has_more);
    EXPECT_EQ(all.what, message.what);
    EXPECT_EQ(all.ranks, message.ranks);
    EXPECT_EQ(all.ranges.size(), message.ranges.size());
    for (std::size_t i = 0; i < std::min(all.ranges.size(), message.ranges.size()); ++i) {
      auto const &was = message.ranges[i], &is = all.ranges[i];
      EXPECT_EQ(std::tie(is.origin, is.first, is.count, is.batch),
                std::tie(was.origin, was.first, was.count, was.batch));
    }
    return all;
  }

  std::vector<std::uint32_t> words_here_ = std::vector<std::uint32_t>(100);
  std::vector<std::uint32_t> words_there_ = std::vector<std::uint32_t>(100);
  std::vector<std::uint32_t> results_ = std::vector<std::uint32_t>(100);
  published_arrays here_, there_;
  message_codec const sender_{cluster_kernels(), here_}, receiver_{cluster_kernels(), there_};
};

TEST_F(message_codec_test, what_has_no_content_arrives) {
  for (auto const what : {kind::decline, kind::withdraw, kind::stop, kind::finished, kind::end})
    passed_on({.what = what});
}

TEST_F(message_codec_test, a_question_arrives_with_the_state_of_who_asks) {
  auto const state = passed_on({.what = kind::ask, .state = {1'000'000'000'000, 528, 132, 0.25}}).state;
  EXPECT_EQ(state.backlog, 1'000'000'000'000u);
  EXPECT_EQ(state.running, 528u);
  EXPECT_EQ(state.workers, 132u);
  EXPECT_EQ(state.tasks_per_ns, 0.25);
}

TEST_F(message_codec_test, given_tasks_arrive_with_addresses_of_the_rank_where_they_are) {
  auto const gift = passed_on({.what = kind::give, .ranges = {tasks(0, 40), tasks(90, 3, 8)}});
  auto const records = gift.ranges[0].load->records(0, 40);
  ASSERT_EQ(records.size(), 40u);
  EXPECT_GT(gift.ranges[0].load->arrived.staging_bytes(), 0u);
  EXPECT_EQ(gift.ranges[1].load->records(91, 2).size(), 2u);
  bytes_of_message again;
  for (auto const& record : records) pack(cluster_kernels(), record, there_, again);
  bytes_of_message first;
  auto const same = tasks(0, 40);
  for (auto const& record : same.load->records()) pack(cluster_kernels(), record, here_, first);
  EXPECT_EQ(again, first);
}

TEST_F(message_codec_test, as_many_tasks_as_a_piece_has_fill_one_message_at_most) {
  EXPECT_EQ(encoded({.what = kind::give, .ranges = {tasks(0, sender_.piece_tasks())}}).size(), 1u);
  std::vector<task_range> ones;
  for (std::uint32_t i = 0; i < sender_.piece_tasks(); ++i) ones.push_back(tasks(i, 1));
  EXPECT_EQ(encoded({.what = kind::give, .ranges = ones}).size(), 1u);
}

TEST_F(message_codec_test, results_arrive_behind_their_ranges) {
  // They have run on the receiver of the gift, which sends the results home.
  auto ranges = passed_on({.what = kind::give, .ranges = {tasks(10, 30)}}).ranges;
  auto& load = *ranges[0].load;
  std::vector<std::max_align_t> memory(load.arrived.staging_bytes() / sizeof(std::max_align_t) + 1);
  auto* const staging = reinterpret_cast<std::byte*>(memory.data());
  load.arrived.place_results(staging);
  for (std::size_t i = 0; i < load.arrived.staging_bytes(); ++i) staging[i] = std::byte(i);
  auto first = ranges[0];
  auto last = first.cut_last(10);
  auto const sent = encoded({.what = kind::done, .ranges = {last, first}});
  ASSERT_EQ(sent.size(), 1u);
  auto const home = decoded(sent[0]);
  ASSERT_EQ(home.results.size(), 2u);
  EXPECT_EQ(home.results[0].size(), 10 * sizeof(std::uint32_t));
  EXPECT_EQ(home.results[1].size(), 20 * sizeof(std::uint32_t));
  EXPECT_EQ(std::memcmp(home.results[1].data(), load.arrived.results_of(0).data(), 4), 0);
  EXPECT_EQ(std::memcmp(home.results[0].data(), load.arrived.results_of(20).data(), 4), 0);
}

TEST_F(message_codec_test, long_lists_are_split_into_messages_of_64_KiB) {
  for (auto const what : {kind::returned, kind::census}) {
    cluster_message long_one{.what = what, .ranges = pieces(10'000)};
    if (what == kind::census) long_one.ranks = {1, 3};
    EXPECT_GE(encoded(long_one).size(), 4u);
    passed_on(long_one);
  }
  passed_on({.what = kind::census, .ranks = {4}});
  passed_on({.what = kind::lost, .ranks = {4}});
  EXPECT_EQ(passed_on({.what = kind::lost, .ranks = {4}, .why = "out of luck"}).why, "out of luck");
}

TEST_F(message_codec_test, what_names_no_rank_or_no_kind_is_refused) {
  auto const refuses = [&](bytes_of_message const& message) { EXPECT_THROW(decoded(message), error); };
  auto unknown = encoded({.what = kind::stop})[0];
  for (int const number : {10, 11, 99, 255}) {
    auto head = head_of(unknown);
    head.kind = std::uint8_t(number);
    std::memcpy(unknown.data(), &head, sizeof head);
    refuses(unknown);
  }
  refuses(encoded({.what = kind::lost, .ranks = {ranks}})[0]);
  refuses(encoded({.what = kind::lost, .ranks = {1, 2}})[0]);
  refuses(encoded({.what = kind::lost})[0]);
  refuses(encoded({.what = kind::census, .ranks = {0, 1, 2, 3, 4, 0}})[0]);
  refuses(encoded({.what = kind::returned, .ranges = {{ranks, 0, 1, 0, {}}}})[0]);
  refuses(encoded({.what = kind::returned, .ranges = {{0, 5, 0, 0, {}}}})[0]);
  refuses(encoded({.what = kind::returned, .ranges = {{0, 5, ~0u - 4, 0, {}}}})[0]);
}

TEST_F(message_codec_test, a_message_that_is_cut_short_or_goes_on_is_refused) {
  for (auto const& message :
       {cluster_message{.what = kind::ask}, cluster_message{.what = kind::give, .ranges = {tasks(0, 5)}},
        cluster_message{.what = kind::returned, .ranges = pieces(3)},
        cluster_message{.what = kind::census, .ranges = pieces(2), .ranks = {1}},
        cluster_message{.what = kind::lost, .ranks = {1}, .why = "out of luck"}}) {
    auto const whole = encoded(message)[0];
    for (auto size = sizeof(envelope); size < whole.size(); ++size)
      EXPECT_THROW(decoded({whole.begin(), whole.begin() + std::ptrdiff_t(size)}), error) << size;
    auto longer = whole;
    longer.push_back(std::byte(0));
    EXPECT_THROW(decoded(longer), error);
  }
}

TEST_F(message_codec_test, mangled_messages_are_refused_or_understood_and_nothing_else) {
  std::vector<bytes_of_message> whole;
  for (auto const& message : {cluster_message{.what = kind::give, .ranges = {tasks(0, 3), tasks(8, 1)}},
                              cluster_message{.what = kind::census, .ranges = pieces(3), .ranks = {1, 2}}})
    whole.push_back(encoded(message)[0]);
  std::mt19937_64 random(1);
  for (int i = 0; i < (is_deep_run() ? 1'000'000 : 20'000); ++i) {
    auto mangled = whole[std::size_t(i) % whole.size()];
    for (auto changes = 1 + random() % 4; changes > 0; --changes)
      mangled[random() % mangled.size()] = std::byte(random());
    if (random() % 3 == 0) mangled.resize(sizeof(envelope) + random() % (mangled.size() - sizeof(envelope)));
    // A copy of its own, so that a sanitizer sees what is read behind it.
    auto const exact = std::make_unique<std::byte[]>(mangled.size());
    std::memcpy(exact.get(), mangled.data(), mangled.size());
    try {
      receiver_.decode(head_of(mangled), {exact.get() + sizeof(envelope), mangled.size() - sizeof(envelope)},
                       ranks);
    } catch (error const&) {}
  }
}

}  // namespace
}  // namespace ballast::test
