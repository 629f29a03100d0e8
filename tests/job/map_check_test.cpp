// SPDX-License-Identifier: Apache-2.0
#include "run/map_check.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

namespace ballast::test {
using namespace detail;
namespace {

using word = std::uint32_t;
using kind = wrong_use::kind;
using words_of_array = std::vector<word>;

constexpr array_id one_array{1}, other_array{2};

byte_runs words_from(std::size_t begin, std::size_t end, std::size_t array = 1000) {
  return {region{{begin, end}}, extents{array}, sizeof(word)};
}

/// Elements 100 to 103 are read, 104 to 107 nothing, 108 to 111 written, 112 to 115 both.
array_use mixed_use() {
  byte_runs const read(region{{100, 104}, {112, 116}}, extents{1000}, sizeof(word));
  return {one_array, read, words_from(108, 116)};
}

/// An array of numbered words, and what a kernel that is tried on it twice does.
class tried_array {
 public:
  tried_array(std::vector<array_use> const& uses, trial_margins margins)
      : check_(uses, {1000 * sizeof(word), sizeof(word)}, margins), values_(1000) {
    std::iota(values_.begin(), values_.end(), 1u);
    for (std::size_t trial = 0; trial < trials; ++trial) {
      memory_[trial].resize(check_.bytes());
      check_.prepare(memory_[trial].data(), trial, hull());
    }
  }

  using element = std::function<word&(std::ptrdiff_t)>;

  std::optional<wrong_use> after(std::function<void(element const&)> const& kernel) {
    for (auto& memory : memory_)
      kernel([&](std::ptrdiff_t index) -> word& {
        auto const byte = index * std::ptrdiff_t(sizeof(word)) - std::ptrdiff_t(check_.hull().begin);
        return *reinterpret_cast<word*>(memory.data() + std::ptrdiff_t(check_.hull_offset()) + byte);
      });
    return verdict();
  }
  std::optional<wrong_use> verdict() {
    return check_.verdict({memory_[0].data(), memory_[1].data()}, hull());
  }
  words_of_array kept() {
    check_.keep_results(memory_[0].data(), hull());
    return values_;
  }
  map_check const& check() const { return check_; }
  std::byte& byte(std::size_t trial, std::size_t place) { return memory_[trial][place]; }

 private:
  std::byte* hull() { return reinterpret_cast<std::byte*>(values_.data()) + check_.hull().begin; }

  map_check check_;
  words_of_array values_;
  std::array<std::vector<std::byte>, trials> memory_;
};

class map_check_of_words : public testing::Test {
 protected:
  tried_array tried_{{mixed_use()}, trial_margins::around};

