// SPDX-License-Identifier: Apache-2.0
#include "ranks/peers.hpp"

#include <mpi.h>

#include <chrono>
#include <memory>
#include <thread>

#if BALLAST_HAVE_STARPU
#  include <starpu_mpi.h>

#  include <cstdlib>

#  include "ballast/error.hpp"
#endif

namespace ballast::bench {
namespace {

constexpr int request_tag = 100, first_answer_tag = 101;
constexpr std::uint64_t no_nap = ~std::uint64_t(0);

/// A worker's message to the master: the nap that it has slept, the duration of that nap, and the worker's
/// number, by which it receives its next one.
struct nap_request {
  std::uint64_t index = no_nap, took_ns = 0, worker = 0;
};

/// Receives a message, by polling: MPI's own waits take the core from ranks that share it, and many ranks
/// that always yield take it from each other.
void receive(void* into, int bytes, int from, int tag, MPI_Status* of) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(into, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
  for (int looks = 0, is_here = 0;; ++looks) {
    MPI_Test(&request, &is_here, of);
    if (is_here != 0) return;
    if (looks < 60)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void ask_for_naps(std::span<std::uint64_t const> ns, std::uint64_t worker) {
  for (nap_request request{no_nap, 0, worker};;) {
    MPI_Send(&request, sizeof request, MPI_BYTE, 0, request_tag, MPI_COMM_WORLD);
    std::uint64_t index = 0;
    receive(&index, sizeof index, 0, first_answer_tag + int(worker), MPI_STATUS_IGNORE);
    if (index == no_nap) return;
    request = {index, slept_ns(ns[index]), worker};
  }
}

std::vector<std::uint64_t> serve_naps(std::size_t count, std::uint64_t workers) {
  std::vector<std::uint64_t> took(count);
  std::uint64_t next = 0;
  for (auto working = workers; working > 0;) {
    nap_request request;
    MPI_Status of;
    receive(&request, sizeof request, MPI_ANY_SOURCE, request_tag, &of);
    if (request.index != no_nap) took[request.index] = request.took_ns;
    auto const given = next < count ? next++ : no_nap;
    if (given == no_nap) --working;
    MPI_Send(&given, sizeof given, MPI_BYTE, of.MPI_SOURCE, first_answer_tag + int(request.worker),
             MPI_COMM_WORLD);
  }
  return took;
}

/// MPI alone: each worker asks rank 0 for one nap at a time. A thread of rank 0 only answers.
std::vector<std::uint64_t> sleep_by_master(mpi_process const& mpi, std::span<std::uint64_t const> ns,
                                           std::uint32_t workers) {
  std::vector<std::jthread> threads;
  for (std::uint32_t worker = 0; worker < workers; ++worker)
    threads.emplace_back([ns, worker] { ask_for_naps(ns, worker); });
  if (mpi.rank() != 0) return {};
  return serve_naps(ns.size(), std::uint64_t(workers) * std::uint64_t(mpi.ranks()));
}

#if BALLAST_HAVE_STARPU

void sleep_in_starpu(void**, void* arguments) {
  std::uint64_t ns = 0;
  std::uint64_t* took = nullptr;
  starpu_codelet_unpack_args(arguments, &ns, &took);
  *took = slept_ns(ns);
}

/// StarPU-MPI assigns tasks to ranks as the program chooses, here in turn, and to a rank's workers as they
/// become free.
class starpu_naps {
 public:
  starpu_naps(std::size_t ranks, std::uint32_t workers) : ranks_(ranks) {
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    setenv("STARPU_SILENT", "1", 1);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = int(workers);
    conf.ncuda = conf.nopencl = 0;
    conf.sched_policy_name = "eager";
    if (starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, &conf) != 0)
      throw error("StarPU does not start");
    starpu_codelet_init(&nap_);
    nap_.cpu_funcs[0] = &sleep_in_starpu;
    nap_.nbuffers = 0;
  }
  ~starpu_naps() { starpu_mpi_shutdown(); }
  starpu_naps(starpu_naps const&) = delete;
  starpu_naps& operator=(starpu_naps const&) = delete;

  std::vector<std::uint64_t> sleep_all(std::span<std::uint64_t const> ns) {
    std::vector<std::uint64_t> took(ns.size()), all(ns.size());
    for (std::size_t i = 0; i < ns.size(); ++i) {
      auto* const place = &took[i];
      starpu_mpi_task_insert(MPI_COMM_WORLD, &nap_, STARPU_EXECUTE_ON_NODE, int(i % ranks_), STARPU_VALUE,
                             &ns[i], sizeof ns[i], STARPU_VALUE, &place, sizeof place, 0);
    }
    starpu_task_wait_for_all();
    MPI_Reduce(took.data(), all.data(), int(took.size()), MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
  }

 private:
  std::size_t const ranks_;
  starpu_codelet nap_;
};

#endif

}  // namespace

std::uint64_t slept_ns(std::uint64_t ns) {
  auto const begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  return std::uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
}

std::vector<nap_peer> nap_peers(mpi_process const& mpi, std::uint32_t workers) {
  std::vector<nap_peer> peers;
  peers.push_back({"master and workers by MPI", [&mpi, workers](std::span<std::uint64_t const> ns) {
                     return sleep_by_master(mpi, ns, workers);
                   }});
#if BALLAST_HAVE_STARPU
  // StarPU's threads spin from the start, and must not disturb the other peers.
  if (workers <= STARPU_MAXCPUS)
    peers.push_back({"StarPU-MPI", [&mpi, workers, all = std::shared_ptr<starpu_naps>()](
                                       std::span<std::uint64_t const> ns) mutable {
                       if (all == nullptr)
                         all = std::make_shared<starpu_naps>(std::size_t(mpi.ranks()), workers);
                       return all->sleep_all(ns);
                     }});
#endif
  return peers;
}

}  // namespace ballast::bench
