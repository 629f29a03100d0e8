// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "ballast/mpi.hpp"
#include "contract_method.hpp"
#include "rank_kernels.cuh"
#include "visiting_kernels.cuh"

// Each rank runs the same tests, with tasks of its own that any of them executes.
namespace ballast::test {

/// MPI for many clusters of a process, one after the other, from the first use to the end of the process.
class mpi_of_process {
 public:
  static mpi_of_process const& get() {
    static mpi_of_process const mpi;
    return mpi;
  }
  std::size_t rank() const { return std::size_t(rank_); }
  std::size_t ranks() const { return std::size_t(ranks_); }

 private:
  mpi_of_process() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  ~mpi_of_process() { MPI_Finalize(); }

  int rank_ = 0, ranks_ = 1;
};

/// Words for the tasks of each rank, and of all that on each rank: a task adds to those of the rank that
/// executes it. Making them and read() are collective. All that live when a queue starts are published there.
class words_of_processes {
 public:
  explicit words_of_processes(std::size_t size) : size_(size), all_(size * mpi_of_process::get().ranks()) {
    living.push_back(this);
  }
  words_of_processes(std::shared_ptr<compute_device> const&, std::size_t size) : words_of_processes(size) {}
  ~words_of_processes() { std::erase(living, this); }
  words_of_processes(words_of_processes const&) = delete;
  words_of_processes& operator=(words_of_processes const&) = delete;

  static void publish_all(cluster_queue& queue) {
    for (auto* const words : living)
      queue.publish(words->all_.data(), words->all_.size() * sizeof(std::uint32_t));
  }
  array_ref<std::uint32_t> ref() const {
    return array_ref<std::uint32_t>(const_cast<std::uint32_t*>(all_.data()) + first());
  }
  /// For the tasks of this rank, the sums over the ranks.
  std::vector<std::uint32_t> read() const {
    std::vector<std::uint32_t> sums(all_.size());
    MPI_Barrier(MPI_COMM_WORLD);  // until then a rank executes tasks of others
    MPI_Allreduce(all_.data(), sums.data(), int(all_.size()), MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
    return {sums.begin() + std::ptrdiff_t(first()), sums.begin() + std::ptrdiff_t(first() + size_)};
  }
  /// On this rank, those for the tasks of any.
  std::span<std::uint32_t> here() { return all_; }

 private:
  std::size_t first() const { return mpi_of_process::get().rank() * size_; }

  static inline std::vector<words_of_processes*> living;
  std::size_t size_;
  std::vector<std::uint32_t> all_;
};

struct on_processes : counted_visits<words_of_processes> {
  using place = on_processes;
  using words = words_of_processes;

  class gate {
   public:
    explicit gate(std::size_t) : words_(1) {}
    ~gate() { open(); }
    task holder(std::uint32_t) const { return task(wait_for_word{&words_.ref()[0]}); }
    /// A rank does not see what begins on another, and a task that waits to begin has not run either.
    void await_inside(std::size_t) {}
    void open() {
      for (auto& word : words_.here()) std::atomic_ref(word).store(1);
    }

   private:
    words words_;
  };

  static std::vector<std::string> names_in_state() {
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < mpi_of_process::get().ranks(); ++rank)
      names.push_back("rank " + std::to_string(rank));
    return names;
  }
};

/// A cluster_queue of which every rank makes the same use, as its ends are collective.
class queue_over_mpi : public on_processes {
 public:
  static constexpr char const* name = "cluster_queue_over_mpi";

  explicit queue_over_mpi(fit size = fit::usual) {
    options_.devices.queue.timeout = std::chrono::seconds(100);
    if (size == fit::smallest) options_.devices.queue.capacity = 2;
    start();
  }

  void submit(std::span<task const> batch) { queue_->submit(batch); }
  void submit(task const& one) { queue_->submit(one); }
  void wait_all() { queue_->wait_all(); }
  void wait_all(deadline until) { queue_->wait_all(until); }
  void close() { queue_->close(); }
  /// One rank stops all, which have submitted before. Nothing asks a cluster_queue to stop and does not wait
  /// for that: another thread stops it.
  void request_stop() {
    MPI_Barrier(MPI_COMM_WORLD);
    stopping_ = std::async(std::launch::async, [this] { return queue_->stop(); });
  }
  std::vector<task> stop() { return stopping_.valid() ? stopping_.get() : queue_->stop(); }
  /// A cluster_queue does not begin again: another one takes what it has handed back.
  void start() {
    queue_.reset();
    over_.reset();
    mpi_of_process::get();
    over_.emplace(mpi_cluster());
    queue_.emplace(*over_, open_devices("host:1"), visiting_kernels(), options_);
    words::publish_all(*queue_);
  }

 private:
  cluster_queue_options options_;
  std::optional<cluster> over_;
  std::optional<cluster_queue> queue_;
  std::future<std::vector<task>> stopping_;
};

using contract_methods = testing::Types<queue_over_mpi>;

}  // namespace ballast::test
#include "queue_contract.hpp"
