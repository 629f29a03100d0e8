// SPDX-License-Identifier: Apache-2.0
#include "costs_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "ballast/error.hpp"
#include "captured_log.hpp"
#include "refused_argument.hpp"
#include "scratch_folder.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

costs_key const a_gpu{"GPU-1", 13000, "NVIDIA H200"};
costs_key const some_cores{"cores", 64, "Some CPU"};

kept_costs gpu_costs() {
  device_costs costs;
  costs.launch_ns = 2500.5;
  costs.measured_on = "2026-11-26";
  return {a_gpu, costs};
}

kept_costs core_costs() {
  auto costs = default_costs(backend::host);
  costs.start_ns = 0.1;
  costs.measured_on = "2026-11-25";
  return {some_cores, costs};
}

std::string const shortest = "ballast-costs 2\ndevice GPU-1 13000 NVIDIA H200\nmeasured 2026-11-26\nend\n";

std::string refusal(std::string const& text) {
  try {
    parse_costs(text);
  } catch (bad_argument const&) { return "a refused argument"; } catch (error const& problem) {
    return problem.what();
  }
  return "none";
}

TEST(kept_costs, read_as_they_were_written) {
  std::vector const all{gpu_costs(), core_costs()};
  EXPECT_EQ(parse_costs(text_of(all)), all);
  EXPECT_THAT(parse_costs(text_of({})), IsEmpty());
}

TEST(kept_costs, are_read_behind_a_byte_order_mark) {
  std::string const text = "ballast-costs 2\nend\n";
  EXPECT_EQ(parse_costs("\xef\xbb\xbf" + text).size(), parse_costs(text).size());
}

TEST(kept_costs, are_defaults_where_the_text_has_none) {
  auto const all = parse_costs(shortest);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].key, a_gpu);
  auto expected = default_costs(backend::cuda);
  expected.measured_on = "2026-11-26";
  EXPECT_EQ(all[0].costs, expected);
}

TEST(kept_costs, are_refused_wherever_their_text_is_cut_off) {
  auto const whole = text_of({gpu_costs(), core_costs()});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_NE(refusal(whole.substr(0, bytes)), "none") << bytes;
  EXPECT_EQ(refusal(whole), "none");
  EXPECT_EQ(refusal(""), "line 1: the text is cut off");
}

TEST(kept_costs, of_another_version_or_of_something_else_are_refused) {
  EXPECT_EQ(refusal("ballast-costs 1\nend\n"), "line 1: costs of version 1, not 2");
  EXPECT_EQ(refusal("{\"costs\": []}\n"), "line 1: these are no costs");
}

TEST(kept_costs, are_refused_with_the_line_that_is_wrong) {
  std::string const before = "ballast-costs 2\ndevice GPU-1 13000 NVIDIA H200\nmeasured 2026-11-26\n";
  for (std::string const line : {"launch_ns", "launch_ns 0", "launch_ns -1", "launch_ns nan", "launch_ns inf",
                                 "launch_ns 1e13", "launch_ns 1 ", "launch_ns x", "unknown_ns 1", "", " "})
    EXPECT_EQ(refusal(before + line + "\nend\n"), "line 4: no cost of a device") << line;
  EXPECT_EQ(refusal(before + "copy_ns 1\ncopy_ns 1\nend\n"), "line 5: a cost for the second time");
  EXPECT_EQ(refusal(before + "end\nend\n"), "line 4: more after the end");
  EXPECT_EQ(refusal("ballast-costs 2\ncopy_ns 1\nend\n"), "line 2: no cost of a device");
  for (std::string const line : {"device", "device GPU-1", "device GPU-1 x NVIDIA", "device GPU-1 13000 "})
    EXPECT_EQ(refusal("ballast-costs 2\n" + line + "\nend\n"), "line 2: no device") << line;
  for (std::string const day : {"26.11.2026", "2026-11-2", "2026-11-260", ""})
    EXPECT_EQ(refusal("ballast-costs 2\ndevice cores 2 CPU\nmeasured " + day + "\nend\n"),
              "line 3: no day of measurement");
  auto const twice = text_of({gpu_costs(), gpu_costs()});
  EXPECT_THAT(refusal(twice), HasSubstr("a device for the second time"));
}

