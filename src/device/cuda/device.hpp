// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "cuda/engine.hpp"

namespace ballast::detail {

/// The number of GPUs that the driver offers; 0 if there is no driver. This call is ballast's first use of
/// CUDA, since it comes before a GPU is opened.
int count_gpus() noexcept;
/// The compute capability of each GPU that the driver offers. Makes no context. Throws ballast::error if a
/// GPU does not answer.
std::vector<compute_capability> capabilities_of_gpus();

/// One GPU by its primary context, or a part of it, which has streams of its own.
class cuda_device final : public compute_device {
 public:
  /// `part` is null for a whole GPU.
  cuda_device(device_spec const& spec, std::string const& name, std::unique_ptr<sm_partition> part,
              std::shared_ptr<memory_resource> resource);

  device_properties const& properties() const noexcept override { return properties_; }
  std::size_t free_bytes() override;
  std::unique_ptr<stream> make_stream() override;
  std::unique_ptr<stream> make_priority_stream() override;
  std::unique_ptr<stream> adopt_stream(native_stream native) override;
  std::unique_ptr<event> adopt_event(native_event native) override;
  std::unique_ptr<launch_graph> make_graph(std::span<graph_branch const> branches) override;
  kernel_resources resources(kernel_code const& code) override;
  bool enable_peer_access(compute_device const& other) override;
  bool has_atomics_on(compute_device const& other) override;
  void check() override { engine_->probe(); }
  resident_room claim_resident(resident_request const& request) override;
  void release_resident(resident_room const& room) noexcept override { claims().release(room); }
  bool has_resident() const noexcept override { return claims().any(); }
  std::string resident_holders(std::span<resident_room const> except) const override {
    return claims().holders(engine_->claimant, except);
  }

 private:
  void* allocate_bytes(memory where, std::size_t bytes) override;
  void release_bytes(memory where, void* address) noexcept override;
  resident_claims& claims() const noexcept;

  std::shared_ptr<cuda_engine> engine_;
  device_properties properties_;
};

}  // namespace ballast::detail
