// SPDX-License-Identifier: Apache-2.0
#include "ballast/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "ballast/error.hpp"

namespace ballast::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(device_list const& devices) {
  std::vector<std::string> all;
  for (auto const& device : devices) all.push_back(device->name());
  return all;
}

TEST(device_spec, reads_every_form_of_the_grammar) {
  auto const specs = parse_devices("cuda,cuda:3,cuda:1@64,host,host:4,host/2.5,host:2/1e2");
  ASSERT_EQ(specs.size(), 7u);
  EXPECT_EQ(specs[0], (device_spec{backend::cuda, device_spec::all, 0, device_spec::all, 1.0}));
  EXPECT_EQ(specs[1], (device_spec{backend::cuda, 3, 0, device_spec::all, 1.0}));
  EXPECT_EQ(specs[2], (device_spec{backend::cuda, 1, 64, device_spec::all, 1.0}));
  EXPECT_EQ(specs[3], (device_spec{backend::host, device_spec::all, 0, device_spec::all, 1.0}));
  EXPECT_EQ(specs[4], (device_spec{backend::host, device_spec::all, 0, 4, 1.0}));
  EXPECT_EQ(specs[5], (device_spec{backend::host, device_spec::all, 0, device_spec::all, 2.5}));
  EXPECT_EQ(specs[6], (device_spec{backend::host, device_spec::all, 0, 2, 100.0}));
}

TEST(device_spec, text_form_is_the_shortest_and_reads_back) {
  for (std::string const text :
       {"cuda", "cuda:0", "cuda:7@8", "host", "host:1", "host:12/2.5", "host/1000"}) {
    auto const specs = parse_devices(text);
    ASSERT_EQ(specs.size(), 1u);
    EXPECT_EQ(to_text(specs[0]), text);
  }
  EXPECT_EQ(to_text(parse_devices("host:02/1.00")[0]), "host:2");
}

TEST(device_spec, ignores_blanks_around_an_entry) {
  auto const specs = parse_devices(" host:1 , cuda:0@64,  host ");
  ASSERT_EQ(specs.size(), 3u);
  EXPECT_EQ(to_text(specs[0]) + to_text(specs[1]) + to_text(specs[2]), "host:1cuda:0@64host");
  EXPECT_THROW(parse_devices("host:1, "), bad_argument);
}

TEST(device_spec, refuses_what_the_grammar_does_not_have_and_names_the_part) {
  for (std::string const part :
       {"h ost",      "gpu",        "cuda :1",    "Cuda",        "cuda:",      "cuda:-1",
        "cuda:x",     "cuda:1x",    "cuda:0@",    "cuda:0@0",    "cuda@4",     "cuda:0@x",
        "cuda:0/2",   "cuda/2",     "host:",      "host:0",      "host:-1",    "host:1.5",
        "host:99999", "host:1/",    "host:1/0.5", "host:1/1001", "host:1/nan", "host:1/inf",
        "host:1/-2",  "host:1/2/3", "host:1:2",   "host@2",      "host:1@2",   "host:99999999999"}) {
    try {
      parse_devices("host:1," + part);
      ADD_FAILURE() << "'" << part << "' was accepted";
    } catch (bad_argument const& refusal) {
      EXPECT_EQ(refusal.argument(), "devices");
      EXPECT_EQ(refusal.value(), part);
      EXPECT_THAT(refusal.legal(), testing::HasSubstr("host[:CORES][/SLOWDOWN]"));
    }
  }
}

TEST(device_spec, refuses_an_empty_entry_and_says_which_of_the_list_it_is) {
  auto const refused_value = [](std::string const& list) {
    try {
      parse_devices(list);
    } catch (bad_argument const& refusal) { return refusal.value(); }
    return std::string("none");
  };
  EXPECT_EQ(refused_value(""), "\"\", whose entry 1 is empty");
  EXPECT_EQ(refused_value(",host"), "\",host\", whose entry 1 is empty");
  EXPECT_EQ(refused_value("host:1,,host:1"), "\"host:1,,host:1\", whose entry 2 is empty");
  EXPECT_EQ(refused_value("host,"), "\"host,\", whose entry 2 is empty");
}

