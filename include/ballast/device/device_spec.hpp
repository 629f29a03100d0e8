// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ballast::inline device {

/// The two backends: NVIDIA GPUs, and groups of CPU cores that behave like a device.
enum class backend { cuda, host };

/// One device as the user names it. Grammar (comma-separated in a list):
///   cuda | cuda:INDEX[@SMS] | host[:CORES][/SLOWDOWN]
struct device_spec {
  static constexpr int all = -1;  ///< `index`: every GPU; `cores`: every core this process may use

  backend kind = backend::host;
  int index = all;          ///< cuda: which GPU, 0 .. count-1
  int multiprocessors = 0;  ///< cuda: the SMs it is limited to, 1 .. 65535 (which of these the GPU can be
                            ///< limited to is known when it is opened); 0 is the whole chip
  int cores = all;          ///< host: how many cores, at least 1
  double slowdown = 1.0;    ///< host: every block takes this many times longer; 1 .. 1000

  bool operator==(device_spec const&) const = default;
};

/// Reads a device list such as "cuda:0,host:1/2.5". Pure: asks no driver.
/// Throws bad_argument (argument "devices") naming the part that does not fit the grammar, or the list and
/// which of its entries is empty.
std::vector<device_spec> parse_devices(std::string_view list);

/// The spec in its shortest text form; parse_devices(to_text(s)) yields s again.
std::string to_text(device_spec const& spec);

/// `BALLAST_DEVICES` if it is set, else "cuda" if the machine has a GPU that this build has code for, else
/// "host"; GPUs without code are then told in the log. Throws bad_argument (argument "BALLAST_DEVICES") if
/// the variable holds what open_devices() would refuse.
std::string default_device_list();

}  // namespace ballast::inline device
