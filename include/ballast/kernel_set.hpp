// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "ballast/gpu_function.hpp"
#include "ballast/kernel.cuh"
#include "ballast/version.hpp"

namespace ballast {

class compute_device;
struct kernel_resources;

namespace detail {

/// Makes a host device slower by a given factor: after each piece of work it sleeps (factor - 1) times as
/// long as the work took. If a sleep is too long, the excess is carried over, so the factor holds on average.
/// One thread uses one pacer.
class BALLAST_API pacer {
 public:
  /// `slowdown`: every piece of work must take this many times as long; at least 1.
  explicit pacer(double slowdown) : extra_(slowdown - 1.0) {}

  /// True if it ever sleeps.
  bool is_needed() const { return extra_ > 0; }
  /// Sleeps for as long as add_debt() returns. Call it after this many nanoseconds of real work.
  void worked(std::uint64_t worked_ns);

  /// Adds the debt of this much work and returns how long to sleep now, in nanoseconds: the whole debt, or 0
  /// while the debt is below 100 us. Does not sleep.
  std::uint64_t add_debt(std::uint64_t worked_ns);
  /// Subtracts a sleep, which in fact took `took_ns`, from the debt.
  void slept(std::uint64_t took_ns);

 private:
  double extra_;
  double debt_ns_ = 0;
};

/// The context of one block of a host launch: its index in the grid, scratch buffer and pacer.
struct host_block_context {
  /// The block's index in the grid, from 0.
  std::uint32_t block = 0;
  /// Blocks of the grid.
  std::uint32_t grid = 0;
  void* scratch = nullptr;  ///< `kernel_code::scratch_bytes`, aligned to 128 bytes, not cleared
  /// Null for plain blocks, which the device paces; a cooperative launch paces itself.
  pacer* pace = nullptr;

  /// The worker_place of the kernel's block: each block of the grid counts as a worker.
  BALLAST_HD worker_place place() const { return {scratch, block, grid}; }
};

}  // namespace detail

/// One kernel as both backends see it: a function whose only parameter is a trivially copyable argument.
struct kernel_code {
  /// The name in messages; must live as long as the code.
  std::string_view name;
  gpu_function cuda_function = {};  ///< the `__global__` function; none where CUDA was not built
  /// Runs a block on a CPU core; called once for each block, by any worker.
  void (*host_function)(void const* argument, detail::host_block_context& context) = nullptr;
  std::uint32_t threads = 0;        ///< threads of a block on a GPU, a multiple of 32 up to 1024
  std::uint32_t scratch_bytes = 0;  ///< dynamic shared memory of a block; a buffer per worker on the host
  /// GPU: its blocks may begin once all blocks of the stream's previous launch have begun. Only for functions
  /// that then wait for the end of that launch.
  bool overlap = false;
};

namespace detail {

/// A kernel member that is an address.
struct kernel_address {
  std::uint32_t at = 0;            ///< offset from the kernel's beginning in bytes
  std::uint32_t result_bytes = 0;  ///< bytes of a result_ref's target; 0 for other addresses
  std::uint32_t result_at = 0;     ///< offset among all results of a task in bytes
};

/// How a kernel describes its members, so that its tasks can go to another process. If none holds an address:
/// `static constexpr bool travels_by_value = true`. Otherwise a host function that calls `visit` with each
/// member that is an address, whatever its value:
/// @code
/// template <class Visit>
/// void addresses(Visit&& visit) { visit(position); visit(result); }
/// @endcode
/// Addresses are array_ref, array_view, result_ref and pointers to objects.
struct kernel_travel {
  /// The addresses, in the order in which addresses() visits them.
  std::vector<kernel_address> addresses;
  /// The bytes of all results of a task, each at a multiple of its alignment.
  std::uint32_t result_bytes = 0;
};

/// One kernel of a set.
struct listed_kernel {
  /// Identifies the kernel's type.
  kernel_key key;
  /// The kernel's type, as C++ writes it.
  std::string name;
  /// Runs a part of the kernel's grid by an ordinary launch, whose argument is a detail::task_of_kernel.
  kernel_code code;
  /// Bytes of the kernel's members.
  std::uint32_t bytes = 0;
  std::uint32_t argument_bytes = 0;  ///< the size of its detail::task_of_kernel
  /// True if its members exceed the 40 bytes that travel in a task. A queue or pool then keeps them in pinned
  /// memory, from which each block reads them. Launches and jobs pass them by value.
  bool by_reference = false;
  std::uint32_t spawns = 0;  ///< children that a block may create; only pools run kernels that create any
  std::uint32_t joins = 0;   ///< joins that a block may make; only pools run kernels that make any
  std::uint32_t tasks_at_once = 1;  ///< tasks that a block of a GPU runs at once: 32 if each thread of a warp
                                    ///< runs its own
  /// True if blocks add to their run's sum or raise its maximum, which only pools keep.
  bool reduces = false;
  /// True if it runs slower when fewer of its blocks are resident than in a launch of its own.
  bool needs_occupancy = false;
  /// The description that lets its tasks go to another process; nothing if the kernel declares none.
  std::optional<detail::kernel_travel> travel = std::nullopt;
  /// True if the kernel declares `static constexpr bool repeatable = true`: its tasks may be executed again
  /// after the loss of their rank, even if they have run there. A graph of such kernels goes on after a stop.
  bool repeatable = false;
  bool prepares = false;  ///< it has a prepare()
  /// K::order_key() of a task with these argument words, the order of tasks in pools; null if it has none.
  std::uint32_t (*order_key)(std::uint32_t const* arguments) = nullptr;
};

/// Identifies the code that runs the kernels of a set: a type of task source (the queue's, the pool's), or of
/// launch. Compared by the type's name, since a program and a shared ballast may each have an object of their
/// own for a type.
struct entry_key {
  /// The type; null is no type.
  std::type_info const* type = nullptr;

