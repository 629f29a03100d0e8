// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/access_map.hpp"
#include "ballast/array_view.cuh"
#include "ballast/detail/device/lambda_kernel.cuh"
#include "ballast/detail/device/task_of_kernel.cuh"
#include "ballast/kernel.cuh"
#include "ballast/shared_array.hpp"
#include "ballast/stream.hpp"

namespace ballast::detail {

class job_parts;
struct job_shares;

/// A task that is about to be launched.
struct task_launch {
  std::span<void* const> arrays;  ///< for each argument, where element 0 of its array would be
  job_grid const& grid;
  job_part part;
  kernel_code const* code;   ///< of the kernel; null for a plain one
  std::uint32_t device = 0;  ///< the device that runs it, by its place in the scheduler's list
  /// The arrays on each of the devices, if they share the job; `arrays` are those of the first device.
  std::span<std::vector<void*> const> shared_arrays = {};
};

/// A job as submit() passes it on, without types.
struct job_request {
  job_setup setup;
  std::vector<job_argument> arguments = {};
  bool is_for_gpus = false;     ///< some kernel of it is a plain one
  kernel_key kernel = nullptr;  ///< null for a plain one, and for a sequence
  std::string kernel_name;
  kernel_code const* compiled_here = nullptr;  ///< null if the caller's file compiles no kernels
  std::uint64_t factory = 0;                   ///< a number that identifies the factory's type
  /// Calls the factory and launches the kernel that it returns.
  std::function<void(task_launch const&, stream&)> launch = {};
  /// The shares of a job of one unit that may run on several devices at once.
  std::shared_ptr<job_shares const> shares = {};
  /// The parts in which a sequence runs, one after another; null for other jobs.
  std::shared_ptr<job_parts> parts = {};
};

/// A factory's argument for each array: a reference if the factory takes references, as a generic one does,
/// else a view.
template <class Access>
using ref_of = array_ref<typename std::remove_cvref_t<Access>::element>;
template <class Access>
using view_of = array_view<typename std::remove_cvref_t<Access>::element, std::remove_cvref_t<Access>::rank>;

template <class Factory, class... Access>
constexpr bool takes_refs = std::is_invocable_v<Factory const&, ref_of<Access>...>;
/// True if the factory takes views. Not tried where it takes references, since that would compile a generic
/// factory.
template <class Factory, class... Access>
constexpr bool takes_views = [] {
  if constexpr (takes_refs<Factory, Access...>)
    return false;
  else
    return std::is_invocable_v<Factory const&, view_of<Access>...>;
}();

/// The kernel that a factory returns for its arrays.
template <bool OfViews, class Factory, class... Access>
struct made_kernel {
  using type = std::invoke_result_t<Factory const&, ref_of<Access>...>;
};
template <class Factory, class... Access>
struct made_kernel<true, Factory, Access...> {
  using type = std::invoke_result_t<Factory const&, view_of<Access>...>;
};
template <class Factory, class... Access>
using kernel_made_by = typename made_kernel<takes_views<Factory, Access...>, Factory, Access...>::type;

/// The key of a kernel; null for kernels without kernel_code.
template <class K>
constexpr kernel_key listed_key_of = plain_kernel_of_any<K> ? nullptr : key_of<K>;
template <class K>
std::string const& name_of_kernel() {
  static std::string const name = plain_kernel_of_any<K> ? "a plain kernel" : type_name<K>();
  return name;
}

/// The blocks of a part that is cut along the slowest dimension.
inline block_range blocks_of(job_grid const& grid, job_part part) {
  auto const each = std::uint32_t(grid.blocks_of_unit());
  return {part.first * each, part.count * each};
}

/// The start of a part, and its blocks.
inline std::pair<grid_slice, launch_extent> slice_of(job_grid const& grid, job_part part) {
  grid_slice slice{{0, 0, 0}, grid.blocks()};
  auto blocks = grid.blocks();
  switch (grid.along()) {
    case cut::x:
      slice.first.x = part.first, blocks.x = part.count;
      break;
    case cut::y:
      slice.first.y = part.first, blocks.y = part.count;
      break;
    case cut::z:
    case cut::slowest:
      slice.first.z = part.first, blocks.z = part.count;
      break;
  }
  return {slice, blocks};
}

template <class K>
void launch_task(K const& made, task_launch const& task, stream& on) {
  task_of_kernel<K> const argument{made, blocks_of(task.grid, task.part)};
  on.launch(*task.code, argument.range.count, &argument, sizeof argument);
}

template <class... Parameter>
void launch_task(plain_kernel<Parameter...> const& made, task_launch const& task, stream& on) {
  auto const [slice, blocks] = slice_of(task.grid, task.part);
  plain_launch launch{made.function, {blocks, made.block, made.shared_bytes}, {}, "a plain kernel of a job"};
  auto const launch_with = [&](auto const&... arguments) {
    void* addresses[] = {const_cast<grid_slice*>(&slice),
                         const_cast<void*>(static_cast<void const*>(&arguments))...};
    launch.arguments = addresses;
    on.launch_plain(launch);
  };
  std::apply(launch_with, made.arguments);
}

template <class Factory, class... Access>
class kernel_launcher {
 public:
  using kernel = kernel_made_by<Factory, Access...>;

