// SPDX-License-Identifier: Apache-2.0
#include "host/worker_pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <new>
#include <thread>

#include "ballast/deadline.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/kernel.cuh"
#include "ballast/start_threads.hpp"

namespace ballast::detail {
namespace {

// A machine may have more cores than cpu_set_t has bits, so the set is allocated.
class core_set {
 public:
  core_set() : set_(CPU_ALLOC(max_cores)) { CPU_ZERO_S(bytes(), set_); }
  core_set& operator=(core_set&&) = delete;
  ~core_set() { CPU_FREE(set_); }

  static constexpr int max_cores = 8192;
  static std::size_t bytes() { return CPU_ALLOC_SIZE(max_cores); }
  cpu_set_t* get() { return set_; }
  void add(int core) { CPU_SET_S(std::size_t(core), bytes(), set_); }

 private:
  cpu_set_t* set_;
};

}  // namespace

void bind_thread_to(int core) noexcept {
  core_set set;
  set.add(core);
  pthread_setaffinity_np(pthread_self(), set.bytes(), set.get());
}

// Shared with the workers: a worker that never ends may outlive the pool.
struct worker_pool::shared_state {
  std::shared_ptr<fault_record> fault;
  double slowdown = 1;

  std::mutex mutex;
  std::condition_variable work, done;
  std::deque<host_launch*> plain;     // with blocks to claim, oldest first
  std::deque<host_launch*> waiting;   // cooperative, not admitted
  std::deque<host_launch*> admitted;  // admitted cooperative launches with blocks to start
  std::uint32_t free_workers = 0;
  std::uint32_t alive = 0;
  bool ended = false;
  std::atomic<bool> has_cooperative_blocks =
      false;  // mirrors !admitted.empty() for workers between two blocks

  void admit() {
    while (!waiting.empty() && waiting.front()->grid <= free_workers) {
      free_workers -= waiting.front()->grid;
      admitted.push_back(waiting.front());
      waiting.pop_front();
    }
    has_cooperative_blocks.store(!admitted.empty(), std::memory_order_relaxed);
  }
  void drop_claimed() {
    while (!plain.empty() && plain.front()->claimed()) plain.pop_front();
  }
  bool has_work() {
    drop_claimed();
    return ended || !admitted.empty() || !plain.empty();
  }
  void leave(host_launch& launch) {
    if (--launch.active_workers == 0 && launch.claimed()) done.notify_all();
  }
};

class worker_pool::worker {
 public:
  explicit worker(std::shared_ptr<shared_state> state) : state_(std::move(state)), pace_(state_->slowdown) {}
  ~worker() { ::operator delete(scratch_, alignment); }

  void work() {
    std::unique_lock hold(state_->mutex);
    for (;;) {
      state_->work.wait(hold, [this] { return state_->has_work(); });
      if (!state_->admitted.empty()) {
        run_cooperative_block(hold);
      } else if (!state_->plain.empty()) {
        run_plain_blocks(hold);
      } else {
        break;
      }
    }
    --state_->alive;
    state_->done.notify_all();
  }

 private:
  static constexpr std::align_val_t alignment{128};

  void run_cooperative_block(std::unique_lock<std::mutex>& hold) {
    auto& launch = *state_->admitted.front();
    auto const block = launch.next.fetch_add(1, std::memory_order_relaxed);
    ++launch.active_workers;
    if (launch.claimed()) state_->admitted.pop_front();
    state_->has_cooperative_blocks.store(!state_->admitted.empty(), std::memory_order_relaxed);
    hold.unlock();
    run_block(launch, std::uint32_t(block), &pace_);
    hold.lock();
    state_->leave(launch);
    ++state_->free_workers;
    state_->admit();
    if (!state_->admitted.empty()) state_->work.notify_all();
  }

