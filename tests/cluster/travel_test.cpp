// SPDX-License-Identifier: Apache-2.0
#include "travel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/task.hpp"
#include "ballast/task_queue.hpp"
#include "refused_argument.hpp"
#include "test_devices.hpp"
#include "travelling_kernels.cuh"
#include "tree_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

/// What a rank has of two arrays that every rank publishes, in an order of addresses of its own.
struct invented_rank {
  static constexpr std::size_t words = 64;

  explicit invented_rank(bool in_order) {
    std::ranges::fill(memory.span(), 0u);
    from = memory.data() + (in_order ? 0 : words);
    to = memory.data() + (in_order ? words : 0);
    published.publish(from, words * sizeof *from);
    published.publish(to, words * sizeof *to);
  }

  pinned_buffer<std::uint32_t> memory{devices().front(), 2 * words};
  std::uint32_t *from, *to;
  published_arrays published;
};

struct travel : testing::Test {
  kernel_set const& kernels = travelling_kernels();
  invented_rank here{true}, there{false};
  pinned_buffer<std::uint32_t> results{devices().front(), 64};  ///< of tasks of rank `here`

  std::vector<std::byte> packed(std::span<task const> tasks) const {
    std::vector<std::byte> bytes;
    for (auto const& one : tasks) {
      auto const record = record_of(kernels, one);
      check_task(kernels, record, here.published);
      auto const before = bytes.size();
      pack(kernels, record, here.published, bytes);
      EXPECT_EQ(bytes.size() - before, packed_bytes(kernels, record));
      EXPECT_LE(bytes.size() - before, max_packed_bytes(kernels));
    }
    return bytes;
  }
  arrived_tasks arrived(std::vector<std::byte> const& bytes, std::size_t count) const {
    return arrived_tasks(kernels, there.published, bytes, std::uint32_t(count));
  }
  template <class K>
  std::string refused(K const& kernel, block_range range = {}) const {
    return refused_argument(
        [&] { check_task(kernels, record_of(kernels, task(kernel, range)), here.published); });
  }

  task by_value() const { return task(all_by_value{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}, {7, 300}); }
  add_to_each adding() const {
    return {5, array_ref<std::uint32_t const>(here.from + 1), array_view<std::uint32_t>(here.to + 2, {8})};
  }
  sum_of_words summing() const {
    return {here.from, 9, result_ref(results.data()),
            result_ref(reinterpret_cast<triple*>(results.data() + 2))};
  }
  sum_of_members summing_members(std::uint32_t seed = 0) const {
    sum_of_members made{{}, 3, array_ref(here.to), result_ref(results.data() + 8 + seed)};
    for (std::uint32_t i = 0; i < 47; ++i) made.words[i] = seed + i;
    return made;
  }
  std::vector<task> one_of_each() const {
    return {by_value(), task(adding()), task(summing()), task(summing_members(), {20, 1})};
  }
};

/// The members of a task as its kernel would have them.
template <class K>
K members_of(task_record const& record) {
  K kernel;
  void const* const from = sizeof(K) > 40 ? record.members() : record.data;
  std::memcpy(static_cast<void*>(&kernel), from, sizeof kernel);
  return kernel;
}

TEST_F(travel, by_value_changes_nothing_of_a_task) {
  auto const tasks = std::vector{by_value(), grid_task(by_value())};
  auto const bytes = packed(tasks);
  EXPECT_EQ(bytes.size(), 96u);
  auto const there_now = arrived(bytes, 2);
  EXPECT_EQ(there_now.staging_bytes(), 0u);
  for (std::size_t i = 0; i < 2; ++i) {
    auto const sent = record_of(kernels, tasks[i]);
    EXPECT_EQ(std::memcmp(&there_now.records()[i], &sent, sizeof sent), 0);
    EXPECT_TRUE(there_now.results_of(i).empty());
  }
}

TEST_F(travel, turns_every_kind_of_address_into_that_of_the_other_rank) {
  auto const tasks = arrived(packed(std::vector{task(adding(), {3, 4})}), 1);
  auto const kernel = members_of<add_to_each>(tasks.records()[0]);
  EXPECT_EQ(kernel.from.data(), there.from + 1);
  EXPECT_EQ(kernel.to.data(), there.to + 2);
  EXPECT_EQ(kernel.to.extent(0), 8u);
  EXPECT_EQ(kernel.to.stride(0), 1);
  EXPECT_EQ(kernel.added, 5u);
  EXPECT_EQ(tasks.records()[0].range().first, 3u);
  EXPECT_EQ(tasks.records()[0].range().count, 4u);
  auto const summing_there = arrived(packed(std::vector{task(summing())}), 1);
  EXPECT_EQ(members_of<sum_of_words>(summing_there.records()[0]).words, there.from);
}

