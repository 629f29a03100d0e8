// SPDX-License-Identifier: Apache-2.0
#include "host/stream.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "ballast/detail/base/event_count.hpp"
#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"
#include "host/memory.hpp"

namespace ballast::detail {
namespace {

// A kernel's argument, aligned for any type.
class argument_copy {
 public:
  argument_copy(void const* argument, std::size_t bytes) : lines_((bytes + sizeof(line) - 1) / sizeof(line)) {
    if (bytes != 0) std::memcpy(lines_.data(), argument, bytes);
  }
  void const* data() const { return lines_.data(); }

 private:
  struct alignas(64) line {
    unsigned char bytes[64];
  };
  std::vector<line> lines_;
};

void check_host_function(kernel_code const& code) {
  if (code.host_function == nullptr)
    throw error("kernel " + std::string(code.name) + " was compiled without a host function");
}

}  // namespace

void host_event_state::complete() noexcept {
  at_ns_.store(std::chrono::nanoseconds(clock::now().time_since_epoch()).count(), std::memory_order_release);
  at_ns_.notify_all();
}

bool host_event::reached() {
  fault_->check();
  return state_->completed_at_ns() != 0;
}

std::chrono::nanoseconds host_event::since(event const& earlier) const {
  auto const* const other = dynamic_cast<host_event const*>(&earlier);
  if (other == nullptr)
    throw_bad_argument("earlier", "an event of another backend", "an event of this device");
  if (!timed_) throw_untimed("event");
  if (!other->timed_) throw_untimed("earlier");
  auto const begin = other->state_->completed_at_ns(), end = state_->completed_at_ns();
  if (begin == 0 || end == 0) throw error("event times were asked before both events were reached");
  return std::chrono::nanoseconds(end - begin);
}

// Owned by the thread too: one that never ends may outlive the stream.
struct host_stream::work_queue {
  std::shared_ptr<host_engine> engine;
  std::mutex mutex;
  std::condition_variable more, drained;
  std::deque<std::function<void()>> work;
  bool busy = false, ended = false;

  bool idle() const { return work.empty() && !busy; }

  void run() {
    std::unique_lock hold(mutex);
    for (;;) {
      more.wait(hold, [this] { return ended || !work.empty(); });
      if (work.empty()) return;
      busy = true;
      run_first(hold);
      busy = false;
      if (work.empty()) drained.notify_all();
    }
  }
  void run_first(std::unique_lock<std::mutex>& hold) {
    auto first = std::move(work.front());
    work.pop_front();
    hold.unlock();
    first();
    first = nullptr;  // what it kept may use the stream
    hold.lock();
  }
};

host_stream::host_stream(std::shared_ptr<host_engine> engine) : queue_(std::make_shared<work_queue>()) {
  queue_->engine = std::move(engine);
  thread_ = start_thread(
      "a stream of " + device_name(), [queue = queue_] { queue->run(); }, "ballast-stream");
}

host_stream::~host_stream() {
  if (queue_->engine->fault->is_in_forked_child()) {
    leak_in_child();
    return;
  }
  constexpr auto at_most = std::chrono::minutes(1);
  std::unique_lock hold(queue_->mutex);
  queue_->ended = true;
  queue_->more.notify_all();
  if (!queue_->idle()) {
    hold.unlock();
    log_wait("a stream of " + device_name() + " is destroyed before its work has ended", at_most);
    hold.lock();
  }
  bool const idle =
      wait_until(queue_->drained, hold, deadline::in(at_most), [this] { return queue_->idle(); });
  hold.unlock();
  idle ? thread_.join() : thread_.detach();
}

/// A child of fork() has neither the thread nor its locks: nothing of it can be ended.
void host_stream::leak_in_child() noexcept {
  (void)new std::shared_ptr<work_queue>(std::move(queue_));
  (void)new std::thread(std::move(thread_));
}

void host_stream::enqueue(std::function<void()> work) {
  queue_->engine->fault->check();
  std::lock_guard const hold(queue_->mutex);
  queue_->work.push_back(std::move(work));
  queue_->more.notify_one();
}

void host_stream::copy(void* to, void const* from, std::size_t bytes) {
  enqueue([=, fault = queue_->engine->fault.get()] {
    if (!fault->lost()) copy_host_memory(to, from, bytes);
  });
}

void host_stream::enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                               std::size_t row_bytes, std::size_t rows) {
  enqueue([=, fault = queue_->engine->fault.get()] {
    if (fault->lost()) return;
    for (std::size_t row = 0; row < rows; ++row)
      copy_host_memory(static_cast<std::byte*>(to) + row * to_pitch,
                       static_cast<std::byte const*>(from) + row * from_pitch, row_bytes);
  });
}

