// SPDX-License-Identifier: Apache-2.0
#include "cuda/device.hpp"

#include <array>
#include <mutex>
#include <set>
#include <utility>

#include "costs_file.hpp"
#include "cuda/graph.hpp"
#include "cuda/stream.hpp"
#include "device_state.hpp"

namespace ballast::detail {
namespace {

// Per GPU and process: all compute_devices of a GPU share one.
std::array<resident_claims, 1024> residents;

/// The UUID in nvidia-smi's format.
std::string to_text(cudaUUID_t const& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    for (int const shift : {4, 0}) text += "0123456789abcdef"[(unsigned(uuid.bytes[i]) >> shift) & 15];
  }
  return text;
}

device_properties properties_of(cuda_engine& engine) {
  cudaDeviceProp properties{};
  engine.require(cudaGetDeviceProperties(&properties, engine.index), "cudaGetDeviceProperties");
  device_properties facts;
  facts.model = properties.name;
  facts.uuid = to_text(properties.uuid);
  facts.multiprocessors = engine.multiprocessors;
  facts.memory_bytes = properties.totalGlobalMem;
  int kilohertz = 0;
  engine.require(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, engine.index),
                 "cudaDeviceGetAttribute");
  facts.clock_hertz = std::uint64_t(kilohertz) * 1000;
  facts.compute_major = properties.major;
  facts.compute_minor = properties.minor;
  engine.require(cudaDriverGetVersion(&facts.driver_version), "cudaDriverGetVersion");
  engine.require(cudaRuntimeGetVersion(&facts.runtime_version), "cudaRuntimeGetVersion");
  return facts;
}

}  // namespace

int count_gpus() noexcept {
  record_first_cuda_use();
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

std::vector<compute_capability> capabilities_of_gpus() {
  std::vector<compute_capability> all;
  for (int gpu = 0, count = count_gpus(); gpu < count; ++gpu) {
    fault_record fault("cuda:" + std::to_string(gpu));
    all.push_back(capability_of(gpu, fault));
  }
  return all;
}

cuda_device::cuda_device(device_spec const& spec, std::string const& name, std::unique_ptr<sm_partition> part,
                         std::shared_ptr<memory_resource> resource)
    : compute_device(spec, name, {.connections = process_connections().count}, std::move(resource)),
      engine_(std::make_shared<cuda_engine>(spec.index, name, std::move(part))),
      properties_(properties_of(*engine_)) {
  engine_->gates = gate_words::of(*engine_);
  set_costs(costs_on_this_machine(properties_));
}

std::size_t cuda_device::free_bytes() {
  engine_->enter();
  std::size_t free = 0, all = 0;
  engine_->require(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  return free;
}

std::unique_ptr<stream> cuda_device::make_stream() {
  engine_->probe();
  return std::make_unique<cuda_stream>(engine_, stream_priority::usual);
}

std::unique_ptr<stream> cuda_device::make_priority_stream() {
  engine_->probe();
  return std::make_unique<cuda_stream>(engine_, stream_priority::highest);
}

std::unique_ptr<stream> cuda_device::adopt_stream(native_stream native) {
  engine_->probe();
  return std::make_unique<cuda_stream>(engine_, native);
}

std::unique_ptr<event> cuda_device::adopt_event(native_event native) {
  engine_->probe();
  return std::make_unique<cuda_event>(engine_, native);
}

std::unique_ptr<launch_graph> cuda_device::make_graph(std::span<graph_branch const> branches) {
  engine_->probe();
  return std::make_unique<cuda_graph>(engine_, branches);
}

kernel_resources cuda_device::resources(kernel_code const& code) {
  engine_->enter();
  return engine_->loaded(code).found;
}

/// Does not request access again that was enabled before: CUDA calls that an error, which tools report.
bool cuda_device::enable_peer_access(compute_device const& other) {
  static std::mutex mutex;
  static std::set<std::pair<int, int>> enabled;
  if (!other.is_cuda()) return false;
  int const peer = other.spec().index;
  std::lock_guard const hold(mutex);
  if (peer == engine_->index || enabled.contains({engine_->index, peer})) return true;
  engine_->enter();
  int possible = 0;
  engine_->require(cudaDeviceCanAccessPeer(&possible, engine_->index, peer), "cudaDeviceCanAccessPeer");
  if (possible == 0) return false;
  auto const status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();
  else
    engine_->require(status, "cudaDeviceEnablePeerAccess");
  enabled.insert({engine_->index, peer});
  return true;
}

bool cuda_device::has_atomics_on(compute_device const& other) {
  if (!other.is_cuda()) return false;
  int const peer = other.spec().index;
  if (peer == engine_->index) return true;
  int native = 0;
  engine_->require(
      cudaDeviceGetP2PAttribute(&native, cudaDevP2PAttrNativeAtomicSupported, engine_->index, peer),
      "cudaDeviceGetP2PAttribute");
  return native != 0;
}

resident_room cuda_device::claim_resident(resident_request const& request) {
  return claims().claim({engine_->claimant, name(), std::uint32_t(engine_->multiprocessors)}, request);
}

resident_claims& cuda_device::claims() const noexcept { return residents[std::size_t(engine_->index)]; }

void* cuda_device::allocate_bytes(memory where, std::size_t bytes) {
  engine_->enter();
  return allocate_cuda_memory(*engine_, where, bytes);
}

void cuda_device::release_bytes(memory where, void* address) noexcept {
  release_cuda_memory(*engine_, where, address);
}

}  // namespace ballast::detail
