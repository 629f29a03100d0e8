// SPDX-License-Identifier: Apache-2.0
#include "cuda/engine.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <utility>

#include "ballast/error.hpp"
#include "cuda/driver.hpp"
#include "cuda/engine.hpp"

namespace ballast::detail {

// CUDA 12.4 has green contexts, but neither streams of them nor cudaGetDriverEntryPointByVersion; 12.5 added
// both.
#if CUDART_VERSION >= 12050
namespace {

using resource = CUdevResource_v1;

/// Looks up a function of green contexts; `version` is the first CUDA that has it.
template <class Function>
Function green_function(fault_record& fault, char const* name, unsigned version) {
  return driver_function<Function>(fault.device(), name, version,
                                   "parts of a GPU need one of CUDA 12.5 or later");
}

struct green_context_api {
  explicit green_context_api(fault_record& fault)
      : get_device(green_function<PFN_cuDeviceGet_v2000>(fault, "cuDeviceGet", 2000)),
        get_resource(
            green_function<PFN_cuDeviceGetDevResource_v12040>(fault, "cuDeviceGetDevResource", 12040)),
        split(green_function<PFN_cuDevSmResourceSplitByCount_v12040>(fault, "cuDevSmResourceSplitByCount",
                                                                     12040)),
        describe(
            green_function<PFN_cuDevResourceGenerateDesc_v12040>(fault, "cuDevResourceGenerateDesc", 12040)),
        create(green_function<PFN_cuGreenCtxCreate_v12040>(fault, "cuGreenCtxCreate", 12040)),
        destroy(green_function<PFN_cuGreenCtxDestroy_v12040>(fault, "cuGreenCtxDestroy", 12040)),
        make_stream(
            green_function<PFN_cuGreenCtxStreamCreate_v12050>(fault, "cuGreenCtxStreamCreate", 12050)) {}

  PFN_cuDeviceGet_v2000 get_device;
  PFN_cuDeviceGetDevResource_v12040 get_resource;
  PFN_cuDevSmResourceSplitByCount_v12040 split;
  PFN_cuDevResourceGenerateDesc_v12040 describe;
  PFN_cuGreenCtxCreate_v12040 create;
  PFN_cuGreenCtxDestroy_v12040 destroy;
  PFN_cuGreenCtxStreamCreate_v12050 make_stream;
};

/// The driver's functions of green contexts, looked up once.
green_context_api const& green_context_api_of_driver(fault_record& fault) {
  static green_context_api const calls(fault);
  return calls;
}

void require(fault_record& fault, CUresult status, std::string_view call) {
  require(fault, as_runtime_error(status), call);
}

/// One GPU before it is split.
class whole_gpu {
 public:
  /// Makes the GPU current for the calling thread, which also makes its primary context.
  explicit whole_gpu(int gpu)
      : fault_("cuda:" + std::to_string(gpu)), driver_(green_context_api_of_driver(fault_)) {
    require(fault_, cudaSetDevice(gpu), "cudaSetDevice");
    require(fault_, driver_.get_device(&device_, gpu), "cuDeviceGet");
    require(fault_, driver_.get_resource(device_, &all_, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
  }

  int multiprocessors() const { return int(all_.sm.smCount); }
  /// At most `groups` groups of at least `each` multiprocessors; none if the driver refuses.
  std::vector<resource> split(int each, unsigned groups) const {
    std::vector<resource> made(groups);
    if (driver_.split(made.data(), &groups, &all_, nullptr, 0, unsigned(each)) != CUDA_SUCCESS) return {};
    made.resize(groups);
    return made;
  }
  sm_groups offer(int each) const {
    auto const made = split(each, std::max(1u, all_.sm.smCount / unsigned(each)));
    return made.empty() ? sm_groups{} : sm_groups{int(made.front().sm.smCount), int(made.size())};
  }
  CUgreenCtx make_context(std::span<resource> groups) {
    CUdevResourceDesc description{};
    require(fault_, driver_.describe(&description, groups.data(), unsigned(groups.size())),
            "cuDevResourceGenerateDesc");
    CUgreenCtx context = nullptr;
    require(fault_, driver_.create(&context, description, device_, CU_GREEN_CTX_DEFAULT_STREAM),
            "cuGreenCtxCreate");
    return context;
  }

 private:
  fault_record fault_;
  green_context_api const& driver_;
  CUdevice device_{};
  resource all_{};
};

std::vector<std::unique_ptr<sm_partition>> split_gpu(int gpu, std::span<device_spec const> parts) {
  static std::atomic<std::uint64_t> last_split = 0;
  whole_gpu whole(gpu);
  auto const plan = plan_parts(parts, whole.multiprocessors(), [&](int each) { return whole.offer(each); });
  auto groups = whole.split(plan.multiprocessors_of_group, unsigned(plan.groups()));
  std::span<resource> left = groups;
  if (left.size() < plan.groups())
    throw error("cuda:" + std::to_string(gpu) + ": the driver made " + std::to_string(left.size()) + " of " +
                std::to_string(plan.groups()) + " groups of multiprocessors that it had offered");
  auto const split = ++last_split;
  std::vector<std::unique_ptr<sm_partition>> made;
  for (auto const count : plan.groups_of_parts) {
    resident_claimant const claimant{split, made.size()};
    made.push_back(std::make_unique<sm_partition>(whole.make_context(left.first(count)),
                                                  int(count) * plan.multiprocessors_of_group, claimant));
    left = left.subspan(count);
  }
  return made;
}

}  // namespace

sm_partition::~sm_partition() {
  try {
    fault_record unheard("a part of a GPU");
    require_nothrow(unheard, as_runtime_error(green_context_api_of_driver(unheard).destroy(context_)),
                    "cuGreenCtxDestroy");
  } catch (std::exception const&) {
    // A destructor cannot report the error; if it is a fault, the next call on the GPU does.
  }
}

cudaStream_t sm_partition::make_stream(fault_record& fault, int priority) {
  auto const& driver = green_context_api_of_driver(fault);
  std::lock_guard const hold(mutex_);
  CUstream stream = nullptr;
  require(fault, driver.make_stream(&stream, context_, CU_STREAM_NON_BLOCKING, priority),
          "cuGreenCtxStreamCreate");
  return stream;
}

#else
static std::vector<std::unique_ptr<sm_partition>> split_gpu(int gpu, std::span<device_spec const>) {
  throw error("cuda:" + std::to_string(gpu) +
              ": parts of a GPU need a ballast that was built with CUDA 12.5 or later; this one " +
              "was with 12.4");
}

sm_partition::~sm_partition() = default;

cudaStream_t sm_partition::make_stream(fault_record&, int) { return nullptr; }  // there are no partitions

#endif

std::vector<std::unique_ptr<sm_partition>> split_gpus(std::span<device_spec const> specs) {
  std::vector<std::unique_ptr<sm_partition>> made(specs.size());
  for (auto const& [gpu, places] : parts_by_gpu(specs)) {
    std::vector<device_spec> parts;
    for (auto const place : places) parts.push_back(specs[place]);
    auto split = split_gpu(gpu, parts);
    for (std::size_t i = 0; i < places.size(); ++i) made[places[i]] = std::move(split[i]);
  }
  return made;
}

}  // namespace ballast::detail
