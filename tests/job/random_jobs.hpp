// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "coherence_model.hpp"

namespace ballast::test {
using namespace detail;

/// Draws jobs on a model's arrays and cuts them into tasks.
class random_jobs {
 public:
  random_jobs(coherence_model& model, std::uint32_t places) : model_(model), places_(places) {}

  /// One job, host access or eviction, or one operation that was planned before.
  void step() {
    switch (model_.drawn(0, 9)) {
      case 0:
        return plan_host_access();
      case 1:
        return evict_some();
      case 2:
      case 3:
        return plan_job();
      default:
        return model_.carry_out_one();
    }
  }

 private:
  struct written {
    access_map map;
    std::uint32_t units;
  };

  void plan_job() {
    auto const array = model_.drawn(0, model_.arrays().size() - 1);
    auto const [map, units] = disjoint_map(model_.arrays()[array].shape);
    std::vector<modelled_access> accesses{{array, map, access_mode(model_.drawn(1, 3))}};
    for (std::size_t other = 0; other < model_.arrays().size(); ++other)
      if (other != array && model_.drawn(0, 1) == 0)
        accesses.push_back({other, read_map(), access_mode::reads});
    for (auto const part : parts_of(units))
      model_.plan_task(any_device(), accesses, part, units, model_.drawn(0, 19) == 0);
  }

  void plan_host_access() {
    auto const array = model_.drawn(0, model_.arrays().size() - 1);
    model_.plan_task(place_id(0), {{array, any_ranges(), access_mode(model_.drawn(0, 3))}}, {0, 1}, 1, false);
  }

  void evict_some() {
    if (places_ == 1) return;
    auto const array = model_.drawn(0, model_.arrays().size() - 1);
    auto const words = range_within(model_.arrays()[array].shape.elements());
    if (!words.is_empty())
      model_.evict(any_device(), array, {words.begin * sizeof(word), words.end * sizeof(word)});
  }

  place_id any_device() {
    return places_ == 1 ? place_id(0) : place_id(std::uint32_t(model_.drawn(1, places_ - 1)));
  }

  /// Of which no two units touch a word in common.
  written disjoint_map(extents const& shape) {
    auto const each = model_.drawn(1, 5);
    auto const dimension = int(model_.drawn(0, std::size_t(shape.rank() - 1)));
    auto const units_for = [&](std::size_t size) { return std::uint32_t((size + each - 1) / each); };
    switch (model_.drawn(0, 2)) {
      case 0:
        return {one_to_one(each), units_for(shape.elements())};
      case 1:
        return {slice(dimension, each), units_for(shape[dimension])};
      default:
        return {all, 1};
    }
  }

  access_map read_map() {
    if (model_.drawn(0, 3) == 0) return all;
    if (model_.drawn(0, 1) == 0) return any_ranges();
    return [this](map_view const& view) {
      auto const& sides = view.array.sides();
      return region(box{{{range_within(sides[0]), range_within(sides[1]), range_within(sides[2])}}});
    };
  }
  access_map any_ranges() {
    return [this](map_view const& view) {
      auto const size = view.array.elements();
      return region({range_within(size), range_within(size)});
    };
  }
  index_range range_within(std::size_t size) {
    auto const begin = model_.drawn(0, size);
    return {begin, model_.drawn(begin, size)};
  }

  /// All units, cut anywhere, the first or the last first.
  std::vector<job_part> parts_of(std::uint32_t units) {
    std::vector<job_part> parts;
    for (std::uint32_t first = 0; first < units; first += parts.back().count)
      parts.push_back({first, std::uint32_t(model_.drawn(1, units - first))});
    if (model_.drawn(0, 1) == 0) std::ranges::reverse(parts);
    return parts;
  }

  coherence_model& model_;
  std::uint32_t places_;
};

}  // namespace ballast::test
