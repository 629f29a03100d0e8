// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/session.hpp"

namespace ballast::bench {

/// One of several ways to get a load done.
struct rival {
  std::string name;
  std::function<double()> seconds;  ///< gets the load done once
};

/// The default policy, and each other one of `policies` by its name; `seconds(name)` runs the load.
template <class Policies, class Seconds>
std::vector<rival> rivals_of(std::string const& of_default, Policies const& policies,
                             Seconds const& seconds) {
  std::vector<rival> all{{"default", [seconds, of_default] { return seconds(of_default); }}};
  for (auto const& policy : policies)
    if (policy.name != of_default)
      all.push_back(
          {std::string(policy.name), [seconds, name = std::string(policy.name)] { return seconds(name); }});
  return all;
}

/// How much longer a default takes than the best way by name, load by load.
class regrets {
 public:
  /// Explains the figures in the record.
  explicit regrets(session& now);

  /// Runs all ways in turn, so that disturbances of the machine affect all of them: `warm_up` times
  /// unrecorded, then `rounds` times. The first way is the default; another way may be the same one by name.
  /// A way that took over a second and ten times the best of its round is left out of later rounds: its
  /// series ends with that time. Adds a series for each way, "way, load", and the regret.
  void measure(std::string const& load, std::vector<rival> const& ways, std::size_t warm_up,
               std::size_t rounds);
  /// Derives the median and the worst regret of all loads. At least one load was measured.
  void derive();

 private:
  session* now_;
  std::vector<double> all_;
};

/// Devices, and their suffix in the name of a load.
struct device_choice {
  std::string remark;
  device_list devices;
};

/// The session's devices; if all are cores, also the same with the last one slower by a factor of 3. Unequal
/// GPUs are for the user to name (cuda:0@32,cuda:0@96).
std::vector<device_choice> equal_and_unequal(session const& now);

}  // namespace ballast::bench