  void run_plain_blocks(std::unique_lock<std::mutex>& hold) {
    auto& launch = *state_->plain.front();
    ++launch.active_workers;
    hold.unlock();
    while (!state_->has_cooperative_blocks.load(std::memory_order_relaxed) && run_next_block(launch)) {}
    hold.lock();
    state_->leave(launch);
  }

  bool run_next_block(host_launch& launch) {
    if (state_->fault->lost()) launch.next.store(launch.grid, std::memory_order_relaxed);
    auto const block = launch.next.fetch_add(1, std::memory_order_relaxed);
    if (block >= launch.grid) return false;
    if (launch.gate != nullptr && !launch.gate->may_begin()) {
      launch.next.store(launch.grid, std::memory_order_relaxed);
      return false;
    }
    auto const begin = clock::now();
    run_block(launch, std::uint32_t(block), nullptr);
    if (state_->slowdown > 1) pace_.worked(std::uint64_t((clock::now() - begin).count()));
    return true;
  }

  void run_block(host_launch& launch, std::uint32_t block, pacer* pace) {
    try {
      grow_scratch(launch.code.scratch_bytes);
      host_block_context context{block, launch.grid, scratch_, pace};
      launch.code.host_function(launch.argument, context);
    } catch (kernel_exception const& failure) {
      fail(failure.kernel() + " of set " + std::string(launch.code.name) + ", " + failure.place() + ",",
           failure.what());
    } catch (std::exception const& failure) {
      fail(std::string(launch.code.name), failure.what());
    } catch (...) { fail(std::string(launch.code.name), "something that is not a std::exception"); }
  }

  void fail(std::string const& kernel, char const* what) {
    state_->fault->record("kernel " + kernel + " threw: " + what);
  }

  void grow_scratch(std::size_t bytes) {
    if (bytes <= scratch_bytes_) return;
    void* const larger = ::operator new(bytes, alignment);
    ::operator delete(scratch_, alignment);
    scratch_ = larger;
    scratch_bytes_ = bytes;
  }

  std::shared_ptr<shared_state> state_;
  pacer pace_;
  void* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
};

worker_pool::worker_pool(std::string const& name, std::size_t workers, std::vector<int> const& cores,
                         double slowdown, std::shared_ptr<fault_record> fault)
    : state_(std::make_shared<shared_state>()) {
  state_->fault = std::move(fault);
  state_->slowdown = slowdown;
  state_->free_workers = state_->alive = std::uint32_t(workers);
  auto const work = [state = state_, cores](std::size_t i) {
    if (!cores.empty()) bind_thread_to(cores[i]);
    worker(state).work();
  };
  workers_ = start_threads(workers, work, name);
}

worker_pool::~worker_pool() {
  if (state_->fault->is_in_forked_child()) {
    (void)new std::shared_ptr<shared_state>(std::move(state_));
    (void)new std::vector<std::jthread>(std::move(workers_));
    return;
  }
  std::unique_lock hold(state_->mutex);
  state_->ended = true;
  state_->work.notify_all();
  bool const all_ended = wait_until(state_->done, hold, deadline::in(std::chrono::seconds(10)),
                                    [this] { return state_->alive == 0; });
  hold.unlock();
  for (auto& thread : workers_) all_ended ? thread.join() : thread.detach();
}

void worker_pool::run(kernel_code const& code, std::uint32_t grid, void const* argument, launch_gate* gate) {
  host_launch launch{code, grid, argument, gate};
  std::unique_lock hold(state_->mutex);
  state_->plain.push_back(&launch);
  state_->work.notify_all();
  state_->done.wait(hold, [&] { return launch.claimed() && launch.active_workers == 0; });
  std::erase(state_->plain, &launch);
}

void worker_pool::run_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument) {
  host_launch launch{code, grid, argument};
  std::unique_lock hold(state_->mutex);
  state_->waiting.push_back(&launch);
  state_->admit();
  state_->work.notify_all();
  state_->done.wait(hold, [&] { return launch.claimed() && launch.active_workers == 0; });
}

}  // namespace ballast::detail
