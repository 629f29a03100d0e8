// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ballast/stream.hpp"
#include "cuda/engine.hpp"

namespace ballast::detail {

/// A CUDA event: lent by its device, to which it goes back, or adopted from the caller, whose it stays.
class cuda_event final : public event {
 public:
  /// Records in the stream; the kind is one that the engine lends.
  cuda_event(std::shared_ptr<cuda_engine> engine, cudaStream_t stream, event_kind kind);
  cuda_event(std::shared_ptr<cuda_engine> engine, cudaEvent_t adopted);
  cuda_event(cuda_event const&) = delete;
  cuda_event& operator=(cuda_event const&) = delete;
  ~cuda_event() override { engine_->release_event(event_, kind_); }

  bool reached() override;
  std::chrono::nanoseconds since(event const& earlier) const override;
  cudaEvent_t get() const { return event_; }

 private:
  std::shared_ptr<cuda_engine> engine_;
  cudaEvent_t event_;
  event_kind kind_;
};

}  // namespace ballast::detail