  kernel_launcher(Factory factory, [[maybe_unused]] Access const&... accesses)
      : factory_(std::move(factory)) {
    if constexpr (of_views) shapes_ = {shape_of(*accesses.argument.array)...};
  }

  void operator()(task_launch const& task, stream& on) const {
    launch_task(made(task.arrays, std::index_sequence_for<Access...>()), task, on);
  }

 private:
  template <std::size_t... I>
  kernel made([[maybe_unused]] std::span<void* const> arrays, std::index_sequence<I...>) const {
    if constexpr (of_views)
      return factory_(view_of<Access>(static_cast<typename Access::element*>(arrays[I]), shapes_[I])...);
    else
      return factory_(array_ref(static_cast<typename Access::element*>(arrays[I]))...);
  }
  static constexpr bool of_views = takes_views<Factory, Access...>;

  Factory factory_;
  std::vector<extents> shapes_;  ///< of the arrays, for views
};

/// Launches a kernel that is a lambda, which must stay in place until the job has ended. Array is the type of
/// its parameter for each access: a reference or a view.
template <class Lambda, class Arrays, class... Access>
class lambda_launcher;
template <class Lambda, class... Array, class... Access>
class lambda_launcher<Lambda, types<Array...>, Access...> {
 public:
  explicit lambda_launcher(Lambda const& body, Access const&... accesses)
      : body_(body), shapes_{shape_of(*accesses.argument.array)...} {}

  void operator()(task_launch const& task, stream& on) const {
    launch(task, on, std::index_sequence_for<Access...>());
  }

 private:
  template <class Each, class Element>
  static Each array_of(Element* elements, extents const& shape) {
    if constexpr (std::is_same_v<Each, array_ref<Element>>)
      return Each(elements);
    else
      return Each(elements, shape);
  }
  template <std::size_t... I>
  void launch(task_launch const& task, stream& on, std::index_sequence<I...>) const {
    auto const range = blocks_of(task.grid, task.part);
    task_of_lambda<Lambda, Array...> const argument(
        body_, range, array_of<Array>(static_cast<typename Access::element*>(task.arrays[I]), shapes_[I])...);
    on.launch(*task.code, blocks_of_lambda<Lambda>(range), &argument, sizeof argument);
  }