TEST(device_spec, default_list_is_the_variable_if_it_is_set) {
  ::setenv("BALLAST_DEVICES", "host:3/4", 1);
  EXPECT_EQ(default_device_list(), "host:3/4");
  ::unsetenv("BALLAST_DEVICES");
  EXPECT_EQ(default_device_list(), cuda_device_count() > 0 ? "cuda" : "host");
}

TEST(device_spec, default_list_names_the_variable_if_that_is_wrong) {
  for (std::string const wrong : {"gpu", "host:0", "host:1,,host:1", "cuda:999"}) {
    ::setenv("BALLAST_DEVICES", wrong.c_str(), 1);
    try {
      default_device_list();
      ADD_FAILURE() << wrong << " was accepted";
    } catch (bad_argument const& refusal) { EXPECT_EQ(refusal.argument(), "BALLAST_DEVICES"); }
    ::unsetenv("BALLAST_DEVICES");
  }
}

TEST(open_devices, names_repeats_with_a_number_and_singles_without) {
  EXPECT_THAT(names(open_devices("host:1,host:2,host:1")), ElementsAre("host:1#0", "host:2", "host:1#1"));
  EXPECT_THAT(names(open_devices("host:1/2")), ElementsAre("host:1/2"));
}

TEST(open_devices, host_alone_has_every_usable_core_and_is_bound_to_them) {
  auto const all = open_devices("host").front()->properties();
  EXPECT_GE(all.multiprocessors, 1);
  EXPECT_GT(all.memory_bytes, 0u);
  EXPECT_TRUE(all.pinned_to_cores);
}

TEST(open_devices, binds_no_worker_when_the_list_leaves_cores_since_other_processes_would_bind_theirs_there) {
  auto const cores = open_devices("host").front()->properties().multiprocessors;
  if (cores < 2) GTEST_SKIP() << "a list leaves no core of one";
  EXPECT_FALSE(open_devices("host:1").front()->properties().pinned_to_cores);
  auto const most = "host:" + std::to_string(cores - 1);
  EXPECT_FALSE(open_devices(most).front()->properties().pinned_to_cores);
  for (auto const& device : open_devices(most + ",host:1")) EXPECT_TRUE(device->properties().pinned_to_cores);
}

TEST(open_devices, binds_no_worker_when_the_list_asks_for_more_cores_than_there_are) {
  for (auto const& device : open_devices("host,host:1")) EXPECT_FALSE(device->properties().pinned_to_cores);
}

TEST(device_spec, tells_that_cpu_cores_are_limited_by_their_number) {
  for (std::string const list : {"host:4@2", "host@2", "host:1/2@8"}) {
    try {
      parse_devices(list);
      ADD_FAILURE() << list << " was accepted";
    } catch (bad_argument const& refusal) {
      EXPECT_THAT(refusal.legal(), testing::StartsWith("@SMS for GPUs only, and CORES for CPU cores"));
    }
  }
}

TEST(open_devices, refuses_gpus_that_are_not_there_or_named_twice) {
  auto const beyond = "cuda:" + std::to_string(cuda_device_count());
  EXPECT_THROW(open_devices(beyond), bad_argument);
  EXPECT_THROW(open_devices("cuda:0,cuda:0"), bad_argument);
  EXPECT_THROW(open_devices("cuda,cuda:0"), bad_argument);
  EXPECT_THROW(open_devices("cuda:0@8,cuda:0"), bad_argument);
  EXPECT_THROW(open_devices("cuda:0,cuda:0@16"), bad_argument);
  EXPECT_THROW(open_devices("cuda:0@65535,cuda:0@65535"), bad_argument);
  EXPECT_THROW(open_devices(beyond + "@8"), bad_argument);
  EXPECT_THROW(open_devices(std::vector<device_spec>{}), bad_argument);
  if (cuda_device_count() > 0) return;
  EXPECT_THROW(open_devices("cuda"), bad_argument);
  EXPECT_THROW(open_devices("cuda:0@8"), bad_argument);
  EXPECT_THROW(open_devices("cuda:0@8,cuda:0@8"), bad_argument);
}

}  // namespace
}  // namespace ballast::test
