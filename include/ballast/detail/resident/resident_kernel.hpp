// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/resident/block_activities.hpp"
#include "ballast/detail/resident/control.cuh"
#include "ballast/device.hpp"
#include "ballast/kernel_set.hpp"
#include "ballast/task.hpp"

namespace ballast::detail {

/// Limits, from 1 on, of the servers of a run.
struct server_limits {
  std::uint32_t fewest = 1, most = 1;
};

/// A kernel whose blocks stay on one device: started, asked to stop, watched. Several run side by side on a
/// device or its parts if all were made before the first was started, and if they fit
/// (compute_device::claim_resident()). It claims residency when it starts and gives it back when it has
/// ended. So kernels that take turns may each be as large as the device; how much of the device is left is
/// known only at the start. On a GPU a source's server is a kernel of its own, with its own registers, if it
/// fits and if CUDA runs several kernels at a time; else block 0 of the workers' kernel serves
/// (docs/decisions/0032). take_room(), give_back_room(), start(), start_on() and join() belong to one thread
/// at a time; the rest may be called from any thread.
class resident_kernel {
 public:
  /// Loads the code and allocates the control words. Throws bad_argument ("device"; "idle_timeout"; "blocks",
  /// naming the heaviest kernel of the set, if fewer fit on the device than asked), no_room if a resident
  /// kernel that does not yield runs on the device, or on another part of its GPU: an allocation could wait
  /// for that kernel's end. `yields`: as in resident_request. `servers`: how many blocks serve in a run if
  /// the server is a kernel of its own. Each takes an SM, and all but the first come in addition to
  /// `options.blocks`.
  resident_kernel(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                  kernel_entry const& entry, resident_options const& options, bool yields = false,
                  server_limits servers = {});
  ~resident_kernel();  ///< Asks a running kernel to stop and waits for it, at most stop_timeout.

  /// The most blocks of a run, for which memory is allocated.
  std::uint32_t max_blocks() const { return max_blocks_; }
  /// The blocks of its current or last claim; before the first, max_blocks().
  std::uint32_t blocks() const { return blocks_; }
  /// The number of servers that run, or last ran, as kernels of their own. 0: none, so a block of the
  /// workers' kernel serves, if the source has a server; or there was no run.
  std::uint32_t servers() const { return servers_; }
  /// The most servers that take_room() can claim: fewer than the limit if workers need the SMs; 0 if the
  /// server is no kernel of its own.
  std::uint32_t max_servers() const { return server_.blocks; }
  /// Claims residency for the next run if there is no claim yet; without this call start() and start_on() do
  /// so. For callers that prepare memory with kernels: these kernels run on the claimed SMs if no others are
  /// free. The run has `servers` servers within the limits; fewer where other kernels leave no SM or where,
  /// beyond the fewest, they would cost over an eighth of the workers. Waits for yielding kernels as
  /// claim_resident() does. Throws ballast::error if this kernel runs already, and no_room, with the holders
  /// and their blocks, if it does not fit beside others.
  void take_room(std::uint32_t servers = 1);
  /// Gives the claim back if no run was begun. After a run, join() does so.
  void give_back_room() noexcept;
  /// The value that the next start() or start_on() must put into its argument.
  resident_control next_control() const;
  /// Launches the kernel and waits until every block runs, each step at most for start_timeout. A separate
  /// thread launches it, because under CUDA_LAUNCH_BLOCKING=1 the launch call does not return before the
  /// kernel ends. Allocates nothing. Throws ballast::error as take_room(); timed_out, with the number of
  /// started blocks and the other resident kernels; and device_lost. If CUDA is set to run one kernel at a
  /// time, the server starts but the workers cannot: start() then returns false, once in a process, and
  /// nothing runs any more. Restore the memory to its state before the call, and call start() again.
  [[nodiscard]] bool start(void const* argument, std::size_t bytes);
  /// Launches the kernel, a server included, as one kernel on `on` after the work enqueued there, lets
  /// `follow` enqueue further work, and waits for none of this work. For a kernel that ends by itself, and
  /// whose blocks need not report their arrival. `on` must not be used before join() has returned, and must
  /// live until then. If CUDA_LAUNCH_BLOCKING was set when this object was made, a separate thread launches
  /// and calls `follow`, so that join() keeps its deadline although the launch waits for the kernel. Throws
  /// ballast::error as take_room(). join() throws the exceptions of the launch and of `follow`.
  void start_on(stream& on, void const* argument, std::size_t bytes, std::function<void()> follow);
  /// True if a run was begun and not joined: the memory that the kernel uses must stay.
  bool claimed() const { return claimed_; }
  /// True if the kernel still runs, or the work that follows it. Never waits. Throws device_lost, or the
  /// launch's exception.
  bool running();
  /// True if blocks of a host device are left, which continue after a fault of another block.
  bool has_host_blocks();
  /// Asks every block to end after its task. Async-signal-safe; does not wait.
  void request_stop() noexcept;
  bool stop_requested() const noexcept;
  /// Waits for the kernel's end, and after start_on() for the work that follows it; also after a failed
  /// start() or run. Throws timed_out (then the kernel may still run). Once no block is left, throws the
  /// exception that ended the run: device_lost, or the launch's.
  void join(deadline until);
  /// True if the last run ended because no task came for idle_timeout.
  bool idle_timed_out() const;
  /// The difference of host time (clock) and device time, in ns: add it to device time to get host time.
  /// start() measures it to a few microseconds.
  std::int64_t clock_offset_ns() const { return clock_offset_ns_; }
  /// What the blocks do. join() looks at it while it waits.
  block_activities& activities() { return activities_; }
  /// block_activities::look_at_all() of the present run. If none runs, on cores of the last one, where no
  /// block runs a task any more; on a GPU 0. Any thread may call.
  activity_sums look_at_blocks() noexcept;
  /// block_activities::describe() of the present or last run.
  std::string describe_blocks();

