// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "cluster/benchmarks.hpp"
#include "device/benchmarks.hpp"
#include "job/benchmarks.hpp"
#include "launch/benchmarks.hpp"
#include "md/benchmarks.hpp"
#include "mesi/benchmarks.hpp"
#include "pool/benchmarks.hpp"
#include "queue/benchmarks.hpp"

namespace ballast::bench {
using namespace detail;

std::vector<benchmark> all_benchmarks() {
  std::vector<benchmark> all;
  for (auto const& group : {device_benchmarks(), pool_benchmarks(), queue_benchmarks(), launch_benchmarks(),
                            job_benchmarks(), cluster_benchmarks(), mesi_benchmarks(), md_benchmarks()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

std::vector<benchmark> benchmarks_named(std::string_view name) {
  auto const all = all_benchmarks();
  if (name == "all") return all;
  std::vector<std::string_view> names{"list", "all"};
  for (auto const& one : all) {
    if (one.name == name) return {one};
    names.push_back(one.name);
  }
  throw_bad_argument("NAME", name,
                     "list, all, or a name that `ballast bench list` prints" + did_you_mean(names, name, 3));
}

}  // namespace ballast::bench
