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
  std::function<double()> seconds;  ///< does it once
};

/// How much longer a default takes than the best way by name, load by load.
class regrets {
 public:
  explicit regrets(session& now) : now_(&now) {}

  /// Runs all ways in turn, so that what else the machine does meets all of them: `warm_up` times for
  /// nothing, then `rounds` times. The first is the default; another one may be the same by name. Adds a
  /// series for each, "way, load", and the regret.
  void measure(std::string const& load, std::vector<rival> const& ways, std::size_t warm_up,
               std::size_t rounds);
  /// Derives the median and the worst of all loads. At least one.
  void derive();

 private:
  session* now_;
  std::vector<double> all_;
};

}  // namespace ballast::bench
