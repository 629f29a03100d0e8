// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "ballast/task_pool.hpp"
#include "pool/benchmarks.hpp"
#include "pool/search_ways.hpp"
#include "pool/tbb_searches.hpp"
#include "queue/copied_in.hpp"

namespace ballast::bench {
namespace {

/// A travelling salesman's map: random cities of a square, equal in all runs.
class salesman_map {
 public:
  /// 3 to max_cities cities.
  explicit salesman_map(std::uint32_t cities);

  std::uint32_t cities() const { return cities_; }
  /// As map_view has them.
  std::vector<std::uint32_t> const& detours() const { return detours_; }
  /// With these detours, or a copy on a device; `shortest` is the length to beat, then the shortest tour's.
  map_view view(array_ref<std::uint32_t const> detours, array_ref<std::uint32_t> shortest) const;
  /// The tour that has not left city 0.
  partial_tour begun() const;
  /// The length of a tour that always makes the least detour: where searches begin, so that one in breadth
  /// leaves something out too.
  std::uint32_t greedy() const { return greedy_; }
  /// The length of the shortest tour, by Held and Karp's dynamic programme (1962).
  std::uint32_t optimum() const;

 private:
  std::uint32_t detour(std::uint32_t from, std::uint32_t to) const {
    return detours_[from * max_cities + to];
  }
  std::uint32_t greedy_length() const;

  std::uint32_t cities_, least_bound_ = 0, greedy_ = 0;
  std::vector<std::uint32_t> detours_;
};

salesman_map::salesman_map(std::uint32_t cities) : cities_(cities), detours_(max_cities * max_cities) {
  constexpr std::uint32_t side = 10'000;
  std::mt19937 random(5);
  std::array<double, max_cities> x{}, y{};
  for (std::uint32_t city = 0; city < cities; ++city) {
    x[city] = double(random() % side);
    y[city] = double(random() % side);
  }
  for (std::uint32_t to = 0; to < cities; ++to) {
    auto shortest = std::numeric_limits<std::uint32_t>::max();
    for (std::uint32_t from = 0; from < cities; ++from) {
      auto const length = std::uint32_t(std::lround(std::hypot(x[from] - x[to], y[from] - y[to])));
      detours_[from * max_cities + to] = length;
      if (from != to) shortest = std::min(shortest, length);
    }
    for (std::uint32_t from = 0; from < cities; ++from)
      if (from != to) detours_[from * max_cities + to] -= shortest;
    least_bound_ += shortest;
  }
  greedy_ = greedy_length();
}

map_view salesman_map::view(array_ref<std::uint32_t const> detours, array_ref<std::uint32_t> shortest) const {
  // The shortest tour's detours are shorter than the greedy one's.
  auto const detour = (greedy_ - least_bound_) * 3 / 5 / cities_;
  return {detours, shortest, least_bound_ + cities_ * detour, detour};
}

partial_tour salesman_map::begun() const {
  auto const others = (1u << cities_) - 2;
  return {least_bound_, std::uint16_t(others), 0, std::uint8_t(cities_ - 1), 0};
}

std::uint32_t salesman_map::greedy_length() const {
  std::vector<std::uint32_t> unvisited(cities_ - 1);
  std::iota(unvisited.begin(), unvisited.end(), 1u);
  std::uint32_t length = least_bound_, last = 0;
  while (!unvisited.empty()) {
    auto const next =
        std::ranges::min_element(unvisited, std::less(), [&](auto const to) { return detour(last, to); });
    length += detour(last, *next);
    last = *next;
    unvisited.erase(next);
  }
  return length + detour(last, 0);
}

std::uint32_t salesman_map::optimum() const {
  auto const none = std::numeric_limits<std::uint32_t>::max() / 2;
  std::vector<std::array<std::uint32_t, max_cities>> least(std::size_t(1) << cities_);
  for (auto& of_cities : least) of_cities.fill(none);
  least[1][0] = least_bound_;
  for (std::uint32_t visited = 1; visited < least.size(); ++visited)
    for (std::uint32_t last = 0; last < cities_; ++last)
      for (std::uint32_t to = 1; to < cities_ && least[visited][last] < none; ++to) {
        if ((visited >> to & 1) != 0) continue;
        auto& length = least[visited | 1u << to][to];
        length = std::min(length, least[visited][last] + detour(last, to));
      }
  auto optimum = none;
  for (std::uint32_t last = 1; last < cities_; ++last)
    optimum = std::min(optimum, least.back()[last] + detour(last, 0));
  return optimum;
}

/// Searches depth-first, by one thread. `shortest` is the length to beat, then the shortest tour's. Returns
/// the number of tasks.
std::uint64_t search_by_one(salesman_map const& map, std::uint32_t& shortest) {
  auto const view = map.view(array_ref<std::uint32_t const>(map.detours()), array_ref(&shortest));
  std::uint64_t tasks = 0;
  for (std::vector<partial_tour> waiting{map.begun()}; !waiting.empty(); ++tasks) {
    auto const tour = waiting.back();
    waiting.pop_back();
    tour.extend(view, [&](partial_tour const& longer) { waiting.push_back(longer); });
  }
  return tasks;
}

/// The searches for one map's shortest tour.
class searched_map {
 public:
  searched_map(session const& now, salesman_map const& map)
      : threads_(now.first()->properties().multiprocessors),
        map_(map),
        right_(map.optimum()),
        detours_(now.first(), map.detours()),
        shortest_(now.first(), {map.greedy()}),
        stream_(now.first()->make_stream()) {}

