// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"

namespace ballast::test {

/// The streams of a polled_device. Each call of advance() carries out whatever is due in any of them.
class polled_engine {
 public:
  /// Returns true once it is done; called again until then.
  using step = std::function<bool()>;
  using step_queue = std::deque<step>;

  polled_engine() : cores_(open_devices("host:1").front()), kernels_(cores_->make_stream()) {}

  compute_device& cores() { return *cores_; }
  void add(std::shared_ptr<step_queue> const& queue) {
    std::lock_guard const hold(mutex_);
    queues_.push_back(queue);
  }
  void remove(std::shared_ptr<step_queue> const& queue) {
    std::lock_guard const hold(mutex_);
    std::erase(queues_, queue);
  }
  void enqueue(step_queue& queue, step next) {
    cores_->check();
    std::lock_guard const hold(mutex_);
    queue.push_back(std::move(next));
  }
  bool is_empty(step_queue const& queue) {
    std::lock_guard const hold(mutex_);
    return queue.empty();
  }
  void advance() {
    std::lock_guard const hold(mutex_);
    for (bool any = true; any;) {
      any = false;
      for (auto const& queue : queues_)
        for (; !queue->empty() && queue->front()(); any = true) queue->pop_front();
    }
  }
  /// Enqueues to the one stream in which all kernels run; returns the event after the kernel. For steps.
  std::unique_ptr<event> start(std::function<void(stream&)> const& launch) {
    launch(*kernels_);
    return kernels_->record_untimed();
  }

 private:
  std::shared_ptr<compute_device> cores_;
  std::unique_ptr<stream> kernels_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<step_queue>> queues_;
};

class polled_event final : public event {
 public:
  /// The time at which the event was reached; 0 before.
  struct point {
    std::atomic<std::int64_t> ns = 0;
    bool is_reached() const { return ns.load() != 0; }
  };

  polled_event(std::shared_ptr<polled_engine> engine, std::shared_ptr<point> at, bool is_timed)
      : engine_(std::move(engine)), point_(std::move(at)), is_timed_(is_timed) {}

  bool reached() override {
    engine_->cores().check();
    engine_->advance();
    return point_->is_reached();
  }
  std::chrono::nanoseconds since(event const& earlier) const override {
    auto const& other = dynamic_cast<polled_event const&>(earlier);
    if (!is_timed_) throw bad_argument("event", "one without a time", "one by record()");
    if (!other.is_timed_) throw bad_argument("earlier", "one without a time", "one by record()");
    return std::chrono::nanoseconds(point_->ns.load() - other.point_->ns.load());
  }
  std::shared_ptr<point> const& at() const { return point_; }

 private:
  std::shared_ptr<polled_engine> engine_;
  std::shared_ptr<point> point_;
  bool is_timed_;
};

class polled_stream final : public stream {
 public:
  polled_stream(std::shared_ptr<polled_engine> engine, std::string name)
      : engine_(std::move(engine)), name_(std::move(name)) {
    engine_->add(queue_);
  }
  ~polled_stream() override {
    await_idle(deadline::in(std::chrono::minutes(1)));
    engine_->remove(queue_);
  }

