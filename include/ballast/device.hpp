// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/stream.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {
class lent_memory;
}

namespace ballast {

/// The two backends: NVIDIA GPUs, and groups of CPU cores that behave like a device.
enum class backend { cuda, host };

/// One device as the user names it. Grammar (comma-separated in a list):
///   `cuda | cuda:INDEX[@SMS] | host[:CORES][/SLOWDOWN]`
struct device_spec {
  static constexpr int all = -1;  ///< `index`: every GPU; `cores`: every core that this process may use

  /// The device's backend, which decides which of the members below apply.
  backend kind = backend::host;
  int index = all;          ///< cuda: which GPU, 0 .. count-1
  int multiprocessors = 0;  ///< cuda: the number of SMs it is limited to, 1 .. 65535 (opening the device
                            ///< checks whether the GPU supports that number); 0 is the whole chip
  int cores = all;          ///< host: how many cores, at least 1
  double slowdown = 1.0;    ///< host: each block takes this many times as long; 1 .. 1000

  /// Equal in every member.
  bool operator==(device_spec const&) const = default;
};

/// Parses a device list such as "cuda:0,host:1/2.5". Pure: asks no driver. Throws bad_argument ("devices")
/// with the part that does not match the grammar, or with the list and the number of its empty entry.
BALLAST_API std::vector<device_spec> parse_devices(std::string_view list);

/// The spec in its shortest text form; parse_devices(to_text(s)) yields s again.
BALLAST_API std::string to_text(device_spec const& spec);

/// The value of `BALLAST_DEVICES` if it is set, else "cuda" if the machine has a GPU for which this build has
/// code, else "host"; the log then names GPUs without code. Throws bad_argument ("BALLAST_DEVICES") if the
/// variable holds a list that open_devices() would refuse.
BALLAST_API std::string default_device_list();

/// The place of an allocation: on the device, or in host memory that the device addresses directly
/// (page-locked and mapped for a GPU). On a host device both are ordinary memory.
enum class memory { device, pinned };

class compute_device;

/// The source of the memory that compute_device::allocate() returns, and so of all buffers, queues, pools and
/// schedulers, if it is passed to open_devices(): the user's own pool, or one of a library such as RMM.
/// Threads, also the library's, may call any member concurrently; during a call the GPU is the calling
/// thread's current device, unless it is lost. No member may wait for work of the library, or destroy objects
/// of it. cudaMalloc() and cudaFree() may wait for the GPU, so the rule of compute_device::allocate() holds:
/// do not call them while a resident kernel runs.
class BALLAST_API memory_resource {
 public:
  virtual ~memory_resource() = default;

  /// Returns memory for `bytes`, at least 1, at a multiple of 256. Every stream of the device must be able to
  /// use the memory immediately; so must every GPU and the host if the memory is pinned
  /// (cudaHostAllocPortable). Null means that there is not enough: compute_device::allocate() then throws
  /// ballast::error with device and size. If this function throws an exception that is not a ballast::error,
  /// compute_device::allocate() wraps it in the same way, with its what(). A misaligned address is
  /// deallocated at once, and refused with bad_argument ("memory").
  virtual void* allocate(compute_device const& device, memory where, std::size_t bytes) = 0;
  /// Takes back memory that allocate() returned for these arguments. Called once for each allocation, also on
  /// a lost device, after the library's own work on the memory has ended. Unlike cudaFree() it waits for
  /// nothing: users must wait for their own work on memory before they release it.
  virtual void deallocate(compute_device const& device, memory where, void* address,
                          std::size_t bytes) noexcept = 0;
};

/// Options of open_devices() for all devices of a list.
struct device_options {
  /// The source of the devices' memory; the devices keep it alive. Null: CUDA's cudaMalloc() and
  /// cudaHostAlloc(), and on host devices operator new.
  std::shared_ptr<memory_resource> memory = {};
};

/// The properties of a device. Fixed once the device is open.
struct device_properties {
  std::string model;        ///< the name that the driver or /proc/cpuinfo gives
  int multiprocessors = 0;  ///< SMs of a GPU or of the part in use, cores of a host device
  /// All memory of the GPU, or of the machine, free or not.
  std::size_t memory_bytes = 0;
  std::uint64_t clock_hertz = 0;  ///< highest SM clock that the driver states; 0 on the host
  /// The major number of the compute capability: 9 for 9.0; 0 on the host.
  int compute_major = 0, compute_minor = 0;  ///< the minor number: 0 for 9.0, and on the host
  /// The driver's version as CUDA's number (13000 is 13.0); 0 on the host.
  int driver_version = 0, runtime_version = 0;  ///< of the CUDA runtime in ballast; 0 on the host
  bool pinned_to_cores = false;                 ///< host: the workers are bound to cores
  /// The GPU's UUID as nvidia-smi writes it ("GPU-7a1c...", 40 characters); empty on the host.
  std::string uuid = {};
};

/// Expected costs of work on a device, besides the time of the kernels and copies themselves. Launch queues
/// and job schedulers base their decisions on them. Times are in ns, rates in bytes per ns (GB/s). All are
/// finite and above 0, or 0 where a backend has no such cost. The defaults for GPUs are those of an H200.
struct BALLAST_API device_costs {
  /// One line of listed().
  struct named_cost {
    /// The name of the member.
    std::string_view name;
    /// The member's value.
    double value;
  };