TEST_F(travel, leaves_null_null) {
  auto kernel = adding();
  kernel.from = array_ref<std::uint32_t const>();
  auto const tasks = arrived(packed(std::vector{task(kernel)}), 1);
  EXPECT_FALSE(members_of<add_to_each>(tasks.records()[0]).from);
}

TEST_F(travel, carries_members_that_exceed_a_task_behind_it) {
  std::vector<task> sent;
  for (std::uint32_t i = 0; i < 20; ++i) sent.push_back(task(summing_members(i), {i, 1}));
  auto const bytes = packed(sent);
  EXPECT_EQ(bytes.size(), 20 * (48 + 208u));
  auto first = arrived(bytes, 20);
  auto const tasks = std::move(first);  // what the records refer to moves along
  for (std::uint32_t i = 0; i < 20; ++i) {
    auto const kernel = members_of<sum_of_members>(tasks.records()[i]);
    EXPECT_EQ(kernel.words[46], i + 46);
    EXPECT_EQ(kernel.factor, 3u);
    EXPECT_EQ(kernel.also_to.data(), there.to);
    EXPECT_EQ(tasks.records()[i].range().first, i);
  }
}

TEST_F(travel, sends_no_address_of_the_rank_that_it_leaves) {
  auto const bytes = packed(one_of_each());
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 4) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    for (auto const* buffer : {here.memory.data(), results.data()})
      EXPECT_FALSE(word >= std::uintptr_t(buffer) && word < std::uintptr_t(buffer) + 512) << at;
  }
}

TEST_F(travel, places_results_side_by_side_at_multiples_of_16_bytes) {
  auto tasks = arrived(packed(one_of_each()), 4);
  ASSERT_EQ(tasks.staging_bytes(), 32 + 16u);
  alignas(results_alignment) std::byte staging[48];
  tasks.place_results(staging);
  auto const words = members_of<sum_of_words>(tasks.records()[2]);
  EXPECT_EQ(static_cast<void*>(&words.first.get()), staging);
  EXPECT_EQ(static_cast<void*>(&words.all.get()), staging + 8);
  EXPECT_EQ(static_cast<void*>(&members_of<sum_of_members>(tasks.records()[3]).sum.get()), staging + 32);
  EXPECT_EQ(tasks.results_of(2).data(), staging);
  EXPECT_EQ(tasks.results_of(2).size(), 24u);
  EXPECT_EQ(tasks.results_of(3).data(), staging + 32);
  EXPECT_EQ(tasks.results_of(3).size(), 4u);
  EXPECT_TRUE(tasks.results_of(0).empty());
}

TEST_F(travel, brings_home_what_tasks_wrote_on_the_other_rank) {
  for (std::uint32_t i = 0; i < invented_rank::words; ++i) there.from[i] = 100 + i;
  auto const sent = one_of_each();
  auto tasks = arrived(packed(sent), sent.size());
  pinned_buffer<std::byte> staging(devices().front(), tasks.staging_bytes());
  tasks.place_results(staging.data());
  std::vector<task> run;
  for (auto const& record : tasks.records()) run.push_back(task_of(kernels, record));
  task_queue queue(devices().front(), kernels);
  queue.submit(run).wait();
  EXPECT_EQ(there.to[2], 101 + 5u);
  EXPECT_EQ(there.to[9], 108 + 5u);
  EXPECT_EQ(there.to[20], 47 * 46 / 2 * 3u);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    std::vector<result_home> homes;
    append_result_homes(kernels, record_of(kernels, sent[i]), homes);
    store_results(homes, tasks.results_of(i));
  }
  auto const& all = *reinterpret_cast<triple const*>(results.data() + 2);
  EXPECT_EQ(results[0], 100u);
  EXPECT_EQ(all.sum, 9 * 104.0);
  EXPECT_EQ(all.least, 100u);
  EXPECT_EQ(all.most, 108u);
  EXPECT_EQ(results[8], 47 * 46 / 2 * 3u);
}

