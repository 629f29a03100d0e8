// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "ballast/error.hpp"
#include "device_choice.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(gpu_code, runs_machine_code_on_the_same_major_version_and_no_smaller_minor_one) {
  gpu_code const code("75 86");
  for (auto const gpu : {compute_capability{7, 5}, {8, 6}, {8, 9}}) EXPECT_TRUE(code.runs_on(gpu));
  for (auto const gpu : {compute_capability{7, 0}, {8, 0}, {9, 0}, {6, 1}}) EXPECT_FALSE(code.runs_on(gpu));
}

TEST(gpu_code, runs_ptx_on_every_later_gpu) {
  gpu_code const code("80+");
  for (auto const gpu : {compute_capability{8, 0}, {8, 6}, {9, 0}, {12, 1}}) EXPECT_TRUE(code.runs_on(gpu));
  EXPECT_FALSE(code.runs_on({7, 5}));
}

TEST(gpu_code, runs_what_has_a_letter_on_one_gpu_or_its_family_in_ptx_too) {
  for (auto const* const listed : {"90a", "90a+"}) {
    EXPECT_TRUE(gpu_code(listed).runs_on({9, 0}));
    EXPECT_FALSE(gpu_code(listed).runs_on({9, 1}));
    EXPECT_FALSE(gpu_code(listed).runs_on({10, 0}));
  }
  for (auto const* const listed : {"100f", "100f+"}) {
    EXPECT_TRUE(gpu_code(listed).runs_on({10, 3}));
    EXPECT_FALSE(gpu_code(listed).runs_on({12, 0}));
  }
}

TEST(gpu_code, of_a_build_without_any_runs_nowhere) {
  EXPECT_FALSE(gpu_code("").runs_on({9, 0}));
  EXPECT_EQ(gpu_code("").description(), "no GPU");
}

TEST(gpu_code, is_told_in_the_numbers_that_gpus_are_known_by) {
  EXPECT_EQ(gpu_code("75 80 90 100 100+ 120").description(), "7.5, 8.0, 9.0, 10.0 and later, 12.0");
  EXPECT_EQ(gpu_code("90a 90a+ 100f 121+").description(), "9.0 only, 10.0, 12.1 and later");
}

TEST(gpu_code, refuses_words_that_are_no_architectures) {
  for (auto const* const listed : {"native", "8", "80x", "80 +", "90af", "-80", "80++"}) {
    try {
      gpu_code const code(listed);
      ADD_FAILURE() << listed << " was accepted";
    } catch (bad_argument const& refusal) { EXPECT_EQ(refusal.argument(), "BALLAST_GPU_CODE"); }
  }
}

TEST(gpu_code, that_is_missing_for_a_kernel_is_told_with_what_would_mend_it) {
  EXPECT_EQ(
      describe_missing_kernel("scale", {8, 9}),
      "kernel scale was not compiled for this GPU, whose compute capability is 8.9; compile its .cu file "
      "for it too, with 89 in CMAKE_CUDA_ARCHITECTURES");
}

/// What a machine with these GPUs offers to a build for 8.0 and 9.0.
offered_gpus machine_with(std::vector<compute_capability> gpus) {
  return {gpu_code("80 90"), std::move(gpus)};
}

std::string names_of(device_choice const& choice) {
  std::string names;
  for (auto const& spec : choice.specs) names += (names.empty() ? "" : ",") + to_text(spec);
  return names;
}

std::string refusal_of(std::string const& list, offered_gpus const& offered) {
  try {
    choose_devices(parse_devices(list), offered);
  } catch (bad_argument const& refusal) { return refusal.what(); }
  return "none";
}

TEST(device_choice, takes_the_gpus_that_the_build_has_code_for_and_says_which_it_leaves_out) {
  auto const chosen =
      choose_devices(parse_devices("host:1,cuda"), machine_with({{7, 0}, {8, 6}, {10, 0}, {9, 0}}));
  EXPECT_EQ(names_of(chosen), "host:1,cuda:1,cuda:3");
  EXPECT_EQ(chosen.left_out,
            "not every GPU is used: this build has code for 8.0, 9.0; cuda:0 is 7.0 and cuda:2 is 10.0");
}

TEST(device_choice, has_nothing_to_say_where_there_is_code_for_every_gpu_or_each_is_named) {
  EXPECT_EQ(choose_devices(parse_devices("cuda"), machine_with({{8, 0}, {9, 0}})).left_out, "");
  EXPECT_EQ(choose_devices(parse_devices("cuda:1@8"), machine_with({{7, 0}, {9, 0}})).left_out, "");
  EXPECT_EQ(choose_devices(parse_devices("host"), machine_with({{7, 0}})).left_out, "");
}

TEST(device_choice, refuses_a_named_gpu_without_code_and_says_what_the_build_has) {
  EXPECT_EQ(refusal_of("cuda:0", machine_with({{7, 0}, {9, 0}})),
            "devices is cuda:0; legal is a GPU that there is code for: this build has code for 8.0, 9.0; "
            "cuda:0 is 7.0");
}

TEST(device_choice, refuses_every_gpu_where_there_is_code_for_none) {
  EXPECT_EQ(refusal_of("host,cuda", machine_with({{7, 0}, {7, 5}})),
            "devices is cuda; legal is a GPU that there is code for: this build has code for 8.0, 9.0; "
            "cuda:0 is 7.0 "
            "and cuda:1 is 7.5");
}

TEST(device_choice, refuses_gpus_that_are_not_there_or_named_twice) {
  auto const two = machine_with({{8, 0}, {9, 0}});
  EXPECT_EQ(refusal_of("cuda:2", two), "devices is cuda:2; legal is a GPU of this machine: cuda:0 to cuda:1");
  EXPECT_EQ(refusal_of("cuda,cuda:1", two),
            "devices is cuda:1; legal is each GPU at most once, or several parts of it (cuda:1@SMS)");
  EXPECT_NE(refusal_of("cuda", machine_with({})), "none");
  EXPECT_NE(refusal_of("cuda:0", machine_with({})), "none");
}

TEST(device_choice, takes_several_parts_of_a_gpu_and_no_part_beside_the_whole) {
  auto const two = machine_with({{8, 0}, {9, 0}});
  EXPECT_EQ(names_of(choose_devices(parse_devices("cuda:1@64,host:1,cuda:1@64,cuda:1@8"), two)),
            "cuda:1@64,host:1,cuda:1@64,cuda:1@8");
  for (auto const* const list : {"cuda:0@64,cuda:0", "cuda,cuda:0@64", "cuda:0@8,cuda:0@8,cuda"})
    EXPECT_NE(
        refusal_of(list, two).find("legal is each GPU at most once, or several parts of it (cuda:0@SMS)"),
        std::string::npos)
        << list;
}

TEST(device_choice, is_the_host_by_default_where_no_gpu_can_be_used_and_says_why_if_there_is_one) {
  EXPECT_EQ(choose_default(machine_with({{7, 0}, {9, 0}})).text, "cuda");
  EXPECT_EQ(choose_default(machine_with({{7, 0}, {9, 0}})).left_out, "");
  EXPECT_EQ(choose_default(machine_with({})).text, "host");
  EXPECT_EQ(choose_default(machine_with({})).left_out, "");
  auto const none = choose_default(machine_with({{7, 0}}));
  EXPECT_EQ(none.text, "host");
  EXPECT_EQ(none.left_out, "CPU cores are used and no GPU: this build has code for 8.0, 9.0; cuda:0 is 7.0");
}

}  // namespace
}  // namespace ballast::test
