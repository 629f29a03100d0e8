// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/device.hpp"

namespace ballast::detail {

/// The hardware and driver whose costs were measured; the costs hold nowhere else.
struct costs_key {
  std::string device;  ///< a GPU's uuid, or "cores"; no spaces
  int version = 0;     ///< a GPU's driver version; for cores, the machine's number of cores
  std::string model;   ///< the name of the model, on one line

  bool is_of_cores() const { return device == "cores"; }
  bool operator==(costs_key const&) const = default;
};

costs_key costs_key_of(device_properties const& facts);

/// Costs as stored in a file.
struct kept_costs {
  costs_key key;
  device_costs costs;

  bool operator==(kept_costs const&) const = default;
};

/// Parses the result of text_of(); missing costs get their defaults. Throws error with the fault: a text of
/// another kind or version, or a line that text_of() would not write. The end mark reveals a truncated text.
std::vector<kept_costs> parse_costs(std::string_view text);
std::string text_of(std::vector<kept_costs> const& all);

/// Adds costs, in place of older ones of the same GPU or cores.
void put_costs(std::vector<kept_costs>& all, kept_costs added);

struct found_costs {
  device_costs costs;
  std::string complaint;  ///< why these are defaults although the file has others of the kind; otherwise
                          ///< empty
};

/// The costs of this key, otherwise the defaults. Reports no fault if the list has no entry for GPUs (or
/// cores), since then none was calibrated.
found_costs find_costs(std::vector<kept_costs> const& all, costs_key const& key);

/// A file of costs as it was when this object was made. Any thread may call any member.
class costs_file {
 public:
  /// Reads the file. A missing file, or an empty path, has no costs.
  explicit costs_file(std::string path);

  /// The costs of the device, otherwise the defaults. Logs why a file is not used, once for each reason.
  device_costs costs_of(device_properties const& facts);

 private:
  void complain(std::string const& reason);

  std::string const path_;
  std::string broken_;  ///< why the file cannot be used
  std::vector<kept_costs> all_;
  std::mutex mutex_;
  std::set<std::string> said_;
};

/// The costs of the device, from the file at costs_path() as it was at the first call.
device_costs costs_on_this_machine(device_properties const& facts);

}  // namespace ballast::detail
