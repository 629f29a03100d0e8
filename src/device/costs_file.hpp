// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/device.hpp"

namespace ballast::detail {

/// What costs were measured of; they hold nowhere else.
struct costs_key {
  std::string device;  ///< a GPU's uuid, or "cores"; no spaces
  int version = 0;     ///< a GPU's driver version; for cores, the machine's number of cores
  std::string model;   ///< one line

  bool is_of_cores() const { return device == "cores"; }
  bool operator==(costs_key const&) const = default;
};

costs_key costs_key_of(device_properties const& facts);

/// Costs as a file has them.
struct kept_costs {
  costs_key key;
  device_costs costs;

  bool operator==(kept_costs const&) const = default;
};

/// What text_of() wrote; costs that are missing are the defaults. Throws error that says what is wrong: text
/// of something else or of another version, or a line that is not as it would have been written. A text that
/// was cut off has no end.
std::vector<kept_costs> parse_costs(std::string_view text);
std::string text_of(std::vector<kept_costs> const& all);

/// Adds costs, in place of older ones of that GPU or those cores.
void put_costs(std::vector<kept_costs>& all, kept_costs added);

struct found_costs {
  device_costs costs;
  std::string complaint;  ///< why these are defaults although others of the kind are there, else empty
};

/// The costs of this key, else the defaults. Reports no fault if the list has none of GPUs (of cores), since
/// then no one calibrated any.
found_costs find_costs(std::vector<kept_costs> const& all, costs_key const& key);

/// A file of costs as it was when it was first asked for. Any thread may call.
class costs_file {
 public:
  /// No file, or an empty path, has no costs.
  explicit costs_file(std::string path);

  /// The costs of the device, else the defaults. Logs why a file is not used, once for each reason.
  device_costs costs_of(device_properties const& facts);

 private:
  void complain(std::string const& reason);

  std::string const path_;
  std::string broken_;  ///< why the file cannot be used
  std::vector<kept_costs> all_;
  std::mutex mutex_;
  std::set<std::string> said_;
};

/// From the file at costs_path(), as it was when this was first called.
device_costs costs_on_this_machine(device_properties const& facts);

}  // namespace ballast::detail
