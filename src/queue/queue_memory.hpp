// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ballast/detail/queue/ring_source.cuh"
#include "ballast/device.hpp"
#include "ballast/stream.hpp"
#include "ballast/task_queue.hpp"
#include "ring_buffer.hpp"

namespace ballast::detail {

/// Everything a task queue allocates, once.
struct queue_memory {
  queue_memory(std::shared_ptr<compute_device> device, queue_options const& options, std::uint32_t blocks);

  /// As before the first run. Only while no kernel runs. Waits for the stream.
  void clear(stream& with);
  ring_source_ref source(resident_control const& control);
  std::size_t bytes() const;

  std::uint32_t shift, batch_shift, submission_rings, trace_depth;
  bool on_host;
  pinned_buffer<task_slot> submission_slots;
  pinned_buffer<host_words> from_host;
  pinned_buffer<device_words> to_host;
  pinned_buffer<stamped_chunk> completions;
  pinned_buffer<batch_times> times_out;
  ring_buffer<task_slot> ring;
  ring_buffer<std::uint32_t> released;
  device_buffer<ring_words> words;
  device_buffer<std::uint32_t> counters;
  device_buffer<batch_times> times;
  device_buffer<task_times> trace;
  device_buffer<std::uint32_t> traced;
  device_buffer<host_server_state> host_serving;
  event_count worker_wake_event, host_wake_event;
};

}  // namespace ballast::detail
