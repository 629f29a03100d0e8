// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "deques.hpp"
#include "explorer.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Takes the tag away from an ABP deque: the upper half of the head is always written as zero. (Records here
/// are small numbers, which lose nothing.)
template <class Word>
class without_tag : public explored_atomic<Word> {
  static constexpr Word kept = static_cast<Word>(0xffffffff);
  using whole = explored_atomic<Word>;

 public:
  using whole::whole;
  void store_release(Word value) const { whole::store_release(value & kept); }
  bool compare_exchange_acq_rel(Word expected, Word value) const {
    return whole::compare_exchange_acq_rel(expected, value & kept);
  }
};

/// The same for a tagged deque: the tag is in the upper 16 bits.
template <class Word>
class without_high_tag : public explored_atomic<Word> {
  using whole = explored_atomic<Word>;

 public:
  using whole::whole;
  bool compare_exchange_acq_rel(Word expected, Word value) const {
    return whole::compare_exchange_acq_rel(expected, value & static_cast<Word>(0xffff'ffff'ffff));
  }
};

/// Two words, so that a thief may see half of one record and half of another.
struct pair_record {
  std::uint64_t first, second;
};

template <class Kind, template <class> class Atomic = explored_atomic>
class deque_exploration {
 public:
  static constexpr std::uint32_t capacity = 2;
  using ref_type = typename Kind::template ref<pair_record, Atomic>;
  struct shared {
    typename Kind::words words;
    typename ref_type::slot slots[capacity];
  };
  using taken = typename explorer<shared>::taken;
  using program = typename explorer<shared>::program;

  /// A letter an operation: + pushes the next number (1, 2, ...) if there is room, - pops.
  static program owner(std::string operations) {
    return [operations](shared& memory) {
      taken mine;
      std::uint64_t next = 0;
      for (char const operation : operations)
        operation == '+' ? push(memory, ++next, mine) : pop(memory, mine);
      return mine;
    };
  }

  /// The owner as a worker group: fills the deque and publishes at once, and takes all before it reads any;
  /// `rounds` times.
  static program worker_group_as_owner(int rounds) {
    return [rounds](shared& memory) {
      taken mine;
      for (int round = 0; round < rounds; ++round) {
        push_together(memory, capacity * round, mine);
        pop_together(memory, mine);
      }
      return mine;
    };
  }

  static program thief(int attempts) {
    return [attempts](shared& memory) {
      taken mine;
      pair_record record;
      for (int i = 0; i < attempts; ++i)
        if (ref(memory).steal(record) == steal_outcome::taken) note(record, mine);
      return mine;
    };
  }

  /// Explores; an end is right if the numbers 1 to `pushed` were each taken once, by a thread or afterwards.
  static auto explore(std::vector<program> programs, std::uint64_t pushed) {
    shared const empty{};
    return explorer<shared>(empty, std::move(programs),
                            [pushed](shared& memory, taken all) {
                              for (std::uint32_t i = 0; i < capacity; ++i) pop(memory, all);
                              std::sort(all.begin(), all.end());
                              if (all.size() != pushed) return false;
                              for (std::uint64_t i = 0; i < pushed; ++i)
                                if (all[i] != i + 1) return false;
                              return true;
                            })
        .explore();
  }

 private:
  static ref_type ref(shared& memory) { return {&memory.words, memory.slots, capacity}; }

  /// What found no room is the pusher's own again: it runs it.
  static bool push(shared& memory, std::uint64_t number, taken& mine) {
    if (ref(memory).push({number, number})) return true;
    mine.push_back(number);
    return false;
  }
  static void push_together(shared& memory, std::uint64_t before, taken& mine) {
    auto const places = ref(memory).free_places(capacity);
    for (std::uint32_t i = 0; i < capacity; ++i) {
      std::uint64_t const number = before + i + 1;
      if (i < places.count)
        ref(memory).at(places.first + i).template write<Atomic>({number, number});
      else
        mine.push_back(number);
    }
    ref(memory).publish(places);
  }
  static void pop_together(shared& memory, taken& mine) {
    typename ref_type::index newest = 0, place = 0;
    std::uint32_t count = 0;
    for (; ref(memory).take_newest(place); ++count)
      if (count == 0) newest = place;
    for (std::uint32_t i = 0; i < count; ++i) note(ref(memory).at(newest - i).template read<Atomic>(), mine);
  }
  static bool pop(shared& memory, taken& mine) {
    pair_record record;
    if (!ref(memory).pop(record)) return false;
    note(record, mine);
    return true;
  }
  static void note(pair_record const& record, taken& mine) {
    mine.push_back(record.first == record.second ? record.first : 0);
  }
};