  double launch_ns = 4200;  ///< host time to launch a kernel with few arguments
  /// Host time to launch a kernel with kilobytes of arguments, such as merged kernels.
  double merged_launch_ns = 4400;
  double start_ns = 1400;  ///< device time from one kernel's end to the start of the next in its stream
  /// GPUs: from the launch of an empty kernel until its end can be seen.
  double shortest_kernel_ns = 4000;
  double build_graph_ns = 2e6;     ///< GPUs: host time to build a graph, without its launches
  double build_launch_ns = 2000;   ///< GPUs: host time for each launch in a graph that is built
  double launch_graph_ns = 15000;  ///< GPUs: host time to launch a graph; the default is an assumption
  double copy_ns = 10000;          ///< from the enqueue of a small copy to its end
  double host_bytes_per_ns = 55;   ///< large copies between host memory and the device
  double peer_bytes_per_ns = 395;  ///< large copies between devices that address each other's memory
  /// The day of the calibration, as "2026-11-26"; empty for defaults.
  std::string measured_on = {};

  /// The costs that are above 0 with their names, in the order above.
  std::vector<named_cost> listed() const;
  /// The name of these costs in records: "defaults", or the day of the calibration.
  std::string name() const { return measured_on.empty() ? "defaults" : measured_on; }
  /// Equal in every member.
  bool operator==(device_costs const&) const = default;
};

/// The costs of a backend's devices that were not calibrated: all members for GPUs; for CPU cores all that
/// are not marked GPUs.
BALLAST_API device_costs default_costs(backend kind);

/// A device has no space for a resident kernel now: other resident kernels hold it.
class BALLAST_API no_room : public error {
 public:
  using error::error;
};

namespace detail {

/// What streams and kernels of a device can do. The library decides by these, not by the backend. The
/// defaults are a GPU's.
struct device_capabilities {
  /// Work that has ended is noticed by polling only; otherwise it can wake a thread that waits for it.
  bool needs_polling = true;
  /// The host and all devices of which this is true address each other's memory.
  bool shares_host_memory = false;
  /// Blocks take cores from the threads of this process.
  bool runs_on_cores = false;
  /// Blocks of several kernels run on one multiprocessor at the same time.
  bool shares_multiprocessors = true;
  /// One block of a resident kernel reads host memory for the others; otherwise each reads it itself.
  bool has_servers = true;
  /// Kernels read a clock of the device, otherwise the host's.
  bool has_own_clock = true;
  /// Streams launch plain `__global__` functions.
  bool runs_functions = true;
  /// Merging concurrent launches is the fastest dispatch mode under every load.
  bool prefers_merging = false;
  /// The streams that a launch queue makes by default, at least 1.
  std::uint32_t streams = 64;
  /// The number of streams whose launches the device begins independently of each other, at least 1.
  std::uint32_t connections = 8;