  Lambda body_;
  std::vector<extents> shapes_;
};

template <class K>
constexpr void check_job_kernel() {
  static_assert(!is_for_pools<K>,
                "kernels of one thread, and those that create tasks or reduce, are for pools");
  static_assert(sizeof(K) <= max_launch_bytes,
                "this kernel's members exceed 4000 bytes: hand over what is larger in an array");
  static_assert(alignof(K) <= 64, "this kernel is aligned to more than 64 bytes");
}

/// Reports what is wrong with a factory; otherwise the compiler would report it deep inside the library.
template <class Factory, class... Access>
constexpr void check_factory() {
  using called = std::remove_cvref_t<Factory> const&;
  constexpr bool takes_arrays = takes_refs<called, Access...> || takes_views<called, Access...>;
  static_assert(takes_arrays,
                "the factory takes an array_ref<T> for each array, and array_ref<T const> for reads(), or an "
                "array_view<T, Rank> for each");
  if constexpr (takes_arrays) {
    using kernel = kernel_made_by<std::remove_cvref_t<Factory>, Access...>;
    static_assert(plain_kernel_of_any<kernel> || kernel_form<kernel>,
                  "the factory returns, by value, a kernel or what plain() makes");
    if constexpr (kernel_form<kernel>) check_job_kernel<kernel>();
  }
}

template <bool Here, class K>
struct code_compiled {
  static kernel_code const* here() {
    if constexpr (plain_kernel_of_any<K>)
      return nullptr;
    else
      return code_without_a_set<K, Here>();
  }
};
template <bool Here, class K>
code_compiled<Here, K> code_of_result(K const&);

/// Deduces the kernel's type from a call, because nvcc writes the names through which it found a type into
/// the generated code, and a factory's type often has no name.
template <bool Here, class... Array, class Factory>
kernel_code const* code_made_by(Factory const&) {
  return decltype(code_of_result<Here>(std::declval<Factory const&>()(std::declval<Array>()...)))::here();
}
template <bool Here, class... Access, class Factory>
kernel_code const* code_of_made(Factory const& factory) {
  if constexpr (takes_views<Factory, Access...>)
    return code_made_by<Here, view_of<Access>...>(factory);
  else
    return code_made_by<Here, ref_of<Access>...>(factory);
}

/// True if a lambda takes the arrays of a job.
template <class Arrays, class... Access>
constexpr bool takes_arrays = false;
template <class... Array, class... Access>
requires(sizeof...(Array) == sizeof...(Access)) constexpr bool takes_arrays<types<Array...>, Access...> =
    ((std::is_same_v<Array, ref_of<Access>> || std::is_same_v<Array, view_of<Access>>)&&...);

template <bool CompiledHere, lambda_kernel Lambda, array_access_of_any... Access>
job_request make_request(job_setup const& setup, Lambda const& body, Access const&... accesses) {
  using arguments = typename signature_of<Lambda>::arguments;
  static_assert(
      takes_arrays<arguments, Access...>,
      "behind its block the lambda takes an array_ref<T> or array_view<T, RANK> for each array, of T "
      "const for reads()");
  return {setup,
          {accesses.argument...},
          false,
          key_of<Lambda>,
          "a lambda",
          &code_of_lambda<CompiledHere, Lambda>(arguments()),
          reinterpret_cast<std::uint64_t>(key_of<Lambda>),
          lambda_launcher<Lambda, arguments, Access...>(body, accesses...)};
}

template <bool CompiledHere, class Factory, array_access_of_any... Access>
requires(!lambda_kernel<Factory>) job_request
    make_request(job_setup const& setup, Factory const& factory, Access const&... accesses) {
  using launcher = kernel_launcher<Factory, Access...>;
  using kernel = typename launcher::kernel;
  return {setup,
          {accesses.argument...},
          plain_kernel_of_any<kernel>,
          listed_key_of<kernel>,
          name_of_kernel<kernel>(),
          code_of_made<CompiledHere, Access...>(factory),
          reinterpret_cast<std::uint64_t>(key_of<Factory>),
          launcher(factory, accesses...)};
}

template <bool CompiledHere, class Tuple, std::size_t... I>
job_request request_of(job_setup const& setup, Tuple const& all, std::index_sequence<I...>) {
  static_assert((array_access_of_any<std::tuple_element_t<I, Tuple>> && ...),
                "all arguments but the last are reads(), writes(), writes_some() or updates()");
  using last = std::tuple_element_t<sizeof...(I), Tuple>;
  if constexpr (!lambda_kernel<std::remove_cvref_t<last>>)
    check_factory<last, std::tuple_element_t<I, Tuple>...>();
  return make_request<CompiledHere>(setup, std::get<sizeof...(I)>(all), std::get<I>(all)...);
}
/// Makes a request from a tuple of references: to the accesses of arrays, and last to a factory.
template <bool CompiledHere, class Tuple>
job_request request_of(job_setup const& setup, Tuple const& accesses_then_factory) {
  constexpr auto arguments = std::tuple_size_v<Tuple>;
  static_assert(arguments > 0, "the last argument is a factory, which returns the kernel");
  return request_of<CompiledHere>(setup, accesses_then_factory,
                                  std::make_index_sequence < arguments == 0 ? 0 : arguments - 1 > ());
}

}  // namespace ballast::detail
