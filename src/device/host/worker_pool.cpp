// SPDX-License-Identifier: Apache-2.0
#include "host/worker_pool.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include "ballast/base/deadline.hpp"
#include "ballast/base/start_threads.hpp"
#include "ballast/device/kernel_threw.cuh"
#include "host/cores.hpp"

namespace ballast::inline device {

// Owned by the workers too: one that never ends may outlive the pool.
struct worker_pool::shared_state {
  std::shared_ptr<fault_record> fault;
  double slowdown = 1;

  std::mutex mutex;
  std::condition_variable work, done;
  std::deque<host_job*> plain;    // with blocks to claim, oldest first
  std::deque<host_job*> waiting;  // cooperative, not admitted
  std::deque<host_job*> seating;  // cooperative, admitted, with seats to take
  std::uint32_t free_for_seats = 0;
  std::uint32_t alive = 0;
  bool ended = false;
  std::atomic<bool> seats_open = false;  // mirrors !seating.empty() for workers between two blocks

  void admit() {
    while (!waiting.empty() && waiting.front()->grid <= free_for_seats) {
      free_for_seats -= waiting.front()->grid;
      seating.push_back(waiting.front());
      waiting.pop_front();
    }
    seats_open.store(!seating.empty(), std::memory_order_relaxed);
  }
  void drop_claimed() {
    while (!plain.empty() && plain.front()->claimed()) plain.pop_front();
  }
  bool has_work() {
    drop_claimed();
    return ended || !seating.empty() || !plain.empty();
  }
  void leave(host_job& job) {
    if (--job.inside == 0 && job.claimed()) done.notify_all();
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
      if (!state_->seating.empty()) {
        take_seat(hold);
      } else if (!state_->plain.empty()) {
        take_blocks(hold);
      } else {
        break;
      }
    }
    --state_->alive;
    state_->done.notify_all();
  }

 private:
  static constexpr std::align_val_t alignment{128};

  void take_seat(std::unique_lock<std::mutex>& hold) {
    auto& job = *state_->seating.front();
    auto const block = job.next.fetch_add(1, std::memory_order_relaxed);
    ++job.inside;
    if (job.claimed()) state_->seating.pop_front();
    state_->seats_open.store(!state_->seating.empty(), std::memory_order_relaxed);
    hold.unlock();
    run_block(job, std::uint32_t(block), &pace_);
    hold.lock();
    state_->leave(job);
    ++state_->free_for_seats;
    state_->admit();
    if (!state_->seating.empty()) state_->work.notify_all();
  }

  void take_blocks(std::unique_lock<std::mutex>& hold) {
    auto& job = *state_->plain.front();
    ++job.inside;
    hold.unlock();
    while (!state_->seats_open.load(std::memory_order_relaxed) && take_block(job)) {}
    hold.lock();
    state_->leave(job);
  }

  bool take_block(host_job& job) {
    if (state_->fault->lost()) job.next.store(job.grid, std::memory_order_relaxed);
    auto const block = job.next.fetch_add(1, std::memory_order_relaxed);
    if (block >= job.grid) return false;
    auto const begin = clock::now();
    run_block(job, std::uint32_t(block), nullptr);
    if (state_->slowdown > 1) pace_.worked(clock::now() - begin);
    return true;
  }

  void run_block(host_job& job, std::uint32_t block, pacer* pace) {
    try {
      grow_scratch(job.code.scratch_bytes);
      host_lane lane{block, job.grid, scratch_, pace};
      job.code.host_function(job.argument, lane);
    } catch (kernel_threw const& failure) {
      fail(failure.kernel() + " of list " + std::string(job.code.name), failure.what());
    } catch (std::exception const& failure) {
      fail(std::string(job.code.name), failure.what());
    } catch (...) { fail(std::string(job.code.name), "something that is not a std::exception"); }
  }

  void fail(std::string const& kernel, char const* what) {
    state_->fault->note("kernel " + kernel + " threw: " + what);
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
  state_->free_for_seats = state_->alive = std::uint32_t(workers);
  workers_ = start_threads(workers, [state = state_, name, cores](std::size_t i) {
    name_thread(name + "." + std::to_string(i));
    if (!cores.empty()) bind_thread_to(cores[i]);
    worker(state).work();
  });
}

worker_pool::~worker_pool() {
  if (state_->fault->is_left_behind()) {
    (void)new std::shared_ptr<shared_state>(std::move(state_));
    (void)new std::vector<std::jthread>(std::move(workers_));
    return;
  }
  std::unique_lock hold(state_->mutex);
  state_->ended = true;
  state_->work.notify_all();
  bool const all_ended =
      state_->done.wait_for(hold, std::chrono::seconds(10), [this] { return state_->alive == 0; });
  hold.unlock();
  for (auto& thread : workers_) all_ended ? thread.join() : thread.detach();
}

void worker_pool::run(kernel_code const& code, std::uint32_t grid, void const* argument) {
  host_job job{code, grid, argument};
  std::unique_lock hold(state_->mutex);
  state_->plain.push_back(&job);
  state_->work.notify_all();
  state_->done.wait(hold, [&] { return job.claimed() && job.inside == 0; });
  std::erase(state_->plain, &job);
}

void worker_pool::run_together(kernel_code const& code, std::uint32_t grid, void const* argument) {
  host_job job{code, grid, argument};
  std::unique_lock hold(state_->mutex);
  state_->waiting.push_back(&job);
  state_->admit();
  state_->work.notify_all();
  state_->done.wait(hold, [&] { return job.claimed() && job.inside == 0; });
}

}  // namespace ballast::inline device
