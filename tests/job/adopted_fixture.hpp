// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "job_fixture.hpp"

namespace ballast::test {

inline std::vector<std::uint32_t> numbers(std::uint32_t first = 1, std::uint32_t count = 64) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// A scheduler of two devices, and jobs for arrays of 64 words that adopted memory.
struct two_device_jobs {
  static constexpr std::uint32_t size = 64;

  completion count(words& array, std::string const& policy = "static") {
    return jobs->submit({.grid = {size}, .policy = policy}, updates(array),
                        [](auto all) { return count_visits{all}; });
  }
  completion copy_behind(gate const& closed, words const& from, words& to) {
    auto const ref = closed.ref();
    return jobs->submit({size}, reads(from), writes(to), [ref](auto one, auto other) {
      return copy_behind_gate{ref, one, other};
    });
  }

  device_list devices = two_devices();
  std::optional<job_scheduler> jobs{std::in_place, devices, kernels(),
                                    job_options{.policy = "static", .device_bytes = enough_device_bytes}};
};

}  // namespace ballast::test
