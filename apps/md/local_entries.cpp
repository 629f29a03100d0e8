// SPDX-License-Identifier: Apache-2.0
#include "local_entries.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "ballast/error.hpp"
#include "local_reference.cuh"

namespace ballast::md {
namespace {

std::mutex mutex;
std::array<bool, local_entries> in_use;

}  // namespace

local_entry_lease::local_entry_lease(std::uint32_t count) : count_(count) {
  std::scoped_lock const hold(mutex);
  auto const found = std::search_n(in_use.begin(), in_use.end(), count, false);
  if (found == in_use.end()) throw error("too many systems are on the devices of this process at once");
  first_ = static_cast<std::uint32_t>(found - in_use.begin());
  std::fill_n(found, count, true);
}

local_entry_lease::~local_entry_lease() {
  std::scoped_lock const hold(mutex);
  std::fill_n(in_use.begin() + first_, count_, false);
}

}  // namespace ballast::md
