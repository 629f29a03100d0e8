// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "job_fixture.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

class job_refusal : public testing::Test {
 protected:
  job_scheduler jobs_{two_devices(), kernels(), {.device_bytes = enough_device_bytes}};
  words all_{jobs_, {12}, "all"};

  template <class Access>
  std::string refused(job_setup const& setup, Access access) {
    return refused_argument([&] { jobs_.submit(setup, access, [](auto any) { return count_visits{any}; }); });
  }
};

TEST_F(job_refusal, names_what_is_wrong) {
  EXPECT_EQ(refused({7}, updates(all_)), "map");
  EXPECT_EQ(refused({.grid = 12, .policy = "best"}, updates(all_)), "policy");
  EXPECT_EQ(refused({job_grid({12, 3}, cut::x)}, updates(all_)), "grid");
  EXPECT_EQ(refused({.grid = 12, .device = 2}, updates(all_)), "device");
  EXPECT_EQ(refused({{65536, 65536}}, updates(all_, all)), "grid");
  EXPECT_EQ(
      refused_argument([&] { jobs_.submit({12}, updates(all_), [](auto any) { return unlisted{any}; }); }),
      "kernel");
  job_scheduler others(two_devices(), kernels(), {.device_bytes = enough_device_bytes});
  words foreign(others, {12});
  EXPECT_EQ(refused({12}, updates(foreign)), "arguments");
}

TEST_F(job_refusal, names_options) {
  auto const refused_option = [](job_options const& options) {
    return refused_argument([&] { job_scheduler(two_devices(), options); });
  };
  EXPECT_EQ(refused_option({.policy = "best"}), "policy");
  EXPECT_EQ(refused_option({.tasks = 0}), "tasks");
  EXPECT_EQ(refused_option({.in_flight = 65}), "in_flight");
  EXPECT_EQ(refused_option({.device_bytes = 1}), "device_bytes");
  recorder of_one_device({"host"});
  EXPECT_EQ(refused_option({.trace_to = &of_one_device}), "trace_to");
  EXPECT_EQ(refused_argument([] { job_scheduler{device_list{}}; }), "devices");
  EXPECT_EQ(refused_argument([] { job_scheduler{device_list{nullptr}}; }), "devices");
  EXPECT_EQ(refused_argument([&] { all_.read({3, 13}); }), "elements");
}

TEST_F(job_refusal, changes_nothing) {
  fill_with(all_, 3);
  refused({7}, updates(all_));
  EXPECT_EQ(jobs_.statistics().submitted, 0u);
  EXPECT_EQ(values_of(all_), std::vector<std::uint32_t>(12, 3));
}

TEST_F(job_refusal, says_which_units_write_one_element) {
  access_map const meeting = [](map_view const& view) -> region {
    auto const end = std::size_t(view.part.first) + view.part.count;
    return {{view.part.first, std::min<std::size_t>(end + (end == 5 ? 1 : 0), view.array.elements())}};
  };
  try {
    jobs_.submit({12}, updates(all_, meeting), [](auto any) { return count_visits{any}; });
    FAIL() << "units 4 and 5 both write element 5";
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(refusal.argument(), "arguments");
    EXPECT_THAT(refusal.what(), testing::HasSubstr("array 'all', of which units 4 and 5 touch element 5"));
  }
}

TEST_F(job_refusal, is_of_a_stencil_in_place) {
  word_rows grid(jobs_, {6, 2});
  auto const refused_in_place = [&](access_map const& read) {
    return refused_argument([&] {
      jobs_.submit({6}, reads(grid, read), writes(grid, rows), [](auto from, auto to) {
        return mix_rows{from, to, 6, 2};
      });
    });
  };
  EXPECT_EQ(refused_in_place(neighborhood(1)), "arguments");
  EXPECT_EQ(refused_in_place(all), "arguments");
}

TEST_F(job_refusal, is_of_one_array_twice_where_two_arrays_were_right_before) {
  word_rows from(jobs_, {6, 2}), to(jobs_, {6, 2});
  auto const step = [&](word_rows& read, word_rows& written) {
    jobs_.submit({6}, reads(read, neighborhood(1)), writes(written, rows), [](auto before, auto after) {
      return mix_rows{before, after, 6, 2};
    });
  };
  from.write();
  step(from, to);
  EXPECT_EQ(refused_argument([&] { step(to, to); }), "arguments");
}

TEST_F(job_refusal, is_of_a_map_that_says_so_wherever_another_was_right_before) {
  word_rows to(jobs_, {6, 2});
  auto const write = [&](access_map const& map) {
    jobs_.submit({6}, writes(to, map), [](auto all) { return count_visits{all}; });
  };
  write(rows);
  EXPECT_EQ(refused_argument([&] { write(all); }), "arguments");
}

TEST_F(job_refusal, is_sought_once_in_a_map_that_cannot_say) {
  constexpr std::uint32_t units = 1000;
  words many(jobs_, {units});
  fill_with(many, 0);
  static thread_local std::uint32_t calls;  // other threads plan too
  access_map const map = [](map_view const& view) -> region {
    ++calls;
    return {{view.part.first, view.part.first + view.part.count}};
  };
  auto const calls_to_submit = [&] {
    calls = 0;
    jobs_.submit({.grid = units, .policy = "static"}, updates(many, map),
                 [](auto all) { return count_visits{all}; });
    return calls;
  };
  std::uint32_t const first = calls_to_submit(), second = calls_to_submit();
  EXPECT_GE(first, units);
  EXPECT_LT(second, units);
}

TEST_F(job_refusal, names_a_grid_of_more_blocks_than_can_be_counted) {
  EXPECT_EQ(refused({{1u << 22, 1u << 22, 1u << 20}}, updates(all_, all)), "grid");
}

TEST_F(job_refusal, is_of_a_unit_that_fits_on_no_device) {
  job_scheduler small(two_devices(), kernels(), {.device_bytes = 4096});
  words big(small, {4096}, "big");
  try {
    small.submit({2}, updates(big, one_to_one(2048)), [](auto any) { return count_visits{any}; });
    FAIL() << "a unit needs 8192 bytes";
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(refusal.argument(), "device_bytes");
    EXPECT_THAT(refusal.what(), testing::HasSubstr("8192"));
    EXPECT_THAT(refusal.what(), testing::HasSubstr("array 'big'"));
  }
}

}  // namespace
}  // namespace ballast::test
