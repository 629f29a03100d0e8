// SPDX-License-Identifier: Apache-2.0
#include "published_arrays.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "ballast/error.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

void const* pointer(std::uint64_t address) {
  return reinterpret_cast<void const*>(static_cast<std::uintptr_t>(address));
}

TEST(published_arrays, turn_an_address_of_one_rank_into_that_of_another) {
  published_arrays here, there;
  std::array<std::uint64_t, 3> const first_here{0x9000, 0x1000, 0x5000},
      first_there{0x100000, 0x700000, 0x300000};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(here.publish(pointer(first_here[i]), 0x1000), there.publish(pointer(first_there[i]), 0x1000));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::uint64_t const offset : {0u, 1u, 8u, 0xfffu}) {
      auto const word = here.encode(first_here[i] + offset);
      ASSERT_TRUE(word);
      EXPECT_EQ(*word, std::uint64_t(i + 1) << 48 | offset);
      EXPECT_EQ(there.decode(*word), first_there[i] + offset);
    }
}

TEST(published_arrays, leave_null_as_it_is) {
  published_arrays const none;
  EXPECT_EQ(none.encode(0), 0u);
  EXPECT_EQ(none.decode(0), 0u);
}

TEST(published_arrays, know_no_address_outside_of_them) {
  published_arrays arrays;
  EXPECT_EQ(arrays.encode(0x1000), std::nullopt);
  arrays.publish(pointer(0x1000), 0x100);
  arrays.publish(pointer(0x1200), 0x100);
  for (std::uint64_t const address : {0x1u, 0xfffu, 0x1100u, 0x11ffu, 0x1300u})
    EXPECT_EQ(arrays.encode(address), std::nullopt) << address;
  EXPECT_EQ(arrays.encode(std::numeric_limits<std::uint64_t>::max()), std::nullopt);
}

TEST(published_arrays, decode_nothing_that_is_not_published_here) {
  published_arrays arrays;
  arrays.publish(pointer(0x1000), 0x100);
  std::uint64_t const id = std::uint64_t(1) << 48;
  EXPECT_EQ(arrays.decode(id | 0xff), 0x10ffu);
  for (std::uint64_t const word : {id | 0x100, id + id, std::uint64_t(5), ~std::uint64_t(0)})
    EXPECT_EQ(arrays.decode(word), std::nullopt) << word;
}

TEST(published_arrays, may_touch_and_not_overlap) {
  published_arrays arrays;
  arrays.publish(pointer(0x1000), 0x100);
  auto const refuses = [&](std::uint64_t first, std::size_t bytes) {
    return refused_argument([&] { arrays.publish(pointer(first), bytes); }) == "first";
  };
  EXPECT_TRUE(refuses(0x1000, 0x100));
  EXPECT_TRUE(refuses(0x10ff, 1));
  EXPECT_TRUE(refuses(0xf00, 0x101));
  EXPECT_TRUE(refuses(0x1, 0x10000));
  EXPECT_TRUE(refuses(0, 8));
  arrays.publish(pointer(0x1100), 1);
  arrays.publish(pointer(0xf00), 0x100);
  EXPECT_EQ(arrays.encode(0x1100), std::uint64_t(2) << 48);
}

TEST(published_arrays, have_bytes_within_the_address_space) {
  published_arrays arrays;
  for (std::size_t const bytes : {std::size_t(0), published_arrays::max_array_bytes + 1})
    EXPECT_EQ(refused_argument([&] { arrays.publish(pointer(0x1000), bytes); }), "bytes");
  EXPECT_EQ(refused_argument([&] { arrays.publish(pointer(~std::uint64_t(0xff)), 0x1000); }), "bytes");
}

TEST(published_arrays, are_withdrawn_and_their_ids_not_given_again) {
  published_arrays arrays;
  auto const first = arrays.publish(pointer(0x1000), 0x100);
  arrays.publish(pointer(0x2000), 0x100);
  auto const word = arrays.encode(0x1010);
  arrays.withdraw(first);
  EXPECT_EQ(arrays.encode(0x1010), std::nullopt);
  EXPECT_EQ(arrays.decode(*word), std::nullopt);
  EXPECT_NE(arrays.encode(0x2000), std::nullopt);
  EXPECT_EQ(arrays.publish(pointer(0x1000), 0x100).value(), 3);
  EXPECT_EQ(refused_argument([&] { arrays.withdraw(first); }), "id");
  EXPECT_EQ(refused_argument([&] { arrays.withdraw(published_id(0)); }), "id");
  EXPECT_EQ(refused_argument([&] { arrays.withdraw(published_id(4)); }), "id");
}

TEST(published_arrays, are_65535_at_most) {
  published_arrays arrays;
  for (std::uint64_t i = 1; i <= published_arrays::max_arrays; ++i) arrays.publish(pointer(i * 16), 16);
  EXPECT_THROW(arrays.publish(pointer(16 * 70000), 16), error);
  auto const word = arrays.encode(65535 * 16 + 7);
  ASSERT_TRUE(word);
  EXPECT_EQ(*word, std::uint64_t(65535) << 48 | 7);
}

}  // namespace
}  // namespace ballast::test
