// SPDX-License-Identifier: Apache-2.0
#include "pool/tbb_searches.hpp"

#include <tbb/concurrent_priority_queue.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <atomic>
#include <thread>

#include "pool/tbb_programs.hpp"

namespace ballast::bench {
namespace {

struct waiting_vertex {
  std::uint32_t vertex, distance;

  std::uint32_t order_key() const { return distance; }
};

struct waiting_tour : partial_tour {
  std::uint32_t order_key() const { return excess; }
};

/// What a priority queue gives first is the greatest.
struct runs_later {
  template <class Waiting>
  bool operator()(Waiting const& one, Waiting const& other) const {
    return one.order_key() > other.order_key();
  }
};

/// Threads that take the best of what waits, run it by `run(taken, add)`, and add what comes of it.
template <class Waiting, class Run>
class threads_of_a_priority_queue {
 public:
  explicit threads_of_a_priority_queue(Run const& run) : run_(run) {}

  std::uint64_t run(int threads, Waiting const& first) {
    add(first);
    run_by_tbb(threads, [&] {
      tbb::task_group all;
      for (int thread = 1; thread < threads; ++thread) all.run([&] { work(); });
      all.run_and_wait([&] { work(); });
    });
    return tasks_;
  }

 private:
  void add(Waiting const& one) {
    pending_.fetch_add(1, std::memory_order_relaxed);
    waiting_.push(one);
  }
  void work() {
    std::uint64_t tasks = 0;
    Waiting taken;
    while (pending_.load(std::memory_order_acquire) != 0) {
      if (!waiting_.try_pop(taken)) {
        std::this_thread::yield();
        continue;
      }
      run_(taken, [this](Waiting const& one) { add(one); });
      ++tasks;
      pending_.fetch_sub(1, std::memory_order_release);
    }
    tasks_ += tasks;
  }

  Run run_;
  tbb::concurrent_priority_queue<Waiting, runs_later> waiting_;
  std::atomic<std::uint64_t> pending_{0}, tasks_{0};
};

template <class Waiting, class Run>
std::uint64_t run_by_priority(int threads, Waiting const& first, Run const& run) {
  return threads_of_a_priority_queue<Waiting, Run>(run).run(threads, first);
}

using tasks_of_threads = tbb::enumerable_thread_specific<std::uint64_t>;

/// A search whose tasks are all of one group: nobody waits for its own children.
struct grouped_search {
  map_view const& map;
  tbb::task_group all;
  tasks_of_threads tasks{std::uint64_t(0)};

  void add(partial_tour const& tour) {
    all.run([this, tour] {
      ++tasks.local();
      tour.extend(map, [this](partial_tour const& longer) { add(longer); });
    });
  }
};

}  // namespace

template <class Edge>
std::uint64_t search_by_tbb(int threads, graph_view<Edge> const& graph, std::uint32_t source) {
  return run_by_priority(threads, waiting_vertex{source, 0}, [&](waiting_vertex const& at, auto const& add) {
    if (!graph.is_shortest(at.vertex, at.distance)) return;
    for (auto edge = graph.first_edge[at.vertex]; edge < graph.first_edge[at.vertex + 1]; ++edge) {
      auto const& next = graph.edges[edge];
      auto const farther = at.distance + next.length();
      if (graph.shortens(next.head, farther)) add({next.head, farther});
    }
  });
}

template std::uint64_t search_by_tbb(int, graph_view<hop> const&, std::uint32_t);
template std::uint64_t search_by_tbb(int, graph_view<road> const&, std::uint32_t);

std::uint64_t search_by_tbb(int threads, map_view const& map, partial_tour const& begun) {
  return run_by_priority(threads, waiting_tour{begun}, [&](waiting_tour const& tour, auto const& add) {
    tour.extend(map, [&](partial_tour const& longer) { add({longer}); });
  });
}

std::uint64_t search_by_tbb_group(int threads, map_view const& map, partial_tour const& begun) {
  grouped_search search{map, {}};
  run_by_tbb(threads, [&] {
    search.add(begun);
    search.all.wait();
  });
  return search.tasks.combine(std::plus<>());
}

}  // namespace ballast::bench
