// SPDX-License-Identifier: Apache-2.0
// From which of several devices a scheduler copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "job_fixture.hpp"
#include "job_journal.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Copies to the host are carried out by the devices that they come from.
std::vector<std::uint32_t> sources_of_copies_to_host(job_journal const& journal) {
  constexpr std::uint32_t copies_out = 3;
  std::vector<std::uint32_t> devices;
  for (auto const& line : journal.lines(journal_line::what::submitted))
    if (line.stream == copies_out) devices.push_back(line.device);
  return devices;
}

/// What was copied earlier is under way no more, so that one device is as near as the other.
TEST(source_of_a_copy, is_the_first_of_equal_devices_however_much_that_has_sent_before) {
  job_scheduler jobs(open_devices("host:1,host:1"), kernels(),
                     {.policy = "static", .device_bytes = enough_device_bytes});
  job_journal const journal(jobs);
  words sent(jobs, {1}), shared(jobs, {1}), sums(jobs, {2});
  fill_with(sent, 1);
  fill_with(shared, 1);
  auto const count = [](auto all) { return count_visits{all}; };
  jobs.submit({1}, updates(sent), count);  // a job of one unit goes to the first device
  EXPECT_EQ(sent.read()[0], 2u);
  jobs.submit({1}, updates(shared), count);
  jobs.submit({2}, reads(shared, all), writes(sums),
              [](auto from, auto to) {
                return add_all{from, to, 1};
              })
      .wait();
  EXPECT_EQ(shared.read()[0], 2u);
  EXPECT_EQ(sources_of_copies_to_host(journal), (std::vector<std::uint32_t>{0, 0}));
}

}  // namespace
}  // namespace ballast::test