  static void write_all(tried_array::element const& at) {
    for (int i = 108; i < 112; ++i) at(i) = 7 * at(i - 8);
    for (int i = 112; i < 116; ++i) at(i) += 1;
  }
  /// After a kernel that does what it should, and this.
  std::optional<wrong_use> after_also(std::function<void(tried_array::element const&)> const& more) {
    return tried_.after([&](auto const& at) {
      write_all(at);
      more(at);
    });
  }
};

TEST_F(map_check_of_words, lets_a_kernel_pass_that_keeps_to_its_maps_and_keeps_its_results) {
  EXPECT_EQ(tried_.after(write_all), std::nullopt);
  words_of_array expected(1000);
  std::iota(expected.begin(), expected.end(), 1u);
  for (std::size_t i = 108; i < 112; ++i) expected[i] = 7 * expected[i - 8];
  for (std::size_t i = 112; i < 116; ++i) expected[i] += 1;
  EXPECT_EQ(tried_.kept(), expected);
}

TEST_F(map_check_of_words, finds_a_write_beside_in_a_hole_and_to_what_is_only_read) {
  for (std::ptrdiff_t const element : {-1, 0, 99, 100, 103, 104, 107, 116, 999, 1000})
    EXPECT_EQ(tried_array({mixed_use()}, trial_margins::around).after([&](auto const& at) {
      write_all(at);
      at(element) = 5;
    }),
              (wrong_use{kind::written_undeclared, element}));
}

TEST_F(map_check_of_words, finds_what_was_not_written) {
  auto const wrong = tried_.after([](auto const& at) { at(108) = at(109) = at(111) = 1; });
  EXPECT_EQ(wrong, (wrong_use{kind::left_unwritten, 110}));
}

TEST_F(map_check_of_words, finds_a_result_made_of_what_lies_beside_or_in_a_hole) {
  for (std::ptrdiff_t const element : {-1, 99, 104, 107, 116, 1000})
    EXPECT_EQ(tried_array({mixed_use()}, trial_margins::around).after([&](auto const& at) {
      write_all(at);
      at(110) = at(element);
    }),
              (wrong_use{kind::read_undeclared, 110}))
        << element;
  EXPECT_EQ(after_also([](auto const& at) { at(113) = at(107); }), (wrong_use{kind::read_undeclared, 113}));
}

TEST_F(map_check_of_words, finds_what_was_added_to_instead_of_written) {
  auto const wrong = tried_.after([](auto const& at) {
    for (int i = 108; i < 112; ++i) at(i) += 1;
  });
  EXPECT_EQ(wrong, (wrong_use{kind::read_undeclared, 108}));
}

TEST_F(map_check_of_words, begins_both_trials_with_the_same_values_where_they_are_taken_in) {
  auto const wrong = tried_.after([](auto const& at) {
    for (int i = 108; i < 112; ++i) at(i) = at(112);
    at(115) = 2 * at(115);
  });
  EXPECT_EQ(wrong, std::nullopt);
  EXPECT_EQ(tried_.kept()[115], 232u);
}

TEST_F(map_check_of_words, names_what_was_written_beside_before_what_it_made_wrong) {
  auto const wrong = after_also([](auto const& at) {
    at(108) = at(99);
    at(117) = 1;
  });
  EXPECT_EQ(wrong, (wrong_use{kind::written_undeclared, 117}));
}

/// One by one, with and without margins.
TEST(map_check_of_bytes, finds_each_byte_that_only_one_trial_changed) {
  for (auto const margins : {trial_margins::none, trial_margins::around}) {
    tried_array tried({{one_array, words_from(1, 3), words_from(4, 6)}, {one_array, {}, words_from(2, 3)}},
                      margins);
    tried.after([](auto const& at) { at(2) = at(4) = at(5) = 0; });
    ASSERT_EQ(tried.verdict(), std::nullopt);
    for (auto const& [bytes, use] : tried.check().declared())
      for (auto place = bytes.begin; place < bytes.end; ++place) {
        auto& byte = tried.byte(1, place);
        byte ^= std::byte{1};
        bool const may_write = use == declared_use::written || use == declared_use::updated;
        auto const from_hull = std::ptrdiff_t(place) - std::ptrdiff_t(tried.check().hull_offset());
        auto const element = (from_hull + 4 * 10'000) / 4 - 10'000 + 1;
        EXPECT_EQ(tried.verdict(),
                  (wrong_use{may_write ? kind::read_undeclared : kind::written_undeclared, element}))
            << place;
        byte ^= std::byte{1};
      }
  }
}

TEST(map_check_of_bytes, lets_some_bytes_of_an_element_stay_unwritten_but_not_all) {
  struct padded {
    double value;
    char letter;
  };
  array_use const use{one_array, {}, byte_runs(region{{0, 2}}, extents{2}, sizeof(padded))};
  map_check const check({&use, 1}, {2 * sizeof(padded), sizeof(padded)}, trial_margins::none);
  std::vector<std::byte> array(check.bytes()), first(check.bytes()), second(check.bytes());
  check.prepare(first.data(), 0, array.data());
  check.prepare(second.data(), 1, array.data());
  for (auto* const memory : {&first, &second}) std::memset(memory->data(), 0, sizeof(double) + 1);
  EXPECT_EQ(check.verdict({first.data(), second.data()}, array.data()), (wrong_use{kind::left_unwritten, 1}));
}

TEST(memory_of_a_trial, keeps_the_distance_of_the_hull_from_a_multiple_of_256_bytes) {
  for (std::size_t const first : {0u, 1u, 63u, 64u, 100u}) {
    array_use const use{one_array, words_from(first, 200), {}};
    map_check const exact({&use, 1}, {4000, 4}, trial_margins::none),
        around({&use, 1}, {4000, 4}, trial_margins::around);
    EXPECT_EQ(exact.hull_offset(), first * 4 % 256);
    EXPECT_EQ(exact.bytes(), exact.hull_offset() + (200 - first) * 4);
    EXPECT_EQ(around.hull_offset() % 256, first * 4 % 256);
    EXPECT_GE(around.hull_offset(), 4096 + first * 4);
    EXPECT_EQ(around.bytes(), around.hull_offset() + (200 - first) * 4 + 800 * 4 + 4096);
  }
}

TEST(memory_of_a_trial, holds_at_most_16_MiB_of_the_array_on_each_side) {
  constexpr std::size_t elements = std::size_t{1} << 40, middle = elements / 2, most = std::size_t{16} << 20;
  array_use const use{one_array, words_from(middle, middle + 1, elements), {}};
  map_check const check({&use, 1}, {elements * 4, 4}, trial_margins::around);
  EXPECT_EQ(check.bytes(), 2 * (most + 4096) + 4);
}

TEST(memory_of_a_trial, is_declared_by_rows_of_a_box) {
  extents const shape{4, 5, 6};
  region const inner(box{{{{1, 3}, {2, 4}, {3, 5}}}});
  array_use const use{one_array, byte_runs(inner, shape, 4), {}};
  map_check const check({&use, 1}, {shape.elements() * 4, 4}, trial_margins::none);
  std::size_t read = 0, rows = 0;
  for (auto const& [bytes, how] : check.declared()) {
    if (how != declared_use::read) continue;
    EXPECT_EQ(bytes.size(), 8u);
    read += bytes.size();
    ++rows;
  }
  EXPECT_EQ(read, 8u * 4);
  EXPECT_EQ(rows, 4u);
}

using sets = std::vector<std::vector<std::size_t>>;

TEST(arguments_that_share_memory, are_those_that_meet_in_one_array_where_one_of_them_writes) {
  array_use const reads_low{one_array, words_from(0, 10), {}}, reads_more{one_array, words_from(5, 20), {}},
      writes_middle{one_array, {}, words_from(8, 12)}, writes_high{one_array, {}, words_from(30, 40)},
      elsewhere{other_array, {}, words_from(0, 40)}, nothing{one_array, {}, {}};
  EXPECT_EQ(arguments_that_share(std::vector{reads_low, reads_more}), (sets{{0}, {1}}));
  EXPECT_EQ(arguments_that_share(std::vector{reads_low, writes_high, elsewhere}), (sets{{0}, {1}, {2}}));
  EXPECT_EQ(arguments_that_share(std::vector{nothing, reads_low, nothing}), (sets{{1}}));
  EXPECT_EQ(arguments_that_share(std::vector{reads_low, elsewhere, reads_more, writes_middle, writes_high}),
            (sets{{1}, {0, 2, 3}, {4}}));
  array_use const writes_across{one_array, {}, words_from(9, 31)};
  EXPECT_EQ(arguments_that_share(std::vector{writes_middle, writes_high, reads_low, writes_across}),
            (sets{{0, 1, 2, 3}}))
      << "in their order, though those that met first were 0 and 2";
}

}  // namespace
}  // namespace ballast::test