TEST(kept_costs, of_a_device_are_found_by_all_that_its_key_says) {
  std::vector const all{core_costs(), gpu_costs()};
  EXPECT_EQ(find_costs(all, a_gpu).costs, gpu_costs().costs);
  EXPECT_EQ(find_costs(all, some_cores).costs, core_costs().costs);
  EXPECT_EQ(find_costs(all, some_cores).complaint, "");
}

TEST(kept_costs, of_others_of_the_kind_are_told_of_and_not_used) {
  std::vector const all{core_costs(), gpu_costs()};
  auto const complaint_of = [&](costs_key const& key, backend kind) {
    auto const found = find_costs(all, key);
    EXPECT_EQ(found.costs, default_costs(kind));
    return found.complaint;
  };
  EXPECT_EQ(complaint_of({"GPU-1", 13010, "NVIDIA H200"}, backend::cuda),
            "those of GPU-1 were measured with another driver");
  EXPECT_EQ(complaint_of({"GPU-2", 13000, "NVIDIA H200"}, backend::cuda),
            "they are of other GPUs than GPU-2");
  EXPECT_EQ(complaint_of({"cores", 32, "Some CPU"}, backend::host), "they are of other cores than Some CPU");
  EXPECT_EQ(complaint_of({"cores", 64, "Other CPU"}, backend::host),
            "they are of other cores than Other CPU");
}

TEST(kept_costs, of_no_device_of_the_kind_are_nothing_to_tell_of) {
  EXPECT_EQ(find_costs({core_costs()}, a_gpu).complaint, "");
  EXPECT_EQ(find_costs({core_costs()}, a_gpu).costs, device_costs());
  EXPECT_EQ(find_costs({gpu_costs()}, some_cores).complaint, "");
}

TEST(kept_costs, are_replaced_by_newer_ones_of_the_gpu_or_the_cores_alone) {
  std::vector all{gpu_costs(), core_costs()};
  auto const newer = kept_costs{{"GPU-1", 13010, "NVIDIA H200"}, gpu_costs().costs};
  put_costs(all, newer);
  EXPECT_THAT(all, ElementsAre(core_costs(), newer));
  auto const of_other_cores = kept_costs{{"cores", 8, "Other CPU"}, core_costs().costs};
  put_costs(all, of_other_cores);
  EXPECT_THAT(all, ElementsAre(core_costs(), newer, of_other_cores));
}

TEST(costs_key, is_of_a_gpu_if_there_is_a_uuid_and_else_of_the_cores) {
  EXPECT_EQ(costs_key_of({.model = "NVIDIA H200", .driver_version = 13000, .uuid = "GPU-1"}), a_gpu);
  auto const cores = costs_key_of({.model = "A\nB", .multiprocessors = 1});
  EXPECT_EQ(cores.device, "cores");
  EXPECT_GT(cores.version, 0);
  EXPECT_EQ(cores.model, "A\\nB");
}

TEST(default_costs, of_cores_have_no_graphs) {
  std::vector<std::string_view> names;
  for (auto const& cost : default_costs(backend::host).listed()) names.push_back(cost.name);
  EXPECT_THAT(names, ElementsAre("launch_ns", "merged_launch_ns", "start_ns", "copy_ns", "host_bytes_per_ns",
                                 "peer_bytes_per_ns"));
  EXPECT_EQ(default_costs(backend::cuda).listed().size(), 10u);
  EXPECT_EQ(default_costs(backend::cuda).name(), "defaults");
}

device_properties properties_of_some_gpu() {
  return {.model = "NVIDIA H200", .driver_version = 13000, .uuid = "GPU-1"};
}

TEST(costs_file, gives_the_costs_of_the_device_and_says_nothing) {
  scratch_folder const folder;
  captured_log const log;
  costs_file file(folder.file("costs", text_of({gpu_costs()})));
  EXPECT_EQ(file.costs_of(properties_of_some_gpu()), gpu_costs().costs);
  EXPECT_EQ(log.lines(), "");
}

TEST(costs_file, that_is_missing_gives_defaults_and_says_nothing) {
  scratch_folder const folder;
  captured_log const log;
  EXPECT_EQ(costs_file(folder.file("none/costs")).costs_of(properties_of_some_gpu()), device_costs());
  EXPECT_EQ(costs_file("").costs_of(properties_of_some_gpu()), device_costs());
  EXPECT_EQ(log.lines(), "");
}

