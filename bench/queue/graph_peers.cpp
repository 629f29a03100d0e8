// SPDX-License-Identifier: Apache-2.0
#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

#include <cstdlib>
#include <memory>

#include "ballast/error.hpp"
#include "queue/graph_rivals.cuh"

#if BALLAST_HAVE_STARPU
#  include <starpu.h>
#endif

namespace ballast::bench {
namespace {

using run_task = std::function<void(std::uint32_t)>;

/// A node a task, made once.
class tbb_nodes {
 public:
  tbb_nodes(levelled_tasks const& tasks, run_task const& run, int threads) : arena_(threads) {
    arena_.execute([&] { make(tasks, run); });
  }

  void run() {
    arena_.execute([&] {
      for (auto* const one : first_) one->try_put({});
      graph_->wait_for_all();
    });
  }

 private:
  using node = tbb::flow::continue_node<tbb::flow::continue_msg>;

  void make(levelled_tasks const& tasks, run_task const& run) {
    graph_ = std::make_unique<tbb::flow::graph>();
    for (std::uint32_t task = 0; task < tasks.tasks(); ++task) {
      nodes_.push_back(std::make_unique<node>(*graph_, [&run, task](auto const&) { run(task); }));
      for (auto const before : tasks.predecessors_of(task)) make_edge(*nodes_[before], *nodes_[task]);
      if (tasks.predecessors_of(task).empty()) first_.push_back(nodes_[task].get());
    }
  }

  tbb::task_arena arena_;
  std::unique_ptr<tbb::flow::graph> graph_;  // takes the arena in which it is made
  std::vector<std::unique_ptr<node>> nodes_;
  std::vector<node*> first_;
};

std::function<void()> by_tbb(levelled_tasks const& tasks, run_task const& run, int threads) {
  return [nodes = std::make_shared<tbb_nodes>(tasks, run, threads)] { nodes->run(); };
}

#if defined(_OPENMP)
/// Dependencies go by the addresses of words, which nothing reads or writes.
void run_by_openmp(levelled_tasks const& tasks, run_task const& run, [[maybe_unused]] char const* words,
                   int threads) {
#  pragma omp parallel num_threads(threads)
#  pragma omp single
  for (std::uint32_t task = 0; task < tasks.tasks(); ++task) {
    auto const begin = tasks.first_predecessor[task], end = tasks.first_predecessor[task + 1];
    // clang-format off
#  pragma omp task depend(iterator(std::uint32_t at = begin : end), in : words[tasks.predecessors[at]]) \
                   depend(out : words[task])
    // clang-format on
    run(task);
  }
}

std::function<void()> by_openmp(levelled_tasks const& tasks, run_task const& run, int threads) {
  auto const words = std::make_shared<std::vector<char>>(tasks.tasks());
  return [&tasks, &run, words, threads] { run_by_openmp(tasks, run, words->data(), threads); };
}
#endif

#if BALLAST_HAVE_STARPU
struct starpu_work {
  run_task const* run;
  std::uint32_t task;
};

void run_in_starpu(void**, void* work) {
  auto const& one = *static_cast<starpu_work const*>(work);
  (*one.run)(one.task);
}

/// StarPU's threads spin from the start, so they live as long as the program that uses them.
class starpu_tasks {
 public:
  starpu_tasks(levelled_tasks const& tasks, run_task const& run, int threads) : tasks_(tasks) {
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    setenv("STARPU_SILENT", "1", 1);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = threads;
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf) != 0) throw error("StarPU does not start");
    starpu_codelet_init(&codelet_);
    codelet_.cpu_funcs[0] = &run_in_starpu;
    codelet_.nbuffers = 0;
    for (std::uint32_t task = 0; task < tasks.tasks(); ++task) works_.push_back({&run, task});
  }
  ~starpu_tasks() { starpu_shutdown(); }
  starpu_tasks(starpu_tasks const&) = delete;
  starpu_tasks& operator=(starpu_tasks const&) = delete;

  void run() {
    std::vector<starpu_task*> made;
    for (auto& work : works_) {
      made.push_back(new_task(work));
      declare(made);
    }
    for (auto* const one : made)
      if (starpu_task_submit(one) != 0) throw error("StarPU refuses a task");
    starpu_task_wait_for_all();
  }

 private:
  starpu_task* new_task(starpu_work& work) {
    auto* const made = starpu_task_create();
    made->cl = &codelet_;
    made->cl_arg = &work;
    made->cl_arg_size = sizeof work;
    return made;
  }
  /// Of the last of all tasks so far.
  void declare(std::vector<starpu_task*> const& made) {
    std::vector<starpu_task*> before;
    for (auto const one : tasks_.predecessors_of(std::uint32_t(made.size() - 1))) before.push_back(made[one]);
    if (!before.empty()) starpu_task_declare_deps_array(made.back(), unsigned(before.size()), before.data());
  }

  levelled_tasks const& tasks_;
  starpu_codelet codelet_;
  std::vector<starpu_work> works_;
};

std::function<void()> by_starpu(levelled_tasks const& tasks, run_task const& run, int threads) {
  return [all = std::make_shared<starpu_tasks>(tasks, run, threads)] { all->run(); };
}
#endif

}  // namespace

std::vector<graph_peer> graph_peers() {
  graph_peer openmp{"OpenMP, task depend", {}}, starpu{"StarPU", {}};
#if defined(_OPENMP)
  openmp.make = by_openmp;
#endif
#if BALLAST_HAVE_STARPU
  starpu.make = by_starpu;
#endif
  return {{"oneTBB, a flow graph", by_tbb}, openmp, starpu};
}

}  // namespace ballast::bench