  void copy(void* to, void const* from, std::size_t bytes) override {
    enqueue([=] { return std::memcpy(to, from, bytes), true; });
  }
  void fill(void* to, unsigned char byte, std::size_t bytes) override {
    enqueue([=] { return std::memset(to, byte, bytes), true; });
  }
  void launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes,
              std::shared_ptr<void const> kept) override {
    enqueue_kernel(code, argument, bytes,
                   [code, grid, bytes, kept = std::move(kept)](stream& on, void* copy) {
                     on.launch(code, grid, copy, bytes, kept);
                   });
  }
  void launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                          std::size_t bytes) override {
    if (grid > 1) throw bad_argument("blocks", std::to_string(grid), "1 on " + name_);
    enqueue_kernel(code, argument, bytes, [code, grid, bytes](stream& on, void* copy) {
      on.launch_cooperative(code, grid, copy, bytes);
    });
  }
  void launch_plain(plain_launch const&) override { throw bad_argument("kernel", "plain", "none"); }
  std::unique_ptr<event> record() override { return record(true); }
  std::unique_ptr<event> record_untimed() override { return record(false); }
  void wait_for(event const& before) override {
    enqueue([at = dynamic_cast<polled_event const&>(before).at()] { return at->is_reached(); });
  }
  bool idle() override {
    engine_->cores().check();
    engine_->advance();
    return engine_->is_empty(*queue_);
  }
  bool is_at_rest() noexcept override { return engine_->is_empty(*queue_); }
  bool notify_on_completion(event_count&) override { return false; }
  native_stream native() override { return nullptr; }

 private:
  void enqueue(polled_engine::step next) { engine_->enqueue(*queue_, std::move(next)); }
  void enqueue_kernel(kernel_code const& code, void const* argument, std::size_t bytes,
                      std::function<void(stream&, void*)> start) {
    engine_->cores().resources(code);  // throws if there is no code
    std::vector<std::byte> copy(bytes);
    if (bytes != 0) std::memcpy(copy.data(), argument, bytes);
    enqueue(
        [this, start = std::move(start), copy = std::move(copy), end = std::shared_ptr<event>()]() mutable {
          if (end == nullptr) end = engine_->start([&](stream& on) { start(on, copy.data()); });
          return end->reached();
        });
  }
  std::unique_ptr<event> record(bool is_timed) {
    auto const at = std::make_shared<polled_event::point>();
    enqueue([at] {
      return at->ns.store(std::chrono::nanoseconds(clock::now().time_since_epoch()).count()), true;
    });
    return std::make_unique<polled_event>(engine_, at, is_timed);
  }
  void enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                    std::size_t row_bytes, std::size_t rows) override {
    for (std::size_t row = 0; row < rows; ++row)
      copy(static_cast<std::byte*>(to) + row * to_pitch,
           static_cast<std::byte const*>(from) + row * from_pitch, row_bytes);
  }
  bool await_idle(deadline until) override {
    for (; !idle(); std::this_thread::yield())
      if (clock::now() > until.at()) return false;
    return true;
  }
  std::string const& device_name() const override { return name_; }
  std::shared_ptr<void const> enqueue_gate() override {
    auto const open = std::make_shared<std::atomic<bool>>(false);
    enqueue([open] { return open->load(); });
    return {nullptr, [open](void const*) { open->store(true); }};
  }

  std::shared_ptr<polled_engine> engine_;
  std::string name_;
  std::shared_ptr<polled_engine::step_queue> const queue_ = std::make_shared<polled_engine::step_queue>();
};

/// What a third backend has to be: kernels run on one thread, and nothing goes on in a stream unless somebody
/// polls. No real backend has these capabilities.
class polled_device final : public compute_device {
 public:
  polled_device() : compute_device({.cores = 1}, "polled", capabilities_of_polled()) {}

  device_properties const& properties() const noexcept override { return cores().properties(); }
  std::size_t free_bytes() override { return cores().free_bytes(); }
  std::unique_ptr<stream> make_stream() override { return std::make_unique<polled_stream>(engine_, name()); }
  std::unique_ptr<stream> adopt_stream(native_stream native) override { return cores().adopt_stream(native); }
  std::unique_ptr<event> adopt_event(native_event native) override { return cores().adopt_event(native); }
  std::unique_ptr<launch_graph> make_graph(std::span<graph_branch const> branches) override {
    return cores().make_graph(branches);
  }
  kernel_resources resources(kernel_code const& code) override { return cores().resources(code); }
  bool enable_peer_access(compute_device const& other) override { return cores().enable_peer_access(other); }
  void check() override { cores().check(); }
  detail::resident_room claim_resident(detail::resident_request const& request) override {
    return cores().claim_resident(request);
  }
  void release_resident(detail::resident_room const& room) noexcept override {
    cores().release_resident(room);
  }
  bool has_resident() const noexcept override { return cores().has_resident(); }
  std::string resident_holders(std::span<detail::resident_room const> except) const override {
    return cores().resident_holders(except);
  }

 private:
  static detail::device_capabilities capabilities_of_polled() {
    return {.shares_host_memory = true,
            .runs_on_cores = true,
            .shares_multiprocessors = false,
            .has_servers = false,
            .has_own_clock = false,
            .runs_functions = false,
            .streams = 4,
            .connections = 1};
  }
  void* allocate_bytes(memory where, std::size_t bytes) override { return cores().allocate(where, bytes); }
  void release_bytes(memory where, void* address) noexcept override { cores().release(where, address); }
  compute_device& cores() const { return engine_->cores(); }

  std::shared_ptr<polled_engine> const engine_ = std::make_shared<polled_engine>();
};

}  // namespace ballast::test
