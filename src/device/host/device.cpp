// SPDX-License-Identifier: Apache-2.0
#include "host/device.hpp"

#include <utility>

#include "ballast/error.hpp"
#include "costs_file.hpp"
#include "host/memory.hpp"
#include "host/worker_pool.hpp"

namespace ballast::detail {
namespace {

// Built in place: neither a pool nor a mutex moves.
std::shared_ptr<host_engine> make_engine(device_spec const& spec, std::string const& name,
                                         std::size_t workers, std::vector<int> const& cores) {
  auto const fault = std::make_shared<fault_record>(name);
  return std::shared_ptr<host_engine>(
      new host_engine{fault, worker_pool(name, workers, cores, spec.slowdown, fault)});
}

}  // namespace

host_device::host_device(device_spec const& spec, std::string const& name, std::size_t workers,
                         std::vector<int> const& cores, std::shared_ptr<memory_resource> resource)
    : compute_device(spec, name, std::move(resource)), engine_(make_engine(spec, name, workers, cores)) {
  properties_.model = processor_model();
  properties_.multiprocessors = int(workers);
  properties_.memory_bytes = host_memory_bytes();
  properties_.pinned_to_cores = !cores.empty();
  set_costs(costs_on_this_machine(properties_));
}

std::size_t host_device::free_bytes() {
  check();
  return available_memory_bytes();
}

std::unique_ptr<stream> host_device::make_stream() {
  check();
  return std::make_unique<host_stream>(engine_);
}

std::unique_ptr<stream> host_device::adopt_stream(native_stream) {
  throw_bad_argument("device", name(), "a GPU: a cudaStream_t enqueues nothing to CPU cores");
}

std::unique_ptr<event> host_device::adopt_event(native_event) {
  throw_bad_argument("device", name(), "a GPU: a stream of CPU cores cannot wait for a cudaEvent_t");
}

std::unique_ptr<launch_graph> host_device::make_graph(std::span<graph_branch const>) {
  throw_bad_argument("device", name(), "a GPU: the plain __global__ functions of a graph run there only");
}

kernel_resources host_device::resources(kernel_code const& code) {
  check();
  if (code.host_function == nullptr)
    throw error("kernel " + std::string(code.name) + " was compiled without a host function");
  kernel_resources found;
  found.blocks_per_multiprocessor = 1;
  return found;
}

void* host_device::allocate_bytes(memory, std::size_t bytes) {
  check();
  return allocate_host_memory(name(), bytes);
}

void host_device::release_bytes(memory, void* address) noexcept { release_host_memory(address); }

}  // namespace ballast::detail