  std::uint32_t optimum() const { return right_; }

  search_way way_of(ordered_pool const& in) {
    task const root(tour_task{map_.view(detours_.constant(), shortest_.all()), map_.begun()});
    return {in.order, [this] { prepare(); }, [pool = in.pool, root] { return pool->run(root).run; },
            [this] { return shortest_.now(*stream_).front() == right_; }};
  }
  search_way on_cores(std::string const& name, decltype(search_by_tbb_group)& search) {
    auto const run = [this, &search] {
      return search(threads_, map_.view(array_ref(map_.detours()), array_ref(&found_)), map_.begun());
    };
    return {name, [this] { found_ = map_.greedy(); }, run, [this] { return found_ == right_; }};
  }
  search_way by_one() {
    return {"sequential", [this] { found_ = map_.greedy(); }, [this] { return search_by_one(map_, found_); },
            [this] { return found_ == right_; }};
  }

 private:
  void prepare() {
    shortest_.copy_in(*stream_);
    stream_->synchronize();
  }

  int threads_;
  salesman_map const& map_;
  std::uint32_t right_, found_ = 0;
  copied_in<std::uint32_t> detours_, shortest_;
  std::unique_ptr<stream> stream_;
};

void measure_map(session& now, regrets& all, std::uint32_t cities) {
  salesman_map const map(cities);
  searched_map searched(now, map);
  std::vector<search_way> ways;
  for (auto const& pool : ordered_pools(now, tour_kernels(), 1 << 19)) ways.push_back(searched.way_of(pool));
  if (!now.first()->is_cuda()) {
    ways.push_back(searched.on_cores("oneTBB's priority queue", search_by_tbb));
    ways.push_back(searched.on_cores("oneTBB's task_group", search_by_tbb_group));
    ways.push_back(searched.by_one());
  }
  auto const load = std::to_string(cities) + " cities";
  auto shortest = searched.optimum();
  auto const least = double(search_by_one(map, shortest));
  now.add("tasks sequential from the optimum, " + load, "tasks", {least});
  measure_ways(now, all, load, ways, least, "those from the optimum");
}

}  // namespace

/// Not from a paper.
void measure_branch_and_bound(session& now) {
  now.axes("A travelling salesman's shortest tour by branch and bound, by order", "", "seconds");
  now.parameter("begins with", "the tour that always makes the least detour");
  regrets all(now);
  for (auto const cities : now.quick() ? std::vector{9u} : std::vector{13u, 14u, 15u, 16u})
    measure_map(now, all, cities);
  all.derive();
}

}  // namespace ballast::bench
