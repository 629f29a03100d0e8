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

#include "ballast/stream.hpp"

namespace ballast {

/// The two backends: NVIDIA GPUs, and groups of CPU cores that behave like a device.
enum class backend { cuda, host };

/// One device as the user names it. Grammar (comma-separated in a list):
///   `cuda | cuda:INDEX[@SMS] | host[:CORES][/SLOWDOWN]`
struct device_spec {
  static constexpr int all = -1;  ///< `index`: every GPU; `cores`: every core this process may use

  /// Which backend the device belongs to, and so which of the members below count.
  backend kind = backend::host;
  int index = all;          ///< cuda: which GPU, 0 .. count-1
  int multiprocessors = 0;  ///< cuda: the SMs it is limited to, 1 .. 65535 (which of these the GPU can be
                            ///< limited to is known when it is opened); 0 is the whole chip
  int cores = all;          ///< host: how many cores, at least 1
  double slowdown = 1.0;    ///< host: every block takes this many times longer; 1 .. 1000

  /// Equal in every member.
  bool operator==(device_spec const&) const = default;
};

/// Reads a device list such as "cuda:0,host:1/2.5". Pure: asks no driver.
/// Throws bad_argument (argument "devices") naming the part that does not fit the grammar, or the list and
/// which of its entries is empty.
std::vector<device_spec> parse_devices(std::string_view list);

/// The spec in its shortest text form; parse_devices(to_text(s)) yields s again.
std::string to_text(device_spec const& spec);

/// `BALLAST_DEVICES` if it is set, else "cuda" if the machine has a GPU that this build has code for, else
/// "host"; GPUs without code are then told in the log. Throws bad_argument (argument "BALLAST_DEVICES") if
/// the variable holds what open_devices() would refuse.
std::string default_device_list();

/// Where an allocation lives: on the device, or in host memory that the device addresses directly
/// (page-locked and mapped for a GPU). On a host device both are ordinary memory.
enum class memory { device, pinned };

/// What a device says of itself. The members do not change while it is open.
struct device_properties {
  std::string model;        ///< as the driver or /proc/cpuinfo names it
  int multiprocessors = 0;  ///< SMs of a GPU or of the part that is used, cores of a host device
  /// Memory in bytes, whether it is free or not.
  std::size_t memory_bytes = 0;
  std::uint64_t clock_hertz = 0;  ///< the highest of the SMs' that the driver states, 0 on the host
  /// Compute capability, as 9 and 0 for 9.0.
  int compute_major = 0, compute_minor = 0;  ///< 0.0 on the host
  /// The driver's version, and that of the CUDA runtime that ballast was built with.
  int driver_version = 0, runtime_version = 0;  ///< CUDA's own numbers (13000 is 13.0), 0 on the host
  bool pinned_to_cores = false;                 ///< host: the workers are bound to cores
};

/// One device: a GPU or a group of CPU cores. Owned by shared_ptr; outlives its streams and buffers.
/// Any thread may call any member.
class compute_device {
 public:
  compute_device(compute_device const&) = delete;
  compute_device& operator=(compute_device const&) = delete;
  virtual ~compute_device() = default;

  /// The spec, plus `#k` where a list names it more than once: "cuda:1", "host:1#0".
  std::string const& name() const noexcept { return name_; }
  /// The entry of the list that the device was opened for.
  device_spec const& spec() const noexcept { return spec_; }
  /// Whether the device is a GPU or a part of one.
  bool is_cuda() const noexcept { return spec_.kind == backend::cuda; }
  /// What the device says of itself; read once, when it was opened.
  virtual device_properties const& properties() const noexcept = 0;

  /// Memory aligned to 256 bytes, not cleared; bytes 0 yields null. Throws ballast::error with the sizes when
  /// there is not enough, device_lost after a fault. May wait for the device: do not call while a resident
  /// kernel runs on it.
  void* allocate(memory where, std::size_t bytes);
  /// Gives back what allocate() returned for the same `where`; null is ignored. May wait for the device, as
  /// allocate() does.
  void release(memory where, void* address) noexcept;
  /// How many bytes of device memory are free just now: of a GPU's as the driver tells (others may take them,
  /// and they may lie in pieces), of a host device the memory that this process can have (of the
  /// machine, its control group and RLIMIT_AS the least). Throws
  /// device_lost.
  virtual std::size_t free_bytes() = 0;
  /// How many allocations were made so far; what a restart must not change.
  std::uint64_t allocations() const noexcept { return allocations_.load(std::memory_order_relaxed); }

