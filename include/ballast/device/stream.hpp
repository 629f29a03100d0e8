// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ballast/base/deadline.hpp"
#include "ballast/device/event_count.hpp"
#include "ballast/device/kernel_code.hpp"
#include "ballast/device/plain_launch.hpp"

namespace ballast::inline device {

/// A point in a stream. Any thread may call; nothing here blocks.
class event {
 public:
  virtual ~event() = default;

  /// Whether everything enqueued before the event has finished. Throws device_lost.
  virtual bool reached() = 0;
  /// Device time from `earlier` (same device, both reached) to this event. Throws bad_argument ("event" for
  /// this one, "earlier") for an event without a time.
  virtual std::chrono::nanoseconds since(event const& earlier) const = 0;
};

/// Work in order on one device, asynchronous to the caller. One thread at a time may enqueue.
/// No member synchronises with the device except synchronize(); all throw device_lost after a fault.
class stream {
 public:
  virtual ~stream() = default;  ///< Waits (at most a minute) for what was enqueued; an adopted one does not.

  /// Copies between any two places: device memory of any device, pinned or pageable host memory.
  /// The caller of a GPU's stream may wait until pageable memory was read or written, and waits for a copy
  /// from host memory to host memory. Both ranges must stay valid until done. Words that a running kernel
  /// writes atomically may be copied meanwhile, and words that it polls be written: aligned words of 8 bytes
  /// arrive whole (on the host in copies of up to 16 KiB), in any order within a copy. Who polls a word that
  /// a later copy wrote, with acquire, sees the copies whose events were reached before that copy was
  /// enqueued.
  virtual void copy(void* to, void const* from, std::size_t bytes) = 0;
  /// Copies `rows` times `row_bytes` bytes, as copy() would each; rows begin every `to_pitch` and every
  /// `from_pitch` bytes. Throws bad_argument ("to_pitch", "from_pitch") if several rows would overlap.
  void copy_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                 std::size_t row_bytes, std::size_t rows);
  /// Sets `bytes` bytes of this device's memory, or of pinned memory.
  virtual void fill(void* to, unsigned char byte, std::size_t bytes) = 0;
  /// Launches `grid` blocks; the argument is copied before the call returns. grid 0 does nothing.
  /// Under CUDA_LAUNCH_BLOCKING=1 the call waits for the kernel.
  virtual void launch(kernel_code const& code, std::uint32_t grid, void const* argument,
                      std::size_t bytes) = 0;
  /// The same with all blocks resident at once, as blocks that wait for each other need.
  /// Throws bad_argument ("blocks") if they do not fit.
  virtual void launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                                  std::size_t bytes) = 0;
  /// Launches any `__global__` function; the arguments are copied before the call returns. Throws
  /// bad_argument
  /// ("function") if there is none, ballast::error with the kernel's name if CUDA refuses the shape or a
  /// block has less shared memory; then nothing was launched, and stream and device stay sound. On a host
  /// device throws bad_argument ("kernel"): CPU cores run ballast kernels only.
  virtual void launch_plain(plain_launch const& launch) = 0;
  virtual std::unique_ptr<event> record() = 0;
  /// The same without a time, for who only asks whether it was reached or waits for it: since() refuses it.
  virtual std::unique_ptr<event> record_untimed() = 0;
  /// What is enqueued here later starts after `before`, an event of any stream of the same backend.
  virtual void wait_for(event const& before) = 0;
  /// Whether everything enqueued so far has finished.
  virtual bool idle() = 0;
  /// Whether nothing that was enqueued so far uses memory any more, or will. The same as idle(), but of a
  /// lost device too: blocks of CPU cores that were running then go on.
  virtual bool is_at_rest() noexcept = 0;
  /// Notifies `wake_event`, which outlives that, when everything enqueued so far has finished, also after a
  /// fault: true. A GPU's stream does nothing: false; who waits asks again and again.
  virtual bool notify_on_completion(event_count& wake_event) = 0;
  /// The cudaStream_t, null on the host backend.
  virtual void* native() = 0;

  /// Waits until idle(). Throws timed_out, device_lost.
  void synchronize(deadline until = deadline::in(std::chrono::minutes(10)));

 private:
  /// At least two rows, which do not overlap.
  virtual void enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                            std::size_t row_bytes, std::size_t rows) = 0;
  /// Waits until idle(): true; false when the deadline passed first. Throws device_lost.
  virtual bool await_idle(deadline until) = 0;
  virtual std::string const& device_name() const = 0;
};

}  // namespace ballast::inline device
