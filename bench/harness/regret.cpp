// SPDX-License-Identifier: Apache-2.0
#include "harness/regret.hpp"

#include <algorithm>
#include <limits>

namespace ballast::bench {

regrets::regrets(session& now) : now_(&now) {
  now.parameter("regret", "how much longer the default takes than the best by name");
}

void regrets::measure(std::string const& load, std::vector<rival> const& ways, std::size_t warm_up,
                      std::size_t rounds) {
  std::vector<std::vector<double>> seconds(ways.size());
  for (std::size_t round = 0; round < warm_up + rounds; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i) {
      auto const taken = now_->samples(0, 1, ways[i].seconds).front();
      if (round >= warm_up) seconds[i].push_back(taken);
    }
  double best = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    auto const name = ways[i].name + ", " + load;
    now_->add(name, "s", std::move(seconds[i]));
    if (i > 0) best = std::min(best, now_->median_of(name));
  }
  all_.push_back(now_->median_of(ways.front().name + ", " + load) / best - 1);
  now_->derived("regret, " + load, all_.back());
}

void regrets::derive() {
  std::ranges::sort(all_);
  now_->derived("median regret", all_[all_.size() / 2]);
  now_->derived("worst regret", all_.back());
}

std::vector<device_choice> equal_and_unequal(session const& now) {
  std::vector<device_choice> all{{"", now.devices()}};
  std::vector<device_spec> specs;
  for (auto const& device : now.devices()) {
    if (device->is_cuda()) return all;
    specs.push_back(device->spec());
  }
  specs.back().slowdown *= 3;
  all.push_back({", one device slow", open_devices(specs)});
  return all;
}

}  // namespace ballast::bench