TEST(costs_file, that_cannot_be_used_gives_defaults_and_says_why_once) {
  scratch_folder const folder;
  std::filesystem::create_directory(folder.file("folder"));
  auto const large = folder.file("large", std::string((std::size_t(1) << 20) + 1, '\n'));
  for (auto const& [path, why] : {std::pair(folder.file("half", shortest.substr(0, 40)), "line 2: the text"),
                                  std::pair(folder.file("folder"), "it is no file"),
                                  std::pair(folder.file(std::string(300, 'x')), "File name too long"),
                                  std::pair(large, "it is too large")}) {
    captured_log const log;
    costs_file file(path);
    EXPECT_EQ(file.costs_of(properties_of_some_gpu()), device_costs());
    EXPECT_THAT(log.lines(), HasSubstr("the costs in " + path + " are not used, but defaults: " + why));
    auto const said = log.lines();
    file.costs_of(properties_of_some_gpu());
    EXPECT_EQ(log.lines(), said);
  }
}

/// The variables as a test wants them, and afterwards as they were.
class set_variable {
 public:
  set_variable(char const* name, std::string const& value) : name_(name) {
    if (auto const* const before = std::getenv(name)) before_ = before, was_set_ = true;
    setenv(name, value.c_str(), 1);
  }
  set_variable(set_variable const&) = delete;
  set_variable& operator=(set_variable const&) = delete;
  ~set_variable() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }

 private:
  char const* name_;
  std::string before_;
  bool was_set_ = false;
};

TEST(costs_path, is_in_the_folder_for_caches_or_that_of_the_home) {
  set_variable const home("HOME", "/home/someone");
  {
    set_variable const cache("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(costs_path(), "/caches/ballast/costs");
  }
  for (std::string const unusable : {"", "relative/caches"}) {
    set_variable const cache("XDG_CACHE_HOME", unusable);
    EXPECT_EQ(costs_path(), "/home/someone/.cache/ballast/costs");
  }
  set_variable const no_cache("XDG_CACHE_HOME", ""), no_home("HOME", "");
  EXPECT_EQ(costs_path(), "");
}

TEST(saved_costs, are_those_of_the_device_beside_others_that_were_there) {
  scratch_folder const folder;
  set_variable const cache("XDG_CACHE_HOME", folder.path().string());
  auto const device = open_devices("host:1").front();
  std::vector const calibrated{calibrated_device{device, core_costs().costs}};
  save_costs(calibrated);
  costs_file file(costs_path());
  EXPECT_EQ(file.costs_of(device->properties()), core_costs().costs);
  EXPECT_EQ(device->costs().measured_on, "") << "the device was opened before";

  folder.file("ballast/costs", text_of({gpu_costs()}));
  save_costs(calibrated);
  auto const both = parse_costs(content_of(costs_path()));
  EXPECT_THAT(both, ElementsAre(gpu_costs(), testing::Field(&kept_costs::costs, core_costs().costs)));

  folder.file("ballast/costs", "broken");
  save_costs(calibrated);
  EXPECT_EQ(parse_costs(content_of(costs_path())).size(), 1u);
}

TEST(saved_costs, are_refused_if_no_file_can_hold_them_or_there_is_no_place) {
  scratch_folder const folder;
  set_variable const cache("XDG_CACHE_HOME", folder.path().string()), home("HOME", "");
  auto const device = open_devices("host:1").front();
  auto const save = [&](device_costs const& costs) {
    save_costs(std::vector{calibrated_device{device, costs}});
  };
  auto wrong = core_costs().costs;
  wrong.copy_ns = -1;
  EXPECT_EQ(refused_argument([&] { save(wrong); }), "costs");
  EXPECT_EQ(refused_argument([&] { save(default_costs(backend::host)); }), "costs") << "of no day";
  EXPECT_EQ(folder.files(), 0u);

  folder.file("ballast", "a file in place of the folder");
  EXPECT_THAT(
      [&] { save(core_costs().costs); },
      testing::ThrowsMessage<error>(HasSubstr("cannot write " + folder.file("ballast/costs") + ": ")));
  set_variable const nowhere("XDG_CACHE_HOME", "");
  EXPECT_THAT([&] { save(core_costs().costs); }, testing::ThrowsMessage<error>(HasSubstr("name no folder")));
}

}  // namespace
}  // namespace ballast::test
