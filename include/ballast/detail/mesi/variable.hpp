// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <type_traits>

#include "ballast/detail/job/array_handle.hpp"
#include "ballast/version.hpp"

namespace ballast::mesi {

/// The state of a variable that does not depend on its type.
class BALLAST_API variable_state {
 public:
  /// `name` is kept as a pointer, so pass a literal.
  constexpr variable_state(char const* name, std::size_t elements, std::size_t element_bytes)
      : name_(name), elements_(elements), element_bytes_(element_bytes) {}
  variable_state(variable_state const&) = delete;
  variable_state& operator=(variable_state const&) = delete;

  /// The variable's name in the program, for messages.
  char const* name() const { return name_; }
  /// The number of elements, over all dimensions.
  std::size_t elements() const { return elements_; }
  /// The size of one element.
  std::size_t element_bytes() const { return element_bytes_; }
  /// The shared array behind the variable, which the first call makes. Throws as shared_array.
  detail::array_handle const& handle();
  /// The address of the host's copy. Waits for the jobs that conflict with `use`.
  void* opened(detail::host_use use) {
    auto const* const made = handle_.load(std::memory_order_acquire);
    return made != nullptr && made->is_open(use) ? made->address() : wait_for(use);
  }
  /// Makes each launch that touches the variable, from now on, wait for its own end and copy the variable to
  /// the host.
  void keep_open() { is_kept_open_.store(true); }
  /// True if keep_open() was called.
  bool is_kept_open() const { return is_kept_open_.load(); }

 private:
  void* wait_for(detail::host_use use);
  void throw_cause_of_loss(std::string const& job) const;

  char const* name_;
  std::size_t elements_, element_bytes_;
  std::atomic<detail::array_handle const*> handle_ = nullptr;
  std::atomic<bool> is_kept_open_ = false;
};

/// A virtual shared variable (Ohno et al. 2016): `__global__ float a[N]` is a `variable<float[N]> a{"a"}`.
/// Its elements are 0 at first. Host and kernels share it; each access of the host waits for the launches
/// that conflict with it.
template <class T>
class variable {
 public:
  /// The element type, without dimensions.
  using element = std::remove_all_extents_t<T>;
  static_assert(std::is_trivially_copyable_v<element> && !std::is_const_v<element>,
                "a variable holds plain bytes: its elements are trivially copyable and not const");

  /// Never defined: decltype(a.declared) is the type that the program declared for `a`.
  static T declared;

  /// `name` is a literal, for messages; the first use allocates the memory.
  constexpr explicit variable(char const* name)
      : state_(name, sizeof(T) / sizeof(element), sizeof(element)) {}

  /// The value for the host to read, once launches that write the variable have ended. Throws job_failed,
  /// timed_out.
  T const& read() { return *static_cast<T const*>(state_.opened(detail::host_use::read)); }
  /// The value for the host to read and write, once launches that use the variable have ended. Throws
  /// job_failed, timed_out.
  T& update() { return *static_cast<T*>(state_.opened(detail::host_use::update)); }
  /// The address of the elements, to be passed to a launch or compared but not dereferenced; does not wait.
  T& address() { return *static_cast<T*>(state_.handle().address()); }
  /// Like update(), and again after each launch that touches the variable: for references that the host
  /// keeps.
  T& open() {
    state_.keep_open();
    return update();
  }

 private:
  variable_state state_;
};

/// The variable whose memory holds `address`, or ends there; null if there is none.
BALLAST_API variable_state* variable_at(void const* address);

/// The address to which a pointer leads, or the address of any other value; ignores const and volatile.
template <class T>
void const* place_behind(T& value) {
  void const volatile* address = nullptr;
  if constexpr (std::is_pointer_v<T>)
    address = value;
  else
    address = &value;
  return const_cast<void const*>(address);
}

/// Waits for the launches that conflict with the host's use of a variable, if the pointer or reference leads
/// to one.
template <class T>
T& host(T& value) {
  constexpr bool reads = std::is_const_v<std::remove_all_extents_t<std::remove_pointer_t<T>>>;
  if (auto* const of = variable_at(place_behind(value)))
    of->opened(reads ? detail::host_use::read : detail::host_use::update);
  return value;
}

/// Does what host() does, now and after each launch that touches the variable.
template <class T>
T& open(T& value) {
  if (auto* const of = variable_at(place_behind(value))) of->keep_open();
  return host(value);
}
/// Opens a variable by its name.
template <class T>
T& open(variable<T>& of) {
  return of.open();
}

}  // namespace ballast::mesi