 private:
  /// A launch, possibly by a separate thread.
  struct launched_kernel {
    std::atomic<stream*> on = nullptr;
    std::thread launcher;
    std::atomic<bool> launched = false;  ///< true also if it failed, or will not be launched
    std::exception_ptr failure;

    bool running() const {
      if (!launched.load(std::memory_order_acquire)) return true;
      auto* const stream = on.load();
      return stream != nullptr && !stream->idle();
    }
  };

  bool may_split() const;
  resident_request make_request(kernel_set const& kernels, kernel_code const& code) const;
  int most_of(resident_request const& request) const;
  resident_request request_beside_servers(kernel_set const& kernels, std::uint32_t servers) const;
  std::uint32_t most_servers(kernel_set const& kernels, std::uint32_t asked) const;
  resident_request request_of_one(kernel_set const& kernels) const;
  void take_room(bool two, std::uint32_t servers);
  bool take_two_rooms(std::uint32_t servers);
  bool try_two_rooms(std::uint32_t servers);
  void log_servers(std::uint32_t asked);
  void begin_run();
  void launch(launched_kernel& which, void const* argument, std::size_t bytes,
              std::function<void()> const& follow) noexcept;
  void launch_by_thread(launched_kernel& which, void const* argument, std::size_t bytes,
                        std::function<void()> follow);
  void await_servers();
  bool run_side_by_side();
  bool await_arrival(deadline until);
  [[noreturn]] void give_up_start();
  std::array<resident_room, 2> rooms() const { return {server_room_, room_}; }
  std::string describe_neighbours() const;
  std::uint32_t blocks_of_run() const;
  std::uint32_t arrived() const;
  void pause(clock::duration run, deadline until);
  void await_host_blocks(deadline until);
  void end_of_run();

  std::shared_ptr<compute_device> device_;
  kernel_entry entry_;
  resident_options options_;
  bool yields_, launches_block_, runs_one_by_one_;
  server_limits const limits_;
  resident_request const server_;   ///< the server's request, for a kernel of its own
  resident_request const workers_;  ///< the request of the workers beside the fewest servers; no blocks: the
                                    ///< server is no kernel of its own
  resident_request const whole_;    ///< the request for server and workers as one kernel
  std::uint32_t const max_blocks_;
  resident_room room_, server_room_;
  std::atomic<std::uint32_t> blocks_, servers_ = 0;
  pinned_buffer<std::uint32_t> words_;  ///< stop, idle_timed_out, host_blocks; each on its own cache line
  pinned_buffer<std::uint32_t> arrived_;
  pinned_buffer<std::uint64_t> clock_;
  block_activities activities_;
  std::unique_ptr<stream> stream_, server_stream_;
  launched_kernel main_, serving_;
  std::uint32_t run_ = 0;
  std::atomic<bool> claimed_ = false;
  std::int64_t clock_offset_ns_ = 0;
  process_of_origin const process_;
};

}  // namespace ballast::detail