TEST_F(travel, is_no_need_of_a_task_with_a_result) {
  here.from[0] = 77;
  task_queue(devices().front(), kernels).submit(task(summing())).wait();
  EXPECT_EQ(results[0], 77u);
  results[0] = 0;
  auto const stream = devices().front()->make_stream();
  launch(kernels, *stream, task(summing()));
  stream->synchronize();
  EXPECT_EQ(results[0], 77u);
}

TEST_F(travel, goes_on_from_rank_to_rank) {
  auto const sent = packed(one_of_each());
  auto tasks = arrived(sent, 4);
  alignas(results_alignment) std::byte staging[48];
  tasks.place_results(staging);
  std::vector<std::byte> again;
  for (auto const& record : tasks.records()) pack(kernels, record, there.published, again);
  EXPECT_TRUE(again == sent);
}

TEST_F(travel, is_refused_to_kernels_that_say_nothing) {
  EXPECT_EQ(refused(silent{1}), "kernel");
  std::vector<std::byte> bytes;
  try {
    pack(kernels, record_of(kernels, task(silent{1})), here.published, bytes);
    ADD_FAILURE();
  } catch (bad_argument const& refusal) {
    EXPECT_NE(refusal.value().find("silent', which does not say whether its arguments travel"),
              std::string::npos)
        << refusal.what();
  }
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(result_bytes(kernels, record_of(kernels, task(silent{1}))), 0u);
}

TEST_F(travel, is_refused_to_addresses_in_no_published_array) {
  auto kernel = adding();
  kernel.to = array_view<std::uint32_t>(results.data(), {8});
  EXPECT_EQ(refused(kernel), "argument");
  std::vector<std::byte> bytes(3);
  try {
    pack(kernels, record_of(kernels, task(kernel)), here.published, bytes);
    ADD_FAILURE();
  } catch (bad_argument const& refusal) {
    EXPECT_NE(refusal.value().find("at byte 16 of kernel 'ballast::test::add_to_each'"), std::string::npos)
        << refusal.what();
  }
  EXPECT_EQ(bytes.size(), 3u);
  auto large = summing_members();
  large.also_to = array_ref(results.data());
  EXPECT_EQ(refused(large), "argument");
}

TEST_F(travel, is_refused_to_results_that_have_no_place_or_several_writers) {
  auto kernel = summing();
  EXPECT_EQ(refused(kernel, {4, 1}), "nothing");
  EXPECT_EQ(refused(kernel, {0, 2}), "count");
  kernel.first = result_ref<std::uint32_t>();
  EXPECT_EQ(refused(kernel), "argument");
}

TEST_F(travel, is_refused_to_sets_that_make_joins_or_have_huge_results) {
  EXPECT_NO_THROW(check_set(kernels));
  EXPECT_NO_THROW(check_set(splitting_kernels()));
  for (auto const* set : {&joining_cluster_kernels(), &kernels_of_large_results()})
    EXPECT_EQ(refused_argument([&] { check_set(*set); }), "kernels");
}

TEST_F(travel, is_refused_to_kernels_that_visit_what_is_no_member_or_one_twice) {
  EXPECT_THROW(kernels_that_visit_copies(), error);
  EXPECT_THROW(kernels_that_visit_twice(), error);
}

TEST_F(travel, refuses_every_message_that_ends_early_or_late) {
  auto const bytes = packed(one_of_each());
  EXPECT_NO_THROW(arrived(bytes, 4));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::vector<std::byte> const part(bytes.begin(), bytes.begin() + std::ptrdiff_t(size));
    EXPECT_THROW(arrived(part, 4), error) << size;
  }
  for (std::uint32_t const count : {0u, 1u, 3u, 5u, ~0u}) EXPECT_THROW(arrived(bytes, count), error) << count;
  auto longer = bytes;
  longer.push_back(std::byte(0));
  EXPECT_THROW(arrived(longer, 4), error);
}

