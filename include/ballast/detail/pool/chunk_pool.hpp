// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/detail/base/host_waits.hpp"
#include "ballast/detail/pool/chunks.cuh"
#include "ballast/device.hpp"
#include "ballast/task_pool.hpp"
#include "ballast/trace.hpp"

namespace ballast::detail {

/// The span of a run that ends now; a pool's workers do not record single tasks.
inline span span_of_run(std::string const& name, pool_statistics const& did, std::int64_t begin_ns) {
  return {.label = name,
          .tasks = did.run,
          .begin_ns = begin_ns,
          .end_ns = std::int64_t(steady_now_ns()),
          .counts = {{"created", did.created},
                     {"steals_tried", did.steals_tried},
                     {"steals_won", did.steals_won},
                     {"joins", did.joins},
                     {"shared", did.shared},
                     {"launches", did.launches},
                     {"spilled", did.spilled}}};
}

/// The device memory in which workers of a resident kernel keep tasks by method `chunks`, for modules that
/// also feed the workers from elsewhere. Used by one thread at a time; call members other than view() and
/// method() only while no kernel runs.
class chunk_pool {
 public:
  /// Allocates everything. `capacity` and `joins` as in pool_options. Throws bad_argument ("capacity").
  chunk_pool(std::shared_ptr<compute_device> device, kernel_set const& kernels, std::uint32_t capacity,
             std::uint32_t joins, std::uint32_t max_workers);
  ~chunk_pool();

  /// Clears the memory for a launch of `workers` workers; call it before each launch. After a stopped run,
  /// joins are kept until a later run was not stopped, since tasks that did not run may name them. Waits for
  /// the stream.
  void clear(stream& on, bool was_stopped, std::uint32_t workers, deadline until);
  pool_view view() const;
  chunks_ref method() const;

  /// Reads the results that the workers left. Call it after each launch, before the other members.
  void read_back(stream& on);
  /// The reason why the workers left early; empty if they did not.
  std::string_view why_halted() const;
  pool_statistics statistics() const;
  /// The tasks that did not run. Tasks that name joins may be passed to the next run of the same memory.
  std::vector<stored_task> collect(stream& on) const;

  std::size_t bytes() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast::detail