  /// Compares the types by name.
  friend bool operator==(entry_key left, entry_key right) {
    return left.type == right.type ||
           (left.type != nullptr && right.type != nullptr && *left.type == *right.type);
  }
};
/// The key of a type, the same everywhere in the program.
template <class Source>
constexpr entry_key entry_key_of = {&typeid(Source)};

/// Code that runs one kernel of a set, or all of them.
struct kernel_entry {
  /// The type of source or launch that uses the code.
  entry_key key;
  /// The code of a resident kernel, or of a launch.
  kernel_code code;
  /// The kernel's index in the set, if the code runs only that kernel or kernels like it.
  std::uint32_t kernel = 0;
  /// GPU: the server as a kernel of its own, of one block, for a resident kernel whose block 0 serves the
  /// others. Takes the argument of `code`, as `workers` does.
  kernel_code server = {};
  /// The kernel that runs beside the server; none if there is no such server.
  kernel_code workers = {};
};

/// The content of a kernel_set.
struct compiled_code {
  /// The kernels, in the order in which they were listed.
  std::vector<listed_kernel> kernels;
  /// One entry for each source and launch for which the set was compiled.
  std::vector<kernel_entry> entries;
};

/// The part of a kernel_set that only the library calls.
class BALLAST_API compiled_kernels {
 public:
  /// Takes over the code of at least one kernel.
  compiled_kernels(std::string name, compiled_code code);
  compiled_kernels(compiled_kernels const&) = delete;
  compiled_kernels& operator=(compiled_kernels const&) = delete;

  /// The name that the macro was given.
  std::string const& name() const { return name_; }
  /// The kernels, in the order in which they were listed.
  std::span<listed_kernel const> kernels() const { return kernels_; }
  /// The index in kernels() of the kernel with this key. Throws bad_argument ("kernel") if it is not there.
  std::uint32_t index_of(kernel_key key) const {
    for (std::uint32_t index = 0; index < keys_.size(); ++index)
      if (keys_[index] == key) return index;
    throw_unknown_kernel(key);
  }
  /// True if the set has the kernel with this key.
  bool contains(kernel_key key) const;
  /// Threads of a block of the first kernel. Sets that run tasks have kernels of equal threads.
  std::uint32_t threads() const { return kernels_.front().code.threads; }
  /// The largest `spawns` of any kernel of the set.
  std::uint32_t max_spawns() const;
  /// The largest `joins` of any kernel of the set.
  std::uint32_t max_joins() const;
  /// The number of workers in a resident block: 32 if each thread of a GPU's warp runs its own tasks, else 1.
  std::uint32_t workers_of_block(compute_device const& device) const;

  /// The compiled entries of the set, besides an ordinary launch of each kernel.
  std::span<kernel_entry const> entries() const { return entries_; }
  /// True if the set has code for a type of source.
  bool has_entry_for(entry_key source) const;
  /// The resident kernel for a type of source. If the set has none, throws ballast::error, which lists the
  /// ways to compile it.
  kernel_entry const& entry_for(entry_key source) const;

  /// The resources that each kernel needs by itself on a device, in the order of kernels(). Loads the
  /// kernels, which may wait for the device.
  std::vector<kernel_resources> resources(compute_device& device) const;
  /// The kernel with the fewest blocks per SM, which determines the resources of a resident kernel. Loads the
  /// kernels.
  listed_kernel const& heaviest(compute_device& device) const;

 private:
  [[noreturn]] void throw_unknown_kernel(kernel_key key) const;

  std::string name_;
  std::vector<listed_kernel> kernels_;
  std::vector<kernel_key> keys_;  ///< the keys of kernels_, in which each task's key is looked up
  std::vector<kernel_entry> entries_;
};

}  // namespace detail

/// Kernels that were compiled by BALLAST_KERNELS (ballast/kernels.cuh). Queues, pools, launch queues and job
/// schedulers take them by reference, so the code that uses them is plain C++. Immutable; lives as long as
/// the program; any thread may call any member.
class BALLAST_API kernel_set : public detail::compiled_kernels {
 public:
  /// For BALLAST_KERNELS: a name, and the code of at least one kernel.
  using detail::compiled_kernels::compiled_kernels;
};

}  // namespace ballast