  /// Equal in every member.
  bool operator==(device_capabilities const&) const = default;
};

/// A resident kernel's request to its device for blocks that stay there, beside the blocks of others.
struct resident_request {
  std::string holder;            ///< the kernel's name in messages
  std::uint32_t blocks = 1;      ///< the most blocks that it uses
  std::uint32_t min_blocks = 1;  ///< the fewest blocks it starts with; 1 .. blocks
  /// How many of its blocks fit on an empty SM (kernel_resources), at least 1; 1 on a host device.
  std::uint32_t blocks_per_multiprocessor = 1;
  /// SMs that it leaves to other kernels, as long as it keeps `min_blocks`.
  std::uint32_t spared_multiprocessors = 0;
  /// The blocks, out of blocks_per_multiprocessor, that an SM may lose if another kernel beside this one also
  /// has a nonzero value here: 1 or 3 if the warps of a block do not divide evenly among the four quarters of
  /// a GPU's SM.
  std::uint32_t fragmented_blocks = 0;
  /// True if it is on the device before any kernel whose claim is granted later. Those kernels then need not
  /// reserve a place for it on every SM.
  bool starts_first = false;
  /// True if it always ends soon, then releases its claim and asks again. Other claims wait for its end, and
  /// while they wait its new claim is refused.
  bool yields = false;
};

/// What claim_resident() granted.
struct resident_room {
  std::uint64_t id = 0;      ///< 0: none
  std::uint32_t blocks = 0;  ///< min_blocks .. blocks of the request
};

/// What only the library asks of a device: its capabilities, and the blocks that resident kernels may hold on
/// its SMs (cores).
class BALLAST_API device_internals {
 public:
  virtual ~device_internals() = default;

  /// Fixed when the device is opened.
  device_capabilities const& capabilities() const noexcept { return capabilities_; }

  /// Claims blocks for a resident kernel from the device's budget. Several resident kernels of this process
  /// run side by side if their blocks fit wherever the GPU puts them. If K blocks of one kernel fit on an SM,
  /// and k of another, a block of the first may cost the second k / K of its places there, rounded up. So
  /// kernels of equal k share the k places of every SM; if a kernel's block fills an SM, every block of
  /// another kernel costs it a place. Grants the most blocks that fit, less the spared ones, but at most
  /// `blocks` and at least `min_blocks`. Parts of a GPU that one call opened have a budget each; the whole
  /// GPU and parts of different calls exclude each other. Waits up to 10 s for yielding holders to leave; a
  /// yielding request never waits. Throws no_room, which names all holders and what each holds, if
  /// `min_blocks` do not fit; bad_argument ("blocks_per_multiprocessor", "min_blocks") out of their range.
  virtual resident_room claim_resident(resident_request const& request) = 0;
  /// Releases the claim. Nothing happens if it was released before.
  virtual void release_resident(resident_room const& room) noexcept = 0;
  /// True if a claim that does not yield is held at the moment on this device, or on another that shares its
  /// GPU.
  virtual bool has_resident() const noexcept = 0;
  /// Describes the holders of claims on this device and on devices that share its GPU, except the claims in
  /// the argument. Empty if there are none.
  virtual std::string resident_holders(std::span<resident_room const> except = {}) const = 0;

 protected:
  explicit device_internals(device_capabilities const& capabilities) : capabilities_(capabilities) {}

 private:
  device_capabilities capabilities_;
};

}  // namespace detail

/// One device: a GPU or a group of CPU cores. Owned by shared_ptr; must outlive its streams and buffers. Any
/// thread may call any member.
class BALLAST_API compute_device : public detail::device_internals {
 public:
  compute_device(compute_device const&) = delete;
  compute_device& operator=(compute_device const&) = delete;
  virtual ~compute_device() = default;