template <class Kind>
class deque_interleavings : public testing::Test {
 protected:
  using exploration = deque_exploration<Kind>;

  static void expect_exactly_once(std::string const& operations, std::vector<int> const& thieves) {
    std::vector<typename exploration::program> programs = {exploration::owner(operations)};
    for (int const attempts : thieves) programs.push_back(exploration::thief(attempts));
    auto const pushed = static_cast<std::uint64_t>(std::count(operations.begin(), operations.end(), '+'));
    EXPECT_TRUE(always_right(exploration::explore(programs, pushed))) << operations;
  }
};

using kinds = testing::Types<abp, chase_lev, tagged>;
TYPED_TEST_SUITE(deque_interleavings, kinds);

TYPED_TEST(deque_interleavings, give_each_record_once_to_the_owner_or_one_thief) {
  for (auto const* operations : {"+-", "++-", "++--", "+-+-", "++-+-", "++--+-", "+-+-+-", "+-++--"})
    this->expect_exactly_once(operations, {1});
}

TYPED_TEST(deque_interleavings, give_each_record_once_though_a_thief_comes_again) {
  for (auto const* operations : {"++-", "++--", "+-+-", "+++--"}) this->expect_exactly_once(operations, {2});
}

TYPED_TEST(deque_interleavings, give_each_record_once_to_the_owner_or_one_of_two_thieves) {
  for (auto const* operations : {"+-", "++-", "+-+", "++--", "+-+-"})
    this->expect_exactly_once(operations, {1, 1});
}

template <class Kind>
class deque_interleavings_of_worker_groups : public testing::Test {};

using kinds_of_worker_groups = testing::Types<abp, chase_lev>;
TYPED_TEST_SUITE(deque_interleavings_of_worker_groups, kinds_of_worker_groups);

TYPED_TEST(deque_interleavings_of_worker_groups,
           give_each_record_once_to_an_owner_that_reads_late_or_a_thief) {
  using exploration = deque_exploration<TypeParam>;
  auto const expect_exactly_once = [](std::uint64_t pushed, auto const& programs) {
    EXPECT_TRUE(always_right(exploration::explore(programs, pushed)));
  };
  using programs = std::vector<typename exploration::program>;
  expect_exactly_once(2, programs{exploration::worker_group_as_owner(1), exploration::thief(2)});
  expect_exactly_once(
      2, programs{exploration::worker_group_as_owner(1), exploration::thief(1), exploration::thief(1)});
  expect_exactly_once(4, programs{exploration::worker_group_as_owner(2), exploration::thief(1)});
}

TEST(abp_deque_interleavings, give_a_record_twice_without_the_tag) {
  using whole = deque_exploration<abp>;
  using tagless = deque_exploration<abp, without_tag>;
  EXPECT_EQ(whole::explore({whole::owner("+-+"), whole::thief(1)}, 2).failures, 0u);
  EXPECT_GT(tagless::explore({tagless::owner("+-+"), tagless::thief(1)}, 2).failures, 0u);
}

TEST(tagged_deque_interleavings, give_a_record_twice_without_the_tag) {
  using whole = deque_exploration<tagged>;
  using tagless = deque_exploration<tagged, without_high_tag>;
  EXPECT_EQ(whole::explore({whole::owner("+-+"), whole::thief(1)}, 2).failures, 0u);
  EXPECT_GT(tagless::explore({tagless::owner("+-+"), tagless::thief(1)}, 2).failures, 0u);
}

}  // namespace
}  // namespace ballast::test
