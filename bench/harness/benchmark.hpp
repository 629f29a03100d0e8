// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/session.hpp"

namespace ballast::bench {

/// One measurement that `ballast bench` offers by name.
struct benchmark {
  std::string_view name;     ///< "queue/round_trip": the module, then the subject
  std::string_view summary;  ///< one line; bench/published.json names the figure that it repeats
  void (*run)(session&);     ///< measures, verifies, and fills the record; throws the modules' exceptions
  /// Why it cannot run on these devices; empty if it can. Null: it runs everywhere.
  std::string (*obstacle)(device_list const&) = nullptr;
};

/// Functions for benchmark::obstacle.
std::string needs_a_gpu(device_list const& devices);
std::string needs_two_devices(device_list const& devices);
std::string needs_one_kind(device_list const& devices);

}  // namespace ballast::bench
