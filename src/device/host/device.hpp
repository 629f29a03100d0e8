// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/stream.hpp"
#include "device_state.hpp"
#include "host/worker_pool.hpp"

namespace ballast::detail {

/// The time at which a stream reached a point; 0 before. Streams of a lost device pass their points too, so
/// that no wait lasts for ever.
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

/// The state that a host device shares with its streams.
struct host_engine {
  std::shared_ptr<fault_record> fault;
  worker_pool pool;
};

/// A queue whose own thread carries out its work in order; the thread sleeps while there is none.
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

/// The numbers in a list such as "0-3,8", ascending; any other text ends it. Pure.
std::vector<int> numbers_in_core_list(std::string_view list);
/// The numbers of the cores on which some thread of this process may run, ascending; all if the system does
/// not report them. `threads` has the form of /proc/self/task.
std::vector<int> usable_cores(std::filesystem::path const& threads = "/proc/self/task");
/// The number of cores that CPU quotas leave to this process: quotas of its control group and of the groups
/// above it, in version 2 or 1. Nothing without a quota. The paths are as for control_groups_of().
std::optional<double> core_quota(std::filesystem::path const& membership = "/proc/self/cgroup",
                                 std::filesystem::path const& root = "/sys/fs/cgroup");
/// The result of cores_of_process() for `usable` cores, this `quota` and `all` cores. Pure.
process_cores count_cores(std::size_t usable, std::optional<double> quota, std::size_t all);

inline constexpr std::size_t unlimited_bytes = std::numeric_limits<std::size_t>::max();

/// Folders with the limits of this process: of its control groups and of the groups above them.
struct control_groups {
  std::vector<std::filesystem::path> version_2;
  std::vector<std::filesystem::path> version_1;  ///< the folders of one controller
};
/// Finds these folders. `controller`: one of version 1, such as "memory" or "cpu". `membership` has the form
/// of /proc/self/cgroup, `root` of /sys/fs/cgroup.
control_groups control_groups_of(std::string const& controller, std::filesystem::path const& membership,
                                 std::filesystem::path const& root);

/// The address space that RLIMIT_AS leaves to this process; unlimited_bytes if there is no limit.
std::size_t available_address_space();

/// The memory that this process may still allocate under the limits of its control group (version 2 or 1)
/// and of all groups above it. Reclaimable file pages count as free. `membership` has the form of
/// /proc/self/cgroup.
std::size_t available_in_control_group(std::filesystem::path const& membership = "/proc/self/cgroup",
                                       std::filesystem::path const& root = "/sys/fs/cgroup");

/// The size of the machine's memory.
std::size_t host_memory_bytes() noexcept;
/// The memory that this process can still allocate without swapping: the smallest of the amounts that the
/// machine, its control group and RLIMIT_AS leave.
std::size_t available_memory_bytes();
/// Allocates memory aligned to 256 bytes. Throws ballast::error with the device and the sizes if the system
/// refuses, or if the bytes are at least 1 MiB and exceed three quarters of available_memory_bytes().
void* allocate_host_memory(std::string const& device, std::size_t bytes);
void release_host_memory(void* address) noexcept;
/// Copies whole 8-byte words if the addresses and size allow it and the copy is small. As on a GPU, it may
/// then read words that a running kernel writes atomically, and write words that a kernel polls.
void copy_host_memory(void* to, void const* from, std::size_t bytes) noexcept;

/// A group of CPU cores as a device.
class host_device final : public compute_device {
 public:
  /// `cores`: the core for each worker; empty: unbound.
  host_device(device_spec const& spec, std::string const& name, std::size_t workers,
              std::vector<int> const& cores, std::shared_ptr<memory_resource> resource);

  device_properties const& properties() const noexcept override { return properties_; }
  std::size_t free_bytes() override;
  std::unique_ptr<stream> make_stream() override;
  std::unique_ptr<stream> adopt_stream(native_stream native) override;
  std::unique_ptr<event> adopt_event(native_event native) override;
  std::unique_ptr<launch_graph> make_graph(std::span<graph_branch const> branches) override;
  kernel_resources resources(kernel_code const& code) override;
  bool enable_peer_access(compute_device const& other) override { return !other.is_cuda(); }
  void check() override { engine_->fault->check(); }
  resident_room claim_resident(resident_request const& request) override {
    return claims_.claim({{}, name(), std::uint32_t(properties_.multiprocessors)}, request);
  }
  void release_resident(resident_room const& room) noexcept override { claims_.release(room); }
  bool has_resident() const noexcept override { return claims_.any(); }
  std::string resident_holders(std::span<resident_room const> except) const override {
    return claims_.holders({}, except);
  }

 private:
  void* allocate_bytes(memory where, std::size_t bytes) override;
  void release_bytes(memory where, void* address) noexcept override;

  std::shared_ptr<host_engine> engine_;
  device_properties properties_;
  resident_claims claims_;
};

}  // namespace ballast::detail
