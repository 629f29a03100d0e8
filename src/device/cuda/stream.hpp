// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ballast/stream.hpp"
#include "cuda/engine.hpp"

namespace ballast::detail {

/// A CUDA event: lent by its device, to which it returns, or adopted from the caller, who keeps it.
class cuda_event final : public event {
 public:
  /// Records in the stream; `kind` must be one that the engine lends.
  cuda_event(std::shared_ptr<cuda_engine> engine, cudaStream_t stream, event_kind kind);
  cuda_event(std::shared_ptr<cuda_engine> engine, cudaEvent_t adopted);
  cuda_event& operator=(cuda_event&&) = delete;
  ~cuda_event() override { engine_->release_event(event_, kind_); }

  bool reached() override;
  std::chrono::nanoseconds since(event const& earlier) const override;
  cudaEvent_t get() const { return event_; }

 private:
  std::shared_ptr<cuda_engine> engine_;
  cudaEvent_t event_;
  event_kind kind_;
};

/// Rows to copy, as stream::copy_rows() takes them.
struct row_copy {
  void* to;
  std::size_t to_pitch;
  void const* from;
  std::size_t from_pitch, row_bytes, rows;
};

/// Launches a kernel that copies the rows, at least one byte. `on`: a stream of a GPU that reaches both
/// ranges. Throws as stream::launch_plain().
void launch_row_copy(row_copy const& what, stream& on);

/// A CUDA stream: its own, which does not wait for the default stream, or one adopted from the caller.
class cuda_stream final : public stream {
 public:
  cuda_stream(std::shared_ptr<cuda_engine> engine, stream_priority priority);
  /// Throws bad_argument ("native") if the stream is one of another GPU.
  cuda_stream(std::shared_ptr<cuda_engine> engine, cudaStream_t adopted);
  cuda_stream& operator=(cuda_stream&&) = delete;
  ~cuda_stream() override;

  void copy(void* to, void const* from, std::size_t bytes) override;
  void fill(void* to, unsigned char byte, std::size_t bytes) override;
  void launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes,
              std::shared_ptr<void const>) override;
  void launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                          std::size_t bytes) override;
  void launch_plain(plain_launch const& launch) override;
  std::unique_ptr<event> record() override { return record(event_kind::timed); }
  std::unique_ptr<event> record_untimed() override { return record(event_kind::untimed); }
  void wait_for(event const& before) override;
  std::unique_ptr<captured_work> capture(std::function<void()> const& enqueue) override;
  bool idle() override;
  bool is_at_rest() noexcept override;
  /// Returns false: a host function in the stream would delay the stream's later work.
  bool notify_on_completion(event_count&) override { return false; }
  native_stream native() override { return stream_; }
  cudaStream_t get() const { return stream_; }
  int gpu() const { return engine_->index; }

 private:
  void enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                    std::size_t row_bytes, std::size_t rows) override;
  void enqueue_rows_by_kernel(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                              std::size_t row_bytes, std::size_t rows) override;
  bool await_idle(deadline until) override;
  std::string const& device_name() const override { return engine_->fault.device(); }
  std::shared_ptr<void const> enqueue_gate() override;
  /// `attribute` may be null.
  void launch_blocks(loaded_kernel const& kernel, std::uint32_t grid, void const* argument,
                     CUlaunchAttribute const* attribute, std::string_view name);
  CUlaunchConfig config_of(launch_shape const& shape) const;
  std::unique_ptr<event> record(event_kind kind);

  std::shared_ptr<cuda_engine> engine_;
  cudaStream_t stream_ = nullptr;
  bool owned_ = true;
};

}  // namespace ballast::detail