  /// On a part of a GPU its kernels run on the part's SMs only.
  virtual std::unique_ptr<stream> make_stream() = 0;
  /// A stream over the caller's cudaStream_t (null: CUDA's default stream), to be used like any other; it
  /// neither destroys what it adopted nor waits for it when it goes, and is not limited to a part. The caller
  /// keeps the cudaStream_t until then, and may use it meanwhile. Throws bad_argument "native" for a stream
  /// of another GPU, "device" on a host device.
  virtual std::unique_ptr<stream> adopt_stream(void* native) = 0;
  /// An event over the caller's cudaEvent_t, not owned either: it stands for what the caller recorded last,
  /// and counts as reached before that. The caller keeps it until this event is gone. It has a time unless it
  /// was created without (since() then throws ballast::error with CUDA's words). Throws bad_argument "native"
  /// for null, "device" on a host device.
  virtual std::unique_ptr<event> adopt_event(void* native) = 0;
  /// Builds a graph of plain launches, whose functions, shapes and arguments are copied. May wait for the
  /// device, like resources(). Throws bad_argument ("branches") if there is none, an empty one, or one after
  /// a branch that does not stand before it, and ("function"), and ballast::error as stream::launch_plain();
  /// ("device") on a host device.
  virtual std::unique_ptr<launch_graph> make_graph(std::span<graph_branch const> branches) = 0;
  /// Loads the kernel (so that no lazy loading happens later) and says what it needs and how many blocks fit.
  virtual kernel_resources resources(kernel_code const& code) = 0;

  /// Whether kernels here can load and store `other`'s device memory; if so, makes it possible.
  virtual bool enable_peer_access(compute_device const& other) = 0;
  /// Returns if the device is sound, throws device_lost after a fault. Does not synchronise.
  virtual void check() = 0;

  /// At most one resident kernel per device and process: true for the first claimant until it is given back.
  /// `holder` says who that is, in messages.
  virtual bool claim_resident(std::string_view holder) = 0;
  /// Gives the claim back, so that the next claimant gets the device. Only for who holds it.
  virtual void release_resident() noexcept = 0;
  virtual bool has_resident() const noexcept = 0;  ///< claimed and not given back, just now
  /// Who claimed it; empty if nobody holds it just now.
  virtual std::string resident_holder() const = 0;

 protected:
  /// For the backends, which open the device and then tell its name.
  compute_device(device_spec spec, std::string name) : spec_(spec), name_(std::move(name)) {}

 private:
  virtual void* allocate_bytes(memory where, std::size_t bytes) = 0;
  virtual void release_bytes(memory where, void* address) noexcept = 0;

  device_spec spec_;
  std::string name_;
  std::atomic<std::uint64_t> allocations_ = 0;
};

/// Opened devices, in the order in which they were named.
using device_list = std::vector<std::shared_ptr<compute_device>>;

/// For messages about what does not end: a line that names the resident kernel which holds the device, behind
/// which other kernels may have to wait; empty if none does.
std::string describe_resident_holder(compute_device const& device);

/// How many GPUs the driver offers, also such as this build has no code for; 0 where CUDA was not built or no
/// driver answers. Never throws.
int cuda_device_count() noexcept;

///@{
/// Opens every device of the list, in order; `cuda` alone stands for every GPU that this build has code for,
/// and the log tells of the others. Host devices are given cores of this process one after another, and are
/// bound to them if the list asks for no more than there are. Throws bad_argument ("devices") if one does not
/// exist, is a GPU without code, is named twice (a GPU, or parts of one), or is limited to a number of SMs
/// that a part of it cannot have, which the message names. Peer access is enabled between all pairs that have
/// it.
device_list open_devices(std::vector<device_spec> const& specs);
device_list open_devices(std::string_view list);
///@}

/// Owns `size()` values of T in one place of one device; not cleared, not constructed. Move only.
/// Allocating and freeing may wait for the device (see compute_device::allocate).
template <class T, memory Where>
class typed_buffer {
  static_assert(std::is_trivially_copyable_v<T>, "a buffer holds plain bytes: T is trivially copyable");