  /// The text of the spec, followed by `#k` if the list names it more than once: "cuda:1", "host:1#0".
  std::string const& name() const noexcept { return name_; }
  /// The entry of the list that the device was opened for.
  device_spec const& spec() const noexcept { return spec_; }
  /// True if the device is a GPU or a part of one.
  bool is_cuda() const noexcept { return spec_.kind == backend::cuda; }
  /// The properties of the device, read once when it was opened.
  virtual device_properties const& properties() const noexcept = 0;
  /// The expected costs of work on the device: those saved by save_costs() for this GPU and driver, or for
  /// these cores, when the process first opened a device; otherwise the defaults.
  device_costs const& costs() const noexcept { return costs_; }

  /// Allocates memory aligned to 256 bytes, not cleared; returns null for 0 bytes. May wait for the device:
  /// do not call it while a resident kernel runs there. Throws ballast::error with the sizes if there is not
  /// enough memory, bad_argument ("memory") as memory_resource::allocate(), and device_lost after a fault.
  void* allocate(memory where, std::size_t bytes);
  /// Frees memory that allocate() returned for the same `where`. May wait for the device, as allocate().
  void release(memory where, void* address) noexcept;
  /// The bytes of device memory that are free now. On a GPU it is the driver's number (other programs may
  /// take them, and they may be fragmented). On a host device it is the memory that this process can still
  /// get: the smallest of the amounts that the machine, its control group and RLIMIT_AS leave. Throws
  /// device_lost.
  virtual std::size_t free_bytes() = 0;
  /// True if allocate() asks a memory_resource. Kernels of other GPUs may be unable to reach such memory.
  bool has_lent_memory() const noexcept { return lent_ != nullptr; }
  /// The number of allocations so far; a restart must not change it.
  std::uint64_t allocations() const noexcept { return allocations_.load(std::memory_order_relaxed); }

  /// Makes a stream of this device. If the device is a part of a GPU, kernels of the stream run on the part's
  /// SMs only. Throws device_lost.
  virtual std::unique_ptr<stream> make_stream() = 0;
  /// Like make_stream(), but where kernels wait for free SMs, this stream's kernels start before those of
  /// make_stream()'s streams, also in captured work. Host devices have no such order.
  virtual std::unique_ptr<stream> make_priority_stream();
  /// Makes a stream over the caller's cudaStream_t, to be used like any other.
  /// Its destructor neither destroys the cudaStream_t nor waits for it, and it is not limited to a part of a
  /// GPU. The caller must keep the cudaStream_t until the returned stream is destroyed, and may use it
  /// meanwhile. Throws bad_argument ("native") for a stream of another GPU and for null (CUDA's default
  /// streams are cudaStreamLegacy and cudaStreamPerThread), ("device") on a host device.
  virtual std::unique_ptr<stream> adopt_stream(native_stream native) = 0;
  /// Makes an event over the caller's cudaEvent_t, which it does not own. The event stands for the caller's
  /// last recording, and counts as reached before the first one. The caller must keep the cudaEvent_t until
  /// the returned event is destroyed. The event has a time unless the cudaEvent_t was created without one
  /// (since() then throws ballast::error with CUDA's message). Throws bad_argument ("native") for null,
  /// ("device") on a host device.
  virtual std::unique_ptr<event> adopt_event(native_event native) = 0;
  /// Builds a graph of plain launches, whose functions, shapes and arguments are copied. May wait for the
  /// device, as resources(). Throws bad_argument ("branches") if the list is empty, a branch is empty, or a
  /// branch comes after one that does not precede it in the list; bad_argument ("function") and
  /// ballast::error as stream::launch_plain(); bad_argument ("device") on a host device.
  virtual std::unique_ptr<launch_graph> make_graph(std::span<graph_branch const> branches) = 0;
  /// Loads the kernel, so that no lazy loading happens later, and returns its requirements and how many of
  /// its blocks fit. The first call for a kernel may wait for the device.
  virtual kernel_resources resources(kernel_code const& code) = 0;