void host_stream::fill(void* to, unsigned char byte, std::size_t bytes) {
  enqueue([=, fault = queue_->engine->fault.get()] {
    if (!fault->lost() && bytes != 0) std::memset(to, byte, bytes);
  });
}

void host_stream::launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes,
                         std::shared_ptr<void const> kept) {
  check_host_function(code);
  if (grid == 0) return;
  enqueue([code, grid, copy = argument_copy(argument, bytes), engine = queue_->engine.get(),
           kept = std::move(kept), gate = gate()] {
    if (!engine->fault->lost()) engine->pool.run(code, grid, copy.data(), gate.get());
  });
}

void host_stream::launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                                     std::size_t bytes) {
  check_host_function(code);
  auto const most = queue_->engine->pool.size();
  if (grid > most)
    throw_bad_argument("blocks", grid,
                       "1 to " + std::to_string(most) + " resident blocks on " + device_name());
  if (grid == 0) return;
  enqueue([code, grid, copy = argument_copy(argument, bytes), engine = queue_->engine.get()] {
    if (!engine->fault->lost()) engine->pool.run_cooperative(code, grid, copy.data());
  });
}

void host_stream::launch_plain(plain_launch const& launch) {
  throw_bad_argument(
      "kernel", launch.name,
      "a ballast kernel or a callable on " + device_name() + ": plain __global__ functions run on GPUs only");
}

std::unique_ptr<event> host_stream::record(bool timed) {
  auto state = std::make_shared<host_event_state>();
  enqueue([state] { state->complete(); });
  return std::make_unique<host_event>(std::move(state), timed, queue_->engine->fault);
}

void host_stream::wait_for(event const& before) {
  auto const* const awaited = dynamic_cast<host_event const*>(&before);
  if (awaited == nullptr) throw_bad_argument("before", "an event of a GPU", "an event of a host device");
  enqueue([state = awaited->state()] { state->wait(); });
}

std::shared_ptr<void const> host_stream::enqueue_gate() {
  auto const state = std::make_shared<host_event_state>();
  enqueue([state] { state->wait(); });
  return {nullptr, [state](void const*) { state->complete(); }};
}

bool host_stream::idle() {
  queue_->engine->fault->check();
  std::lock_guard const hold(queue_->mutex);
  return queue_->idle();
}

bool host_stream::is_at_rest() noexcept {
  std::lock_guard const hold(queue_->mutex);
  return queue_->idle();
}

bool host_stream::notify_on_completion(event_count& wake_event) {
  enqueue([&wake_event] { wake_event.notify(); });
  return true;
}

// Wakes up from time to time, because after a fault a block may never end.
bool host_stream::await_idle(deadline until) {
  std::unique_lock hold(queue_->mutex);
  wait_limit limit(until);
  while (!queue_->idle()) {
    queue_->engine->fault->check();
    if (limit.passed()) return false;
    queue_->drained.wait_until(hold,
                               std::min(limit.next_look(), clock::now() + std::chrono::milliseconds(20)));
  }
  queue_->engine->fault->check();
  return true;
}

std::string const& host_stream::device_name() const { return queue_->engine->fault->device(); }

}  // namespace ballast::detail
