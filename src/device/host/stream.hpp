// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "ballast/stream.hpp"
#include "fault.hpp"
#include "host/worker_pool.hpp"

namespace ballast::detail {

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
  void launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes) override;
  void launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                          std::size_t bytes) override;
  void launch_plain(plain_launch const& launch) override;
  std::unique_ptr<event> record() override { return record(true); }
  std::unique_ptr<event> record_untimed() override { return record(false); }
  void wait_for(event const& before) override;
  bool idle() override;
  bool is_at_rest() noexcept override;
  bool notify_on_completion(event_count& wake_event) override;
  void* native() override { return nullptr; }

 private:
  struct work_queue;

  void leak_in_child() noexcept;

  void enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                    std::size_t row_bytes, std::size_t rows) override;
  bool await_idle(deadline until) override;
  std::string const& device_name() const override;
  void enqueue(std::function<void()> work);
  std::unique_ptr<event> record(bool timed);

  std::shared_ptr<work_queue> queue_;
  std::thread thread_;
};

}  // namespace ballast::detail