  /// Lets kernels of this device load from and store to `other`'s device memory, if possible; returns whether
  /// it is possible.
  virtual bool enable_peer_access(compute_device const& other) = 0;
  /// True if atomic operations of this device's kernels on `other`'s memory are atomic for its kernels too.
  virtual bool has_atomics_on(compute_device const&) { return true; }
  /// Throws device_lost after a fault. Does not wait.
  virtual void check() = 0;

 protected:
  /// Makes the part that the backends share, once they know the device's name. Without a resource, memory
  /// comes from allocate_bytes().
  compute_device(device_spec spec, std::string name, detail::device_capabilities const& capabilities,
                 std::shared_ptr<memory_resource> resource = {});
  /// Sets the costs, which otherwise are the defaults. For the backends, before the device is handed to
  /// users.
  void set_costs(device_costs costs) { costs_ = std::move(costs); }

 private:
  virtual void* allocate_bytes(memory where, std::size_t bytes) = 0;
  virtual void release_bytes(memory where, void* address) noexcept = 0;

  device_spec spec_;
  std::string name_;
  device_costs costs_;
  std::atomic<std::uint64_t> allocations_ = 0;
  std::shared_ptr<detail::lent_memory> lent_;  ///< null without a memory_resource
};

/// Opened devices, in the order in which they were named.
using device_list = std::vector<std::shared_ptr<compute_device>>;

namespace detail {

/// Throws bad_argument ("devices") unless the list has 1 to `max` devices and none is null.
BALLAST_API void check_devices(device_list const& devices, std::size_t max = std::size_t(-1));
/// Throws bad_argument ("device") if it is null.
BALLAST_API compute_device& checked_device(std::shared_ptr<compute_device> const& device);

/// One line for timeout messages: the resident kernels that hold the device, which other kernels may be
/// waiting for. Empty if none holds it.
BALLAST_API std::string describe_resident_holder(compute_device const& device);

}  // namespace detail

/// The number of cores that this process may use, and what limits it.
struct process_cores {
  std::uint32_t usable = 1;  ///< 1 .. all
  std::uint32_t all = 1;     ///< cores of the machine that are online
  /// The limit that leaves the process fewer than all cores, for messages; empty if it has all.
  std::string limited_by = {};
};

/// Counts the cores of the process now. "host" takes this many cores, and programs start this many threads. A
/// core counts if the affinity mask of some thread of the process has it, since OpenMP and launchers may have
/// bound the main thread to one core; the CPU quotas of the process's control group and of those above it,
/// rounded up, limit the count further. Reads /proc and /sys and does not wait.
BALLAST_API process_cores cores_of_process();

/// How many GPUs the driver offers, including those for which this build has no code; 0 if CUDA was not built
/// or no driver answers. Never throws.
BALLAST_API int cuda_device_count() noexcept;

///@{
/// Opens every device of the list, by default of default_device_list(), in order; `cuda` alone stands for
/// every GPU for which this build has code. The log names the other GPUs, and gives the reason if "host" got
/// fewer cores than the machine has. Host devices receive cores of this process one after another, and are
/// bound to them if the list takes every core that the process may use. Enables peer access between all pairs
/// of GPUs that have it. Parts of a GPU in one list have no SM in common; parts from two calls may. Throws
/// bad_argument ("devices"), whose message names the device, if one does not exist, is a GPU without code, is
/// named twice (a GPU, or a part of it beside the whole), is limited to a number of SMs that a part of it
/// cannot have, or is named in parts that together need more SMs than the driver divides it into.
BALLAST_API device_list open_devices(std::vector<device_spec> const& specs,
                                     device_options const& options = {});
BALLAST_API device_list open_devices(std::string_view list, device_options const& options = {});
inline device_list open_devices() { return open_devices(default_device_list()); }
///@}

namespace detail {

/// Owns `size()` values of T in one kind of memory of one device; neither cleared nor constructed. Move only.
/// The constructor and destructor may wait for the device, and the constructor throws, as
/// compute_device::allocate().
template <class T, memory Where>
class typed_buffer {
  static_assert(std::is_trivially_copyable_v<T>, "a buffer holds plain bytes: T is trivially copyable");

