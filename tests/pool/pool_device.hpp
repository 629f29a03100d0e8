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

/// So many devices for one pool: that one, others of the list if it has as many of its kind, else as many
/// parts of it.
inline device_list pool_devices(std::size_t count) {
  if (count == 1) return {device()};
  auto all = devices();
  std::erase_if(all, [](auto const& one) { return one->is_cuda() != device()->is_cuda(); });
  std::string const part =
      device()->is_cuda() ? "cuda:" + std::to_string(device()->spec().index) + "@32" : "host:1";
  if (all.size() >= count) return {all.begin(), all.begin() + std::ptrdiff_t(count)};
  auto list = part;
  for (std::size_t i = 1; i < count; ++i) list += "," + part;
  return open_devices(list);
}

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
