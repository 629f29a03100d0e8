// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ballast/arguments.hpp"
#include "ballast/task_pool.hpp"
#include "test_devices.hpp"

namespace ballast::test {
using namespace detail;

/// One device for all tests of pools, by default of two cores.
inline std::shared_ptr<compute_device> device() { return devices().front(); }

/// A pool by a method's name, on a GPU with as many blocks as BALLAST_TEST_BLOCKS says; without it as many as
/// fit, but 16 where all of them wait for one lock.
inline pool_options pool_by(std::string_view method, std::uint32_t capacity = 1024, std::uint32_t joins = 0) {
  pool_options options;
  options.method = method;
  options.capacity = capacity;
  options.joins = joins;
  if (device()->is_cuda())
    options.resident.blocks =
        std::stoi(environment("BALLAST_TEST_BLOCKS").value_or(method == "blocking" ? "16" : "0"));
  return options;
}

}  // namespace ballast::test
