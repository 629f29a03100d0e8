// SPDX-License-Identifier: Apache-2.0
#include "cuda/event.hpp"

#include "ballast/error.hpp"
#include "untimed.hpp"

namespace ballast::detail {

cuda_event::cuda_event(std::shared_ptr<cuda_engine> engine, cudaStream_t stream, event_kind kind)
    : engine_(std::move(engine)), event_(engine_->acquire_event(kind)), kind_(kind) {
  auto const status = cudaEventRecord(event_, stream);
  if (status == cudaSuccess) return;
  engine_->release_event(event_, kind_);
  engine_->require(status, "cudaEventRecord");
}

cuda_event::cuda_event(std::shared_ptr<cuda_engine> engine, cudaEvent_t adopted)
    : engine_(std::move(engine)), event_(adopted), kind_(event_kind::adopted) {
  if (event_ == nullptr) throw_bad_argument("native", "null", "a cudaEvent_t");
}

bool cuda_event::reached() {
  engine_->enter();
  auto const status = cudaEventQuery(event_);
  if (status == cudaErrorNotReady) return false;
  engine_->require(status, "cudaEventQuery");
  return true;
}

std::chrono::nanoseconds cuda_event::since(event const& earlier) const {
  auto const* const other = dynamic_cast<cuda_event const*>(&earlier);
  if (other == nullptr || other->engine_->index != engine_->index)
    throw_bad_argument("earlier", "an event of another device", "an event of " + engine_->fault.device());
  if (kind_ == event_kind::untimed) throw_untimed("event");
  if (other->kind_ == event_kind::untimed) throw_untimed("earlier");
  engine_->enter();
  float milliseconds = 0;
  engine_->require(cudaEventElapsedTime(&milliseconds, other->event_, event_), "cudaEventElapsedTime");
  return std::chrono::nanoseconds(std::int64_t(double(milliseconds) * 1e6));
}

}  // namespace ballast::detail
