// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/device.hpp"
#include "device_state.hpp"
#include "host/stream.hpp"

namespace ballast::detail {

/// The numbers in a list as "0-3,8", ascending; what is no such list ends it. Pure.
std::vector<int> numbers_in_core_list(std::string_view list);
/// The numbers of the cores that some thread of this process may run on, ascending; all if the system does
/// not say. `threads` is as /proc/self/task.
std::vector<int> usable_cores(std::filesystem::path const& threads = "/proc/self/task");
/// The number of cores that CPU quotas leave to this process: quotas of its control group and of those above
/// it, by version 2 or 1. Nothing without a quota. The paths are as for control_groups_of().
std::optional<double> core_quota(std::filesystem::path const& membership = "/proc/self/cgroup",
                                 std::filesystem::path const& root = "/sys/fs/cgroup");
/// What cores_of_process() returns for `usable` cores, this `quota` and `all` cores. Pure.
process_cores count_cores(std::size_t usable, std::optional<double> quota, std::size_t all);

/// A group of CPU cores as a device.
class host_device final : public compute_device {
 public:
  /// `cores`: what to bind the workers to, one each; empty: unbound.
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
