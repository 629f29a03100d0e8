// SPDX-License-Identifier: Apache-2.0
// What needs no scheduler: blocks of threads, divisions, and what the environment says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/detail/mesi/kernel.cuh"
#include "ballast/detail/mesi/launch.hpp"
#include "ballast/detail/mesi/program.hpp"
#include "refused_argument.hpp"

namespace ballast::mesi {
namespace {

/// Counts in host memory.
template <launch_form Form>
struct visit {
  static constexpr launch_form form = Form;
  int* visits;
  int width;
  void operator()(thread_id of) const { ++visits[of.y * width + of.x]; }
};

/// A block as the core's, by one thread, or as a GPU's, by several.
template <int Threads>
struct block_number {
  static constexpr int threads = Threads;
  std::uint32_t number;
  std::uint32_t index() const { return number; }
  template <class Count, class F>
  void for_each(Count, F const& f) const {
    for (std::uint32_t i = 0; i < std::uint32_t(Threads); ++i) f(i);
  }
};

template <launch_form Form, int Threads>
void expect_each_thread_once(std::uint32_t x, std::uint32_t y) {
  std::vector<int> visits(x * y);
  thread_blocks<visit<Form>> const all{{visits.data(), int(x)}, x, y};
  for (std::uint32_t i = 0; i < all.blocks_x() * all.blocks_y(); ++i) {
    block_number<Threads> block{i};
    all(block);
  }
  EXPECT_THAT(visits, testing::Each(1)) << x << " by " << y;
}

template <launch_form Form>
void expect_each_thread_once() {
  for (std::uint32_t const x : {1u, 7u, 8u, 9u, 33u})
    for (std::uint32_t const y : {1u, 2u, 3u, 17u}) {
      expect_each_thread_once<Form, 1>(x, y);
      expect_each_thread_once<Form, int(Form.block_x * Form.block_y)>(x, y);
    }
}

TEST(mesi_blocks, have_each_thread_of_a_launch_once) {
  expect_each_thread_once<launch_form{8, 2, axis::y}>();
  expect_each_thread_once<launch_form{8, 2, axis::x}>();
  expect_each_thread_once<launch_form{8, 2, axis::none}>();
  expect_each_thread_once<launch_form{32, 1, axis::x}>();
  expect_each_thread_once<launch_form{1, 16, axis::y}>();
}

TEST(mesi_blocks, whose_threads_have_several_rows_have_each_thread_of_a_launch_once) {
  expect_each_thread_once<launch_form{8, 2, axis::y, 3}>();
  expect_each_thread_once<launch_form{8, 1, axis::x, 8}>();
  expect_each_thread_once<launch_form{4, 2, axis::none, 2, registers::few}>();
}

TEST(mesi_bounds, are_whole_numbers_that_ranges_can_be_computed_from) {
  launch_uses const of(launch_form{}, threads(1), "k");
  enum class letter : unsigned char { c = 3 };
  EXPECT_EQ(of.bound(-5, "n"), -5);
  EXPECT_EQ(of.bound(true, "n"), 1);
  EXPECT_EQ(of.bound(letter::c, "n"), 3);
  EXPECT_EQ(of.bound(std::uint64_t{1} << 40, "n"), std::int64_t{1} << 40);
  for (std::int64_t const far : {(std::int64_t{1} << 40) + 1, std::numeric_limits<std::int64_t>::min()})
    EXPECT_EQ(test::refused_argument([&] { of.bound(far, "n"); }), "n of k");
  EXPECT_EQ(test::refused_argument([&] { of.bound(std::numeric_limits<std::size_t>::max(), "n"); }),
            "n of k");
}

TEST(mesi_division, goes_towards_minus_infinity) {
  EXPECT_EQ(floor_divide(7, 2), 3);
  EXPECT_EQ(floor_divide(6, 2), 3);
  EXPECT_EQ(floor_divide(0, 5), 0);
  EXPECT_EQ(floor_divide(-1, 5), -1);
  EXPECT_EQ(floor_divide(-5, 5), -1);
  EXPECT_EQ(floor_divide(-6, 5), -2);
}

/// As long as it is there, the variable has a value, and afterwards the one that it had.
class set_variable {
 public:
  set_variable(char const* name, char const* value) : name_(name), before_(environment(name)) {
    setenv(name, value, 1);
  }
  ~set_variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  char const* name_;
  std::optional<std::string> before_;
};

TEST(mesi_environment, says_how_jobs_are_cut_and_how_long_is_waited) {
  set_variable const policy("BALLAST_POLICY", "guided"), tasks("BALLAST_TASKS", "61"),
      checks("BALLAST_CHECK_MAPS", "1");
  set_variable const bytes("BALLAST_DEVICE_BYTES", "8192"), timeout("BALLAST_TIMEOUT", "5");
  auto const options = options_of_environment();
  EXPECT_EQ(options.policy, "guided");
  EXPECT_EQ(options.tasks, 61u);
  EXPECT_TRUE(options.check_maps);
  EXPECT_EQ(options.device_bytes, 8192u);
  EXPECT_EQ(options.shutdown_timeout, std::chrono::seconds(5));
}

TEST(mesi_environment, is_refused_by_the_name_of_the_variable) {
  for (auto const& [name, value] : {std::pair{"BALLAST_TASKS", "0"},
                                    {"BALLAST_POLICY", "fastest"},
                                    {"BALLAST_TASKS", "many"},
                                    {"BALLAST_CHECK_MAPS", "yes"},
                                    {"BALLAST_DEVICE_BYTES", "4095"},
                                    {"BALLAST_TIMEOUT", "0"}}) {
    set_variable const wrong(name, value);
    EXPECT_EQ(test::refused_argument([] { options_of_environment(); }), name) << value;
  }
}

}  // namespace
}  // namespace ballast::mesi