TEST_F(travel, refuses_messages_that_no_rank_can_have_sent) {
  auto const refuses = [&](task const& sent, std::size_t word, std::uint32_t value) {
    auto bytes = packed(std::vector{sent});
    std::memcpy(bytes.data() + 4 * word, &value, sizeof value);
    try {
      arrived(bytes, 1);
    } catch (error const&) { return true; }
    return false;
  };
  std::uint32_t const one_block = 1 << 8;
  EXPECT_FALSE(refuses(by_value(), 11, one_block));
  EXPECT_TRUE(refuses(by_value(), 11, 0));                // no blocks
  EXPECT_TRUE(refuses(by_value(), 11, one_block | 4));    // a kernel that is silent
  EXPECT_TRUE(refuses(by_value(), 11, one_block | 5));    // no kernel of the set
  EXPECT_TRUE(refuses(by_value(), 11, one_block | 127));  // what ends a worker
  EXPECT_TRUE(refuses(task(summing()), 11, 2 << 8 | 2));  // two blocks with one result
  EXPECT_TRUE(refuses(task(summing()), 4, 1));            // an address of a result
  EXPECT_TRUE(refuses(task(adding()), 3, 3 << 16));       // an array that nobody published
  EXPECT_TRUE(refuses(task(adding()), 2, 64 * 4));        // behind the end of one
  EXPECT_TRUE(refuses(task(summing_members()), 12 + 48, 999));
}

TEST_F(travel, survives_any_bytes) {
  auto const bytes = packed(one_of_each());
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    auto changed = bytes;
    for (auto left = 1 + random() % 8; left > 0; --left)
      changed[random() % bytes.size()] = std::byte(random());
    try {
      auto tasks = arrived(changed, 1 + random() % 6);
      std::vector<std::byte> staging(tasks.staging_bytes());
      tasks.place_results(staging.data());
    } catch (error const&) {}
  }
}

TEST_F(travel, stores_no_results_of_another_size) {
  std::vector<result_home> homes;
  append_result_homes(kernels, record_of(kernels, task(summing())), homes);
  ASSERT_EQ(homes.size(), 2u);
  std::array<std::byte, 25> bytes{};
  results[0] = 5;
  for (std::size_t const size : {0, 4, 23, 25})
    EXPECT_THROW(store_results(homes, std::span(bytes).first(size)), error) << size;
  EXPECT_EQ(results[0], 5u);
  EXPECT_NO_THROW(store_results({}, {}));
  EXPECT_THROW(store_results({}, bytes), error);
}

TEST(descriptions_of_sets, differ_as_their_kernels_do) {
  auto const here = describe(travelling_kernels());
  EXPECT_EQ(first_difference(here, 0, here, 3), "");
  EXPECT_EQ(fingerprint(here), fingerprint(std::string(here)));
  auto const there = describe(others_kernels());
  EXPECT_NE(fingerprint(here), fingerprint(there));
  EXPECT_EQ(
      first_difference(here, 0, there, 3),
      "'ballast::test::add_to_each: 40 bytes, 64 threads, travels, address at 16, address at 8' as kernel 2 "
      "of the list on rank 0, and 'ballast::test::silent: 4 bytes, 64 threads, stays' on rank 3");
}

TEST(descriptions_of_sets, show_every_planted_difference) {
  auto const described = [](auto change) {
    compiled_code code;
    auto const all = travelling_kernels().kernels();
    code.kernels.assign(all.begin(), all.end());
    change(code.kernels);
    return describe(kernel_set("changed", code));
  };
  auto const here = describe(travelling_kernels());
  using list = std::vector<listed_kernel>;
  EXPECT_EQ(described([](list&) {}), here);
  std::vector<std::string> const others{
      described([](list& all) { all[2].name += "x"; }),
      described([](list& all) { all[2].bytes += 4; }),
      described([](list& all) { all[2].code.threads = 32; }),
      described([](list& all) { all[2].by_reference = true; }),
      described([](list& all) { all[2].spawns = 1; }),
      described([](list& all) { all[2].joins = 1; }),
      described([](list& all) { all[2].reduces = true; }),
      described([](list& all) { all[2].travel = std::nullopt; }),
      described([](list& all) { all[2].travel->addresses[1].at = 24; }),
      described([](list& all) { all[2].travel->addresses[2].result_bytes = 8; }),
      described([](list& all) { all[2].travel->addresses[2].result_at = 4; }),
      described([](list& all) { all.erase(all.begin() + 2); }),
      described([](list& all) { all.resize(2); }),
  };
  for (auto const& there : others) {
    EXPECT_NE(fingerprint(there), fingerprint(here)) << there;
    for (auto const& sentence : {first_difference(here, 0, there, 1), first_difference(there, 0, here, 1)})
      EXPECT_NE(sentence.find(" as kernel 3 of the list on rank 0, and "), std::string::npos) << sentence;
  }
  EXPECT_NE(first_difference(here, 0, others.back(), 1).find("and missing on rank 1"), std::string::npos);
}

}  // namespace
}  // namespace ballast::test
