// SPDX-License-Identifier: Apache-2.0
#include "harness/regret.hpp"

#include <algorithm>
#include <limits>

namespace ballast::bench {

regrets::regrets(session& now) : now_(&now) {
  now.parameter("regret", "how much longer the default takes than the best by name");
}

namespace {

/// True for a time that no hiccup of a machine explains: such a way is not the best one, and may take
/// minutes.
bool is_hopeless(double seconds, double best_of_round) { return seconds > 1 && seconds > 10 * best_of_round; }

}  // namespace

void regrets::measure(std::string const& load, std::vector<rival> const& ways, std::size_t warm_up,
                      std::size_t rounds) {
  std::vector<std::vector<double>> seconds(ways.size());
  std::vector<bool> is_out(ways.size(), false);
  for (std::size_t round = 0; round < warm_up + rounds; ++round) {
    std::vector<double> taken(ways.size(), std::numeric_limits<double>::max());
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (!is_out[i]) taken[i] = now_->samples(0, 1, ways[i].seconds).front();
    auto const best = *std::ranges::min_element(taken);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (is_out[i]) continue;
      is_out[i] = i > 0 && is_hopeless(taken[i], best);
      if (round >= warm_up || is_out[i]) seconds[i].push_back(taken[i]);
    }
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
