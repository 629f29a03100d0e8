// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "every_device.hpp"
#include "word_kernels.cuh"

namespace ballast::test {
namespace {

/// On every device; the suites below give the type of the words.
template <class Word>
class atomic_words : public every_device {
 protected:
  template <class K>
  void run(std::shared_ptr<compute_device> const& device, kernel_code const& code, std::uint32_t blocks,
           K const& kernel) {
    auto const work = device->make_stream();
    work->launch(code, blocks, &kernel, sizeof kernel);
    work->synchronize();
  }
};
template <class Word>
class atomic_integers : public atomic_words<Word> {};

using integers = testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(atomic_integers, integers);
using numbers = testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(atomic_words, numbers);

/// Numbers of both signs and of all sizes; of floats also those that only their bits tell apart.
template <class Word>
std::vector<Word> values_of() {
  using limits = std::numeric_limits<Word>;
  std::vector<Word> values{0, 1, 2, 1000, limits::max(), limits::lowest(), Word(limits::max() / 3)};
  if constexpr (std::is_signed_v<Word>) values.insert(values.end(), {Word(-1), Word(-2), Word(-1000)});
  if constexpr (std::is_floating_point_v<Word>)
    values.insert(values.end(), {-Word(0), limits::infinity(), -limits::infinity(), limits::denorm_min(),
                                 -limits::denorm_min(), limits::quiet_NaN(), -limits::quiet_NaN()});
  return values;
}

template <class Word>
bool has_same_bits(Word a, Word b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// True if they are the same, or both are NaN: which NaN a sum is, differs between processors.
template <class Word>
bool is_same_number(Word a, Word b) {
  return a == b || (a != a && b != b);
}

TYPED_TEST(atomic_words, return_what_they_held_and_hold_what_they_were_to_for_all_pairs_of_numbers) {
  for (auto const& device : this->devices_) {
    auto const given = values_of<TypeParam>();
    auto const count = std::uint32_t(given.size());
    pinned_buffer<TypeParam> values(device, count), places(device, count * count);
    pinned_buffer<met_word<TypeParam>> met(device, count * count);
    std::ranges::copy(given, values.data());
    meet_values<TypeParam> const kernel{array_ref<TypeParam const>(values.data()), array_ref(places.data()),
                                        array_ref(met.data())};
    this->run(device, meet_values_kernel<TypeParam>(), count, kernel);
    for (std::uint32_t pair = 0; pair < count * count; ++pair) {
      auto const word = given[pair / count], value = given[pair % count];
      auto const& is = met[pair];
      SCOPED_TRACE(testing::Message() << device->name() << ": " << +word << " meets " << +value);
      for (auto const before : {is.before_max, is.before_min, is.before_sum, is.before_exchange})
        EXPECT_TRUE(has_same_bits(before, word)) << +before;
      for (auto const max : {is.max, is.stored_max})
        EXPECT_TRUE(has_same_bits(max, word < value ? value : word)) << +max;
      for (auto const min : {is.min, is.stored_min})
        EXPECT_TRUE(has_same_bits(min, value < word ? value : word)) << +min;
      EXPECT_TRUE(has_same_bits(is.exchanged, value)) << +is.exchanged;
      EXPECT_EQ(is.raised, TypeParam(word < value));
      EXPECT_EQ(is.lowered, TypeParam(value < word));
      EXPECT_EQ(is.replaced_itself, TypeParam(1));
      EXPECT_EQ(is.replaced_value, TypeParam(has_same_bits(word, value)));
      if constexpr (std::is_floating_point_v<TypeParam>) {
        auto const sum = word + value;
        bool const may_be_zero = std::fpclassify(sum) == FP_SUBNORMAL;
        EXPECT_TRUE(is_same_number(is.sum, sum) || (may_be_zero && is.sum == 0)) << is.sum;
      } else {
        using wrapping = std::make_unsigned_t<TypeParam>;
        EXPECT_EQ(is.sum, TypeParam(wrapping(wrapping(word) + wrapping(value))));
      }
    }
  }
}

TYPED_TEST(atomic_words, lose_nothing_among_many_threads_and_one_of_these_improves_them) {
  for (auto const& device : this->devices_) {
    constexpr std::uint32_t blocks = 100, threads = 32 * blocks;
    pinned_buffer<TypeParam> numbers(device, threads), replaced(device, threads);
    device_buffer<shared_words<TypeParam>> shared(device, 1);
    pinned_buffer<shared_words<TypeParam>> seen(device, 1);
    // From 1 on; of signed numbers every other one is below 0.
    for (std::uint32_t i = 0; i < threads; ++i)
      numbers[i] =
          TypeParam(std::is_signed_v<TypeParam> && i % 2 == 1 ? -TypeParam(i + 1) : TypeParam(i + 1));
    seen[0] = {numbers[0], numbers[0], 0, 0, 0, 0};
    auto const work = device->make_stream();
    work->copy(shared.data(), seen.data(), seen.bytes());
    work->synchronize();
    TypeParam const most = threads + 1,
                    least = std::is_signed_v<TypeParam> ? TypeParam(0) - most : TypeParam(0);
    share_words<TypeParam> const kernel{array_ref<TypeParam const>(numbers.data()),
                                        array_ref(replaced.data()), array_ref(shared.data()), most, least};
    this->run(device, share_words_kernel<TypeParam>(), blocks, kernel);
    work->copy(seen.data(), shared.data(), seen.bytes());
    work->synchronize();
    EXPECT_EQ(seen[0].highest, most);
    EXPECT_EQ(seen[0].lowest, least);
    EXPECT_EQ(seen[0].raised, TypeParam(1));
    EXPECT_EQ(seen[0].lowered, TypeParam(1));
    std::vector<TypeParam> before(replaced.span().begin(), replaced.span().end());
    before.push_back(seen[0].last);
    std::vector<TypeParam> expected(numbers.span().begin(), numbers.span().end());
    expected.push_back(0);
    EXPECT_EQ(seen[0].sum, std::accumulate(expected.begin(), expected.end(), TypeParam(0)));
    std::ranges::sort(before);
    std::ranges::sort(expected);
    EXPECT_EQ(before, expected);
  }
}

TYPED_TEST(atomic_integers, give_each_bit_to_the_one_thread_that_sets_it_first) {
  for (auto const& device : this->devices_) {
    constexpr auto bits = set_bits<TypeParam>::bits;
    pinned_buffer<TypeParam> word(device, 1), first(device, 1);
    device_buffer<TypeParam> on_device(device, 2);
    auto const work = device->make_stream();
    work->fill(on_device.data(), 0, on_device.bytes());
    work->synchronize();
    set_bits<TypeParam> const kernel{array_ref(on_device.data()), array_ref(on_device.data() + 1)};
    this->run(device, set_bits_kernel<TypeParam>(), 20, kernel);
    work->copy(word.data(), on_device.data(), word.bytes());
    work->copy(first.data(), on_device.data() + 1, first.bytes());
    work->synchronize();
    EXPECT_EQ(word[0], TypeParam((TypeParam(1) << (bits - 1)) - 1 + (TypeParam(1) << (bits - 1))));
    EXPECT_EQ(first[0], TypeParam(bits));
  }
}

}  // namespace
}  // namespace ballast::test