 public:
  typed_buffer() = default;
  /// Allocates memory for `size` values, which may be 0. Throws as compute_device::allocate(), and
  /// bad_argument ("device") if the device is null.
  typed_buffer(std::shared_ptr<compute_device> device, std::size_t size)
      : device_(std::move(device)),
        size_(size),
        data_(static_cast<T*>(detail::checked_device(device_).allocate(Where, size * sizeof(T)))) {}
  /// Takes over the memory and leaves the other buffer empty.
  typed_buffer(typed_buffer&& other) noexcept { swap(other); }
  /// Frees its own memory and takes over the other buffer's, which is empty afterwards.
  typed_buffer& operator=(typed_buffer&& other) noexcept {
    typed_buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~typed_buffer() {
    if (data_ != nullptr) device_->release(Where, data_);
  }

  /// The address, valid on the device, and also on the host if the memory is pinned or the device is a host
  /// device.
  T* data() const noexcept { return data_; }
  /// The number of values of T.
  std::size_t size() const noexcept { return size_; }
  /// The size in bytes.
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }

  /// A value of pinned memory. `index` is below size(), which is not checked.
  T& operator[](std::size_t index) const noexcept requires(Where == memory::pinned) { return data_[index]; }
  /// All values of pinned memory.
  std::span<T> span() const noexcept requires(Where == memory::pinned) { return {data_, size_}; }

 private:
  void swap(typed_buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

  std::shared_ptr<compute_device> device_;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

}  // namespace detail

/// Memory of the device, which the host does not address unless the device is a host device.
template <class T>
using device_buffer = detail::typed_buffer<T, memory::device>;
/// Host memory that the device addresses: both read and write it.
template <class T>
using pinned_buffer = detail::typed_buffer<T, memory::pinned>;

/// A device with its measured costs.
struct calibrated_device {
  /// The device that was measured; a part of a GPU stands for the whole.
  std::shared_ptr<compute_device> device;
  device_costs costs;  ///< measured_on is a day
};

/// The file that save_costs() writes and devices read: `ballast/costs` in the folder that XDG_CACHE_HOME
/// names if it is an absolute path, else in .cache of HOME. Empty if the environment has neither.
BALLAST_API std::string costs_path();

/// Saves the costs for later processes. Replaces the entries of the same GPUs and cores in the file, and
/// keeps the others unless the file cannot be read or is malformed. Makes the folders. If two processes save
/// at once, the costs of one may be lost. Throws ballast::error with the path if it cannot be written, and
/// bad_argument ("costs") for a member that the file cannot hold.
BALLAST_API void save_costs(std::span<calibrated_device const> calibrated);

/// The hardware queues of a GPU, over which CUDA distributes a process's streams: work of two streams in one
/// queue may wait for each other.
struct hardware_connections {
  std::uint32_t count = 8;        ///< 1 to 32
  bool from_environment = false;  ///< set by the variable CUDA_DEVICE_MAX_CONNECTIONS; else CUDA's default

  /// Equal in both members.
  bool operator==(hardware_connections const&) const = default;
};

/// The value of CUDA_DEVICE_MAX_CONNECTIONS when this process first used CUDA through ballast
/// (cuda_device_count(), or open_devices() of a GPU); before that, and in a build without CUDA, its current
/// value. Any other text than a count from 1 to 32 counts as unset: CUDA does not document its effect. Any
/// thread may call; does not wait.
BALLAST_API hardware_connections process_connections();

/// Sets CUDA_DEVICE_MAX_CONNECTIONS for this process and the processes that it starts, and returns true.
/// Returns false, and sets nothing, if the environment already has a value (it takes precedence), or if
/// ballast has used CUDA (it reads the variable only once). Ballast cannot see whether another library used
/// CUDA before, so true is no guarantee. Call it while no other thread reads or changes the environment. In a
/// build without CUDA the variable is set too, without effect. Throws bad_argument ("count") outside 1 to 32.
BALLAST_API bool request_connections(std::uint32_t count);

}  // namespace ballast
