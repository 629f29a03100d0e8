// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "ballast/stream.hpp"
#include "device_state.hpp"
#include "host/worker_pool.hpp"

namespace ballast::detail {

/// The time at which a stream reached a point; 0 before. Streams of a lost device pass their points too, so
/// that no one waits for ever.
class host_event_state {
 public:
  std::int64_t completed_at_ns() const noexcept { return at_ns_.load(std::memory_order_acquire); }
  void complete() noexcept;
  void wait() const noexcept { at_ns_.wait(0, std::memory_order_acquire); }

 private:
  std::atomic<std::int64_t> at_ns_ = 0;
};

class host_event final : public event {
 public:
  host_event(std::shared_ptr<host_event_state> state, bool timed, std::shared_ptr<fault_record const> fault)
      : state_(std::move(state)), timed_(timed), fault_(std::move(fault)) {}

  bool reached() override;
  std::chrono::nanoseconds since(event const& earlier) const override;
  std::shared_ptr<host_event_state> const& state() const { return state_; }

 private:
  std::shared_ptr<host_event_state> state_;
  bool timed_;
  std::shared_ptr<fault_record const> fault_;
};

/// What a host device shares with its streams.
struct host_engine {
  std::shared_ptr<fault_record> fault;
  worker_pool pool;
};

/// A queue whose own thread carries its work out in order; the thread sleeps while there is none.
class host_stream final : public stream {
 public:
  explicit host_stream(std::shared_ptr<host_engine> engine);
  ~host_stream() override;

  void copy(void* to, void const* from, std::size_t bytes) override;
  void fill(void* to, unsigned char byte, std::size_t bytes) override;
  void launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes,
              std::shared_ptr<void const> kept) override;
  void launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                          std::size_t bytes) override;
  void launch_plain(plain_launch const& launch) override;
  std::unique_ptr<event> record() override { return record(true); }
  std::unique_ptr<event> record_untimed() override { return record(false); }
  void wait_for(event const& before) override;
  bool idle() override;
  bool is_at_rest() noexcept override;
  bool notify_on_completion(event_count& wake_event) override;
  native_stream native() override { return nullptr; }

 private:
  struct work_queue;

  void leak_in_child() noexcept;

  void enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                    std::size_t row_bytes, std::size_t rows) override;
  bool await_idle(deadline until) override;
  std::shared_ptr<void const> enqueue_gate() override;
  std::string const& device_name() const override;
  void enqueue(std::function<void()> work);
  std::unique_ptr<event> record(bool timed);

  std::shared_ptr<work_queue> queue_;
  std::thread thread_;
};

}  // namespace ballast::detail
