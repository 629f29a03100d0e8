// SPDX-License-Identifier: Apache-2.0
#include "checked_task.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "arena.hpp"
#include "array_state.hpp"
#include "ballast/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#  define BALLAST_ADDRESS_SANITIZER
#elif defined(__has_feature)  // as clang says it
#  if __has_feature(address_sanitizer)
#    define BALLAST_ADDRESS_SANITIZER
#  endif
#endif
#ifdef BALLAST_ADDRESS_SANITIZER
#  include <sanitizer/asan_interface.h>
#endif

namespace ballast::detail {
namespace {

constexpr auto alignment = std::align_val_t(memory_alignment);

/// AddressSanitizer tells the line of a kernel that leaves its memory, if nothing else is there.
#ifdef BALLAST_ADDRESS_SANITIZER
constexpr auto margins = trial_margins::none;

void forbid(map_check const& check, std::byte* memory) {
  for (auto const& [bytes, use] : check.declared())
    if (use == declared_use::nothing) __asan_poison_memory_region(memory + bytes.begin, bytes.size());
}
void allow(map_check const& check, std::byte* memory) {
  __asan_unpoison_memory_region(memory, check.bytes());
}
#else
constexpr auto margins = trial_margins::around;

void forbid(map_check const&, std::byte*) {}
void allow(map_check const&, std::byte*) {}
#endif

/// What is before the hull is not there, and is not computed as a pointer.
std::byte* hull_in(void* array, byte_range hull) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(array) + hull.begin);
}
void* array_of(std::byte* hull_in_memory, byte_range hull) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(hull_in_memory) - hull.begin);
}

std::vector<array_use> of_arguments(std::span<array_use const> uses,
                                    std::vector<std::size_t> const& indices) {
  std::vector<array_use> found;
  for (auto const index : indices) found.push_back(uses[index]);
  return found;
}

/// As messages count them, from 1.
std::string numbers_of(std::vector<std::size_t> const& arguments) {
  std::string text = arguments.size() == 1 ? "argument " : "arguments ";
  for (std::size_t i = 0; i < arguments.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(arguments[i] + 1);
  return text;
}

}  // namespace

void checked_task::aligned_delete::operator()(std::byte* memory) const {
  ::operator delete(memory, alignment);
}

auto checked_task::allocate(std::size_t bytes) -> trial_memory {
  return trial_memory(static_cast<std::byte*>(::operator new(bytes, alignment)));
}

checked_task::checked_task(job_request const& request, std::span<array_use const> uses,
                           std::vector<void*> arrays)
    : request_(request), arrays_(std::move(arrays)) {
  for (auto& arguments : arguments_that_share(uses)) {
    auto const& array = *request_.arguments[arguments.front()].array;
    map_check check(of_arguments(uses, arguments), {array.bytes(), array.element_bytes}, margins);
    auto* const hull = hull_in(arrays_[arguments.front()], check.hull());
    shared_.push_back({std::move(arguments), std::move(check), hull});
  }
}

void checked_task::prepare() {
  for (auto& [arguments, check, hull, memory] : shared_)
    for (std::size_t trial = 0; trial < trials; ++trial) {
      memory[trial] = allocate(check.bytes());
      check.prepare(memory[trial].get(), trial, hull);
      forbid(check, memory[trial].get());
    }
}

std::vector<void*> checked_task::arrays(std::size_t trial) const {
  auto arrays = arrays_;
  for (auto const& shared : shared_)
    for (auto const argument : shared.arguments)
      arrays[argument] =
          array_of(shared.memory[trial].get() + shared.check.hull_offset(), shared.check.hull());
  return arrays;
}

void checked_task::conclude() {
  for (auto const& [arguments, check, hull, memory] : shared_) {
    for (auto const& tried : memory) allow(check, tried.get());
    if (auto const wrong = check.verdict({memory[0].get(), memory[1].get()}, hull))
      throw error(message(arguments, *wrong));
  }
  for (auto const& [arguments, check, hull, memory] : shared_) check.keep_results(memory[0].get(), hull);
}

std::string checked_task::message(std::vector<std::size_t> const& arguments, wrong_use const& wrong) const {
  auto const& array = *request_.arguments[arguments.front()].array;
  return "kernel " + request_.kernel_name + ": element " + std::to_string(wrong.element) + " of " +
         array.name() + " (" + numbers_of(arguments) + ") " + text_of(wrong.what);
}

}  // namespace ballast::detail
