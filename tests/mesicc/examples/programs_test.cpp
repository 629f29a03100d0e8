// SPDX-License-Identifier: Apache-2.0
// The programs of examples/06_mesi, as mesicc translates them, beside the same programs written as jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "ep/kernels.hpp"
#include "ep/shared_pairs.hpp"
#include "hotspot/kernels.hpp"
#include "hotspot/plate.hpp"
#include "hotspot/shared_plate.hpp"
#include "is_deep_run.hpp"
#include "matmul/kernels.hpp"
#include "matmul/shared_product.hpp"

namespace ballast::mesi {
namespace {

constexpr char two_cores[] = "BALLAST_DEVICES=host:1,host:1 BALLAST_DEVICE_BYTES=67108864";
job_options const small_memory{.device_bytes = 1u << 26};

/// Of a program beside this one.
std::string path_of(std::string const& program) {
  return std::filesystem::canonical("/proc/self/exe").parent_path() / ("ballast_mesi_" + program);
}

/// The exit code, and what was printed, where the environment has these variables too.
struct outcome {
  std::string out;
  int code = -1;
};
outcome run(std::string const& program, std::string const& variables) {
  auto const line =
      std::string("env ") + two_cores + " " + variables + " timeout 250 '" + path_of(program) + "'";
  auto* const pipe = popen(line.c_str(), "r");
  outcome found;
  for (std::array<char, 256> some; std::fgets(some.data(), some.size(), pipe) != nullptr;)
    found.out += some.data();
  int const status = pclose(pipe);
  if (WIFEXITED(status)) found.code = WEXITSTATUS(status);
  return found;
}

/// FNV-1a of the bits of elements of 32 bits, as the programs have it.
template <class Elements>
std::string hash_of(Elements const& all) {
  unsigned long long sum = 14695981039346656037ull;
  for (auto const& element : all) sum = (sum ^ std::bit_cast<std::uint32_t>(element)) * 1099511628211ull;
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016llx", sum);
  return text.data();
}

std::string product_by_a_job() {
  job_scheduler jobs(open_devices("host:1"), matmul::product_kernels(), small_memory);
  matmul::shared_product product(jobs, {256, 256, 256});
  product.fill();
  product.submit(matmul::product_kernel::naive);
  return "right, " + hash_of(product.read().c) + "\n";
}

std::string pairs_by_a_job() {
  job_scheduler jobs(open_devices("host:1"), ep::pair_kernels(), small_memory);
  ep::shared_pairs pairs(jobs, 24);
  pairs.submit();
  auto const found = pairs.read();
  std::array<char, 64> sums;
  std::snprintf(sums.data(), sums.size(), "right, %.17g %.17g", found.sx, found.sy);
  std::string text = sums.data();
  for (auto const count : found.counts) text += " " + std::to_string(count);
  return text + "\n";
}

std::string heat_by_jobs() {
  constexpr hotspot::plate cells{96, 80};
  std::vector<float> temperature(cells.cells()), power(cells.cells());
  hotspot::fill_temperature<float>(cells, temperature);
  hotspot::fill_power<float>(cells, power);
  job_scheduler jobs(open_devices("host:1"), hotspot::heat_kernels(), small_memory);
  hotspot::shared_plate<float> plate(jobs, cells, hotspot::factors_of(cells));
  plate.fill(temperature, power);
  plate.run(50);
  return "right, " + hash_of(plate.temperature()) + "\n";
}

struct known_program {
  char const* name;
  std::string (*by_jobs)();
  bool takes_long;
  char const* small_memory;  ///< for tasks, but not for all variables, in bytes
};
void PrintTo(known_program const& program, std::ostream* to) { *to << program.name; }

class mesi_program : public testing::TestWithParam<known_program> {
 protected:
  void expect_equal_on(std::string const& variables) const {
    auto const found = run(GetParam().name, variables);
    EXPECT_EQ(found.code, 0) << variables;
    EXPECT_EQ(found.out, expected_) << variables;
  }

 private:
  std::string const expected_ = GetParam().by_jobs();
};

TEST_P(mesi_program, gives_the_bits_of_the_jobs_written_by_hand_under_each_policy) {
  for (auto const* const policy : {"static", "master_worker", "guided", "learned"})
    expect_equal_on(std::string("BALLAST_POLICY=") + policy);
}

TEST_P(mesi_program, gives_these_bits_on_any_number_of_tasks_and_keeps_to_its_ranges) {
  for (int const tasks : GetParam().takes_long ? std::vector{1, 31, 61} : test::task_counts())
    expect_equal_on("BALLAST_POLICY=master_worker BALLAST_CHECK_MAPS=1 BALLAST_TASKS=" +
                    std::to_string(tasks));
}

TEST_P(mesi_program, gives_these_bits_on_devices_that_hold_a_part_of_its_variables) {
  expect_equal_on(std::string("BALLAST_POLICY=master_worker BALLAST_TASKS=61 BALLAST_DEVICE_BYTES=") +
                  GetParam().small_memory);
}

INSTANTIATE_TEST_SUITE_P(examples, mesi_program,
                         testing::Values(known_program{"matmul", product_by_a_job, false, "400000"},
                                         known_program{"ep", pairs_by_a_job, true, "1000000"},
                                         known_program{"hotspot", heat_by_jobs, false, "40000"}),
                         [](auto const& of) { return std::string(of.param.name); });

class checked_program : public testing::TestWithParam<char const*> {};

/// Programs of the translator's tests, which print what they have come to; on BALLAST_TEST_DEVICES, if that
/// is set. Ranges are checked on cores only.
TEST_P(checked_program, prints_the_same_on_1_to_61_tasks_and_keeps_to_its_ranges) {
  auto const* const asked = std::getenv("BALLAST_TEST_DEVICES");
  std::string const devices = asked != nullptr ? asked : "host:1,host:1";
  bool const can_check = devices.find("cuda") == std::string::npos;
  auto const expected = run(GetParam(), "BALLAST_DEVICES=host:1 BALLAST_TASKS=1");
  ASSERT_EQ(expected.code, 0);
  ASSERT_NE(expected.out, "");
  for (int const tasks : can_check ? test::task_counts() : std::vector{1, 21, 41, 61}) {
    auto const found = run(GetParam(), "BALLAST_DEVICES=" + devices + " BALLAST_POLICY=master_worker" +
                                           " BALLAST_CHECK_MAPS=" + (can_check ? "1" : "0") +
                                           " BALLAST_TASKS=" + std::to_string(tasks));
    EXPECT_EQ(found.code, 0) << tasks << " tasks";
    EXPECT_EQ(found.out, expected.out) << tasks << " tasks";
  }
}

INSTANTIATE_TEST_SUITE_P(translated, checked_program,
                         testing::Values("steps", "pointers", "corners", "addresses", "names", "taken_names",
                                         "plain", "stencils", "irregular"),
                         [](auto const& of) { return std::string(of.param); });

}  // namespace
}  // namespace ballast::mesi