 public:
  typed_buffer() = default;
  /// Allocates room for `size` values, which may be 0. Throws as compute_device::allocate().
  typed_buffer(std::shared_ptr<compute_device> device, std::size_t size)
      : device_(std::move(device)),
        size_(size),
        data_(static_cast<T*>(device_->allocate(Where, size * sizeof(T)))) {}
  /// Takes the memory over and leaves the other one empty.
  typed_buffer(typed_buffer&& other) noexcept { swap(other); }
  /// Frees its own memory and takes the other one's over, which is empty afterwards.
  typed_buffer& operator=(typed_buffer&& other) noexcept {
    typed_buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~typed_buffer() {
    if (data_ != nullptr) device_->release(Where, data_);
  }

  /// The address, valid on the device; on the host too if the memory is pinned or the device is a host
  /// device.
  T* data() const noexcept { return data_; }
  /// How many values of T fit.
  std::size_t size() const noexcept { return size_; }
  /// The same in bytes.
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

/// Memory of the device, which the host does not address unless the device is a host device.
template <class T>
using device_buffer = typed_buffer<T, memory::device>;
/// Host memory that the device addresses: what both read and write.
template <class T>
using pinned_buffer = typed_buffer<T, memory::pinned>;

/// One measured direction. `direct` says whether kernels on `to` can address `from`'s memory.
struct link {
  /// The rate of one large copy, in 10^9 bytes per second; median.
  double gigabytes_per_second = 0;
  double microseconds = 0;  ///< one 8-byte copy, enqueue to completion, median
  /// Whether kernels on `to` can load and store the memory of `from`.
  bool direct = false;
};

/// Links between places: place 0 is the host's pinned memory, place 1 + i is device i of the list.
struct link_matrix {
  /// What messages and tables call the places: "host memory", then the devices' names.
  std::vector<std::string> places;
  std::vector<link> links;  ///< row-major, from * places.size() + to

  /// The link for copies from one place to another; both are below places.size(), which is not checked.
  link const& between(std::size_t from, std::size_t to) const { return links[from * places.size() + to]; }
};

/// Measures every direction by copies of `bytes` (at least 1), the median of `repetitions` (at least 1) after
/// one warm-up. Allocates two buffers of `bytes` per device and waits for them: not while a resident kernel
/// runs.
link_matrix measure_links(device_list const& devices, std::size_t bytes = std::size_t(64) << 20,
                          int repetitions = 5);

/// The hardware queues of a GPU, over which CUDA deals the streams of a process: work of two streams in one
/// queue may wait for each other.
struct hardware_connections {
  std::uint32_t count = 8;        ///< 1 to 32
  bool from_environment = false;  ///< by the variable CUDA_DEVICE_MAX_CONNECTIONS; else CUDA's default

  /// Equal in both members.
  bool operator==(hardware_connections const&) const = default;
};

/// What the variable said when this process first used CUDA by ballast (cuda_device_count(), open_devices()
/// of a GPU); before, and in a build without CUDA, what it says now. A text that is no count from 1 to 32
/// counts as none: CUDA does not say what it makes of that. Any thread may call; nothing is waited for.
hardware_connections process_connections();

/// Sets the variable for this process and what it starts: true. False, and nothing is set, if it is set
/// already, for the environment's own value wins, or if ballast has used CUDA, which reads it once. Another
/// library may have used CUDA before, which ballast cannot see: then true promises too much. Throws
/// bad_argument ("count") outside of 1 to 32. Call it while no other thread reads or changes the environment;
/// without CUDA the variable is set all the same and has no effect.
bool request_connections(std::uint32_t count);

}  // namespace ballast
