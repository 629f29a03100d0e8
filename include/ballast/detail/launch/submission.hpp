// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/detail/device/lambda_kernel.cuh"
#include "ballast/detail/device/task_of_kernel.cuh"
#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/gpu_function.hpp"
#include "ballast/kernel.cuh"
#include "ballast/stream.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {

class launch_stream_state;
struct mergeable_kernel;

/// A condition for issuing a launch: met or not yet; throws once it has become impossible.
struct BALLAST_API dependency {
  std::shared_ptr<launch_stream_state> launch_stream;  ///< null: no launch
  std::uint64_t number = 0;                            ///< of its launch
  std::shared_ptr<event> moment;

  bool is_met() const;
};

/// A plain launch without its arguments, or the type of a callable.
struct plain_shape {
  gpu_function function = {};
  launch_shape shape = {};
  void const* callable = nullptr;

  bool operator==(plain_shape const&) const = default;
};

/// Work that launches one `__global__` function.
template <class Work>
concept has_plain_shape = requires(Work const& work) {
  { work.shape() } -> std::same_as<plain_shape>;
};

/// A kernel that is launched unmerged.
template <class K>
struct lone_kernel {
  kernel_code code;
  task_of_kernel<K> task;

  void operator()(stream& on) const { on.launch(code, task.range.count, &task, sizeof task); }
};

/// A kernel that is a lambda.
template <class Lambda, bool CompiledHere>
struct lone_lambda {
  std::shared_ptr<Lambda const> body;
  std::uint32_t grid;

  void operator()(stream& on) const {
    task_of_lambda<Lambda> const task(*body, {0, grid});
    on.launch(code_of_lambda<CompiledHere, Lambda>(types<>()), blocks_of_lambda<Lambda>({0, grid}), &task,
              sizeof task, body);
  }
};

/// A launch as its launch stream submitted it: a kernel of a set with its members, which may be merged, or
/// work that enqueues itself. Reusable: clear() empties it.
class alignas(64) submission {
 public:
  submission() = default;
  submission& operator=(submission&&) = delete;
  ~submission() { clear(); }

  void clear() {
    release();
    shape_ = nullptr;
    kernel_ = nullptr;
    lone_code_ = nullptr;
  }
  /// Releases the objects that it owns; the issuing thread calls this. Usually there are none, and then it
  /// writes nothing, so that the memory stays near the thread that fills it next.
  void release() {
    if (destroy_ != nullptr) std::exchange(destroy_, nullptr)(bytes_);
    if (dependencies_ != nullptr) dependencies_.reset();
  }

  // The submission must be empty.
  template <class K>
  void set_kernel(mergeable_kernel const& listed, K const& kernel, std::uint32_t blocks) {
    static_assert(is_mergeable<K>);
    kernel_ = &listed;
    blocks_ = blocks;
    std::memcpy(bytes_, &kernel, sizeof(K));
  }
  /// Stores work that enqueues itself: `work(stream&)` is called once, on the thread that issues.
  template <class Work>
  void set_work(Work&& work) {
    using kept = std::decay_t<Work>;
    if constexpr (sizeof(kept) <= sizeof bytes_ && alignof(kept) <= argument_piece) {
      new (bytes_) kept(std::forward<Work>(work));
      enqueue_ = [](void* at, stream& on) { (*static_cast<kept*>(at))(on); };
      if constexpr (!std::is_trivially_destructible_v<kept>)
        destroy_ = [](void* at) { static_cast<kept*>(at)->~kept(); };
      if constexpr (has_plain_shape<kept>)
        shape_ = [](void const* at) { return static_cast<kept const*>(at)->shape(); };
    } else {
      set_work(boxed<kept>{std::make_unique<kept>(std::forward<Work>(work))});
    }
  }
  /// Like set_work() for a lone_kernel of `code`, which must outlive the submission.
  template <class K>
  void set_lone_kernel(kernel_code const& code, K const& kernel, std::uint32_t blocks) {
    set_work(lone_kernel<K>{code, {kernel, {0, blocks}}});
    lone_code_ = &code;
  }
  void set_dependencies(std::vector<dependency> all) {
    dependencies_ = std::make_unique<std::vector<dependency>>(std::move(all));
  }
  void set_time(std::uint64_t ns) { at_ns_ = ns; }

  /// The kernel of a set; null for work that enqueues itself.
  mergeable_kernel const* kernel() const { return kernel_; }
  /// The code of a kernel that is launched unmerged; else null.
  kernel_code const* lone_code() const { return lone_code_; }
  std::uint32_t blocks() const { return blocks_; }
  /// The time of its submission, from an arbitrary origin.
  std::uint64_t at_ns() const { return at_ns_; }
  bool has_dependencies() const { return dependencies_ != nullptr; }
  std::span<dependency const> dependencies() const {
    if (dependencies_ == nullptr) return {};
    return *dependencies_;
  }
  /// True if all dependencies are met. Throws the error that made a dependency impossible.
  bool dependencies_met() const {
    for (auto const& one : dependencies())
      if (!one.is_met()) return false;
    return true;
  }
  /// The members of kernel(), readable in whole pieces.
  unsigned char const* bytes() const { return bytes_; }
  void enqueue(stream& on) { enqueue_(bytes_, on); }
  /// The shape of work that enqueues itself.
  plain_shape shape() const {
    if (shape_ != nullptr) return shape_(bytes_);
    return {.callable = reinterpret_cast<void const*>(enqueue_)};
  }

 private:
  /// Holds work that is too large for bytes_.
  template <class Work>
  struct boxed {
    std::unique_ptr<Work> work;
    void operator()(stream& on) { (*work)(on); }
    plain_shape shape() const requires has_plain_shape<Work> { return work->shape(); }
  };

  mergeable_kernel const* kernel_ = nullptr;
  std::uint64_t at_ns_ = 0;
  std::uint32_t blocks_ = 0;
  void (*enqueue_)(void*, stream&) = nullptr;
  void (*destroy_)(void*) = nullptr;
  plain_shape (*shape_)(void const*) = nullptr;
  std::unique_ptr<std::vector<dependency>> dependencies_;  // seldom any
  kernel_code const* lone_code_ = nullptr;
  alignas(argument_piece) unsigned char bytes_[max_kernel_bytes];
};

}  // namespace ballast::detail
