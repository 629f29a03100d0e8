// SPDX-License-Identifier: Apache-2.0
#include "cuda/stream.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <thread>

#include "ballast/error.hpp"
#include "cuda/graph.hpp"

namespace ballast::detail {
namespace {

// A short wait is worth a spin: a query takes half a microsecond, a sleep at least fifty.
constexpr int polls_before_sleep = 2000;

// The value of cudaDevAttrMaxPitch on every GPU.
constexpr std::size_t max_pitch = std::numeric_limits<std::int32_t>::max();

constexpr CUlaunchAttribute cooperative{
    .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .pad = {}, .value = {.cooperative = 1}};
constexpr CUlaunchAttribute early{.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                  .pad = {},
                                  .value = {.programmaticStreamSerializationAllowed = 1}};

/// Throws bad_argument ("native") for a stream of another GPU. The engine's GPU is current.
void require_own(cuda_engine& engine, cudaStream_t native) {
  auto const legal = "a stream of " + engine.fault.device();
  if (native == nullptr)
    throw_bad_argument("native", "null",
                       legal + "; the default ones are cudaStreamLegacy and cudaStreamPerThread");
#if CUDART_VERSION >= 12080  // CUDA 12.8 added cudaStreamGetDevice
  int gpu = -1;
  engine.require(cudaStreamGetDevice(native, &gpu), "cudaStreamGetDevice of an adopted stream");
  if (gpu != engine.index) throw_bad_argument("native", "a stream of GPU " + std::to_string(gpu), legal);
#else  // a stream accepts events of its own GPU only
  auto const event = engine.acquire_event(event_kind::untimed);
  auto const status = cudaEventRecord(event, native);
  engine.release_event(event, event_kind::untimed);
  if (status == cudaErrorInvalidResourceHandle) {
    cudaGetLastError();
    throw_bad_argument("native", "a stream of another GPU", legal);
  }
  engine.require(status, "cudaEventRecord in an adopted stream");
#endif
}

}  // namespace

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

cuda_stream::cuda_stream(std::shared_ptr<cuda_engine> engine, stream_priority priority)
    : engine_(std::move(engine)) {
  engine_->enter();
  stream_ = engine_->make_stream(priority);
}

cuda_stream::cuda_stream(std::shared_ptr<cuda_engine> engine, cudaStream_t adopted)
    : engine_(std::move(engine)), stream_(adopted), owned_(false) {
  engine_->enter();
  require_own(*engine_, stream_);
}

cuda_stream::~cuda_stream() {
  if (!owned_) return;
  constexpr auto at_most = std::chrono::minutes(1);
  try {
    if (!idle())
      log_wait("a stream of " + device_name() + " is destroyed before its work has ended", at_most);
    await_idle(deadline::in(at_most));
  } catch (std::exception const&) {
    // The device is lost: nothing runs there any more.
  }
  if (engine_->try_enter()) require_nothrow(engine_->fault, cudaStreamDestroy(stream_), "cudaStreamDestroy");
}

void cuda_stream::copy(void* to, void const* from, std::size_t bytes) {
  engine_->enter();
  if (bytes == 0) return;
  engine_->require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
}

void cuda_stream::enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                               std::size_t row_bytes, std::size_t rows) {
  engine_->enter();
  if (std::max(to_pitch, from_pitch) <= max_pitch)
    return engine_->require(
        cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row_bytes, rows, cudaMemcpyDefault, stream_),
        "cudaMemcpy2DAsync");
  for (std::size_t row = 0; row < rows; ++row)
    copy(static_cast<std::byte*>(to) + row * to_pitch, static_cast<std::byte const*>(from) + row * from_pitch,
         row_bytes);
}

void cuda_stream::enqueue_rows_by_kernel(void* to, std::size_t to_pitch, void const* from,
                                         std::size_t from_pitch, std::size_t row_bytes, std::size_t rows) {
  launch_row_copy({to, to_pitch, from, from_pitch, row_bytes, rows}, *this);
}

/// Captures only this thread's calls, whatever other threads do meanwhile.
std::unique_ptr<captured_work> cuda_stream::capture(std::function<void()> const& enqueue) {
  engine_->enter();
  engine_->require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
                   "cudaStreamBeginCapture");
  std::exception_ptr thrown;
  try {
    enqueue();
  } catch (...) { thrown = std::current_exception(); }
  cudaGraph_t captured = nullptr;
  auto const status = cudaStreamEndCapture(stream_, &captured);
  if (!thrown) {
    engine_->require(status, "cudaStreamEndCapture");
    return std::make_unique<captured_graph>(engine_, captured);
  }
  cudaGetLastError();  // clears the error of an invalid capture: the first failure has the reason
  if (captured != nullptr) require_nothrow(engine_->fault, cudaGraphDestroy(captured), "cudaGraphDestroy");
  std::rethrow_exception(thrown);
}

void cuda_stream::fill(void* to, unsigned char byte, std::size_t bytes) {
  engine_->enter();
  if (bytes == 0) return;
  engine_->require(cudaMemsetAsync(to, byte, bytes, stream_), "cudaMemsetAsync");
}

void cuda_stream::launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t,
                         std::shared_ptr<void const>) {
  constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
  engine_->enter();
  auto const kernel = engine_->loaded(code);
  if (grid > most)
    throw_bad_argument("blocks", grid, "0 to " + std::to_string(most) + " on " + device_name());
  bool const is_early = code.overlap && kernel.can_overlap;
  launch_blocks(kernel, grid, argument, is_early ? &early : nullptr, code.name);
}

void cuda_stream::launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                                     std::size_t) {
  engine_->enter();
  auto const kernel = engine_->loaded(code);
  auto const most =
      std::uint32_t(kernel.found.blocks_per_multiprocessor) * std::uint32_t(engine_->multiprocessors);
  if (grid > most)
    throw_bad_argument("blocks", grid,
                       "1 to " + std::to_string(most) + " resident blocks of kernel " +
                           std::string(code.name) + " on " + device_name());
  launch_blocks(kernel, grid, argument, &cooperative, code.name);
}

void cuda_stream::launch_blocks(loaded_kernel const& kernel, std::uint32_t grid, void const* argument,
                                CUlaunchAttribute const* attribute, std::string_view name) {
  if (grid == 0) return;
  auto config = config_of({grid, kernel.threads, kernel.scratch_bytes});
  config.attrs = const_cast<CUlaunchAttribute*>(attribute);
  config.numAttrs = attribute != nullptr ? 1 : 0;
  void* arguments[] = {const_cast<void*>(argument)};
  engine_->require_kernel(engine_->calls->launch(&config, kernel.function, arguments, nullptr),
                          "cuLaunchKernelEx", name);
}

void cuda_stream::launch_plain(plain_launch const& launch) {
  engine_->enter();
  auto const function = engine_->prepare(launch);
  auto const config = config_of(launch.shape);
  engine_->require_kernel(
      engine_->calls->launch(&config, function, const_cast<void**>(launch.arguments), nullptr),
      "cuLaunchKernelEx", launch.name);
}

CUlaunchConfig cuda_stream::config_of(launch_shape const& shape) const {
  CUlaunchConfig config{};
  config.gridDimX = shape.grid.x, config.gridDimY = shape.grid.y, config.gridDimZ = shape.grid.z;
  config.blockDimX = shape.block.x, config.blockDimY = shape.block.y, config.blockDimZ = shape.block.z;
  config.sharedMemBytes = shape.shared_bytes;
  config.hStream = stream_;
  return config;
}

std::unique_ptr<event> cuda_stream::record(event_kind kind) {
  engine_->enter();
  return std::make_unique<cuda_event>(engine_, stream_, kind);
}

void cuda_stream::wait_for(event const& before) {
  auto const* const awaited = dynamic_cast<cuda_event const*>(&before);
  if (awaited == nullptr) throw_bad_argument("before", "an event of a host device", "an event of a GPU");
  engine_->enter();
  engine_->require(cudaStreamWaitEvent(stream_, awaited->get(), 0), "cudaStreamWaitEvent");
}

std::shared_ptr<void const> cuda_stream::enqueue_gate() {
  engine_->enter();
  auto capture = cudaStreamCaptureStatusNone;
  engine_->require(cudaStreamIsCapturing(stream_, &capture), "cudaStreamIsCapturing");
  if (capture != cudaStreamCaptureStatusNone)
    throw error("a stream of " + device_name() +
                " cannot wait for a completion while it is captured: its graph would wait for others later");
  auto const word = engine_->gates->enqueue(*engine_, stream_);
  auto const open = [gates = engine_->gates, word](void const*) { gates->open(word); };
  return {nullptr, open};
}

bool cuda_stream::idle() {
  engine_->enter();
  auto const status = cudaStreamQuery(stream_);
  if (status == cudaErrorNotReady) return false;
  engine_->require(status, "cudaStreamQuery");
  return true;
}

/// Nothing runs any more on a GPU that is lost.
bool cuda_stream::is_at_rest() noexcept {
  try {
    return idle();
  } catch (device_lost const&) { return true; } catch (std::exception const&) {
    return false;
  }
}

bool cuda_stream::await_idle(deadline until) {
  wait_limit limit(until);
  for (int polls = 0; !idle(); ++polls) {
    if (limit.passed()) return false;
    if (polls >= polls_before_sleep) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace ballast::detail
