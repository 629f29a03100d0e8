// SPDX-License-Identifier: Apache-2.0
#include "run/map_check.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "arrays/array_state.hpp"
#include "arrays/range_map.hpp"
#include "arrays/working_set.hpp"
#include "ballast/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#  define BALLAST_ADDRESS_SANITIZER
#elif defined(__has_feature)  // clang's form
#  if __has_feature(address_sanitizer)
#    define BALLAST_ADDRESS_SANITIZER
#  endif
#endif
#ifdef BALLAST_ADDRESS_SANITIZER
#  include <sanitizer/asan_interface.h>
#endif

namespace ballast::detail {
namespace {

constexpr std::size_t min_margin = 4096, max_margin_of_array = std::size_t{16} << 20;

/// The fill of undeclared bytes in each trial. Bytes to be written get another value, so that a copy of
/// undeclared bytes does not count as a write. The values are far apart as numbers of any type.
constexpr std::byte fill_of_undeclared[trials] = {std::byte{0xCD}, std::byte{0x3A}};
constexpr std::byte fill_of_unwritten[trials] = {std::byte{0x9B}, std::byte{0x64}};

bool has(declared_use use, declared_use bit) { return (std::uint8_t(use) & std::uint8_t(bit)) != 0; }

declared_use with(declared_use use, declared_use bit) {
  return declared_use(std::uint8_t(use) | std::uint8_t(bit));
}

std::byte fill_of(declared_use use, std::size_t trial) {
  return use == declared_use::nothing ? fill_of_undeclared[trial] : fill_of_unwritten[trial];
}

byte_range hull_of(std::span<array_use const> uses) {
  byte_range hull;
  for (auto const& use : uses) hull = joined(joined(hull, use.read.hull()), use.written.hull());
  return hull;
}

std::size_t margin(trial_margins margins, std::size_t bytes_of_array) {
  return margins == trial_margins::none ? 0 : min_margin + std::min(bytes_of_array, max_margin_of_array);
}

/// A distance before the hull that preserves its bytes' distance from a multiple of memory_alignment.
std::size_t aligned_hull_offset(std::size_t margin, byte_range hull) {
  return memory_of({0, margin}) + hull.begin % memory_alignment;
}

/// Merges `one` with all sets that overlap it.
void add_to_sets(std::vector<std::vector<std::size_t>>& sets, std::span<array_use const> uses,
                 std::size_t one) {
  std::vector<std::size_t> joined;
  auto const shares = [&](std::vector<std::size_t> const& set) {
    return std::ranges::any_of(
        set, [&](std::size_t other) { return conflict(uses.subspan(other, 1), uses.subspan(one, 1)); });
  };
  std::erase_if(sets, [&](std::vector<std::size_t> const& set) {
    if (!shares(set)) return false;
    joined.insert(joined.end(), set.begin(), set.end());
    return true;
  });
  joined.push_back(one);
  std::ranges::sort(joined);
  sets.push_back(std::move(joined));
}

constexpr auto alignment = std::align_val_t(memory_alignment);

/// AddressSanitizer reports the line of a kernel that leaves its memory, if nothing else lies there.
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

/// The bytes before the hull do not exist, so their address is not computed as a pointer.
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

/// Numbers the arguments from 1, as messages do.
std::string numbers_of(std::vector<std::size_t> const& arguments) {
  std::string text = arguments.size() == 1 ? "argument " : "arguments ";
  for (std::size_t i = 0; i < arguments.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(arguments[i] + 1);
  return text;
}

}  // namespace

char const* text_of(wrong_use::kind what) {
  switch (what) {
    case wrong_use::kind::read_undeclared:
      return "was made from something that is read but not declared";
    case wrong_use::kind::left_unwritten:
      return "is declared written but not written";
    default:
      return "is written but not declared";
  }
}

std::vector<std::vector<std::size_t>> arguments_that_share(std::span<array_use const> uses) {
  std::vector<std::vector<std::size_t>> sets;
  for (std::size_t one = 0; one < uses.size(); ++one)
    if (!uses[one].read.is_empty() || !uses[one].written.is_empty()) add_to_sets(sets, uses, one);
  return sets;
}

map_check::map_check(std::span<array_use const> uses, checked_array const& array, trial_margins margins)
    : element_bytes_(array.element_bytes),
      hull_(hull_of(uses)),
      hull_offset_(aligned_hull_offset(margin(margins, hull_.begin), hull_)) {
  declare(uses, hull_offset_ + hull_.size() + margin(margins, array.bytes - hull_.end));
}

void map_check::declare(std::span<array_use const> uses, std::size_t bytes) {
  range_map<declared_use> declared(bytes, declared_use::nothing);
  auto const add = [&](byte_runs const& runs, declared_use bit) {
    runs.for_each_interval([&](byte_range range) {
      declared.change({range.begin - hull_.begin + hull_offset_, range.end - hull_.begin + hull_offset_},
                      [&](declared_use& use) { use = with(use, bit); });
    });
  };
  for (auto const& use : uses) {
    add(use.read, declared_use::read);
    add(use.written, declared_use::written);
  }
  declared.visit({0, bytes}, [&](byte_range range, declared_use use) { declared_.push_back({range, use}); });
}

void map_check::prepare(std::byte* memory, std::size_t trial, std::byte const* hull) const {
  for (auto const& [bytes, use] : declared_)
    if (has(use, declared_use::read))
      std::memcpy(memory + bytes.begin, hull + (bytes.begin - hull_offset_), bytes.size());
    else
      std::memset(memory + bytes.begin, int(fill_of(use, trial)), bytes.size());
}

void map_check::keep_results(std::byte const* memory, std::byte* hull) const {
  for (auto const& [bytes, use] : declared_)
    if (has(use, declared_use::written))
      std::memcpy(hull + (bytes.begin - hull_offset_), memory + bytes.begin, bytes.size());
}

std::optional<wrong_use> map_check::verdict(tried const& memory, std::byte const* hull) const {
  for (auto const& part : declared_)
    if (auto const byte = changed_byte(part, memory, hull))
      return wrong_use{wrong_use::kind::written_undeclared, element_at(*byte)};
  for (auto const& part : declared_)
    if (auto const wrong = wrong_result(part, memory)) return wrong;
  return std::nullopt;
}

/// The element that has this byte of a trial's memory. Rounded down, also before the array.
std::ptrdiff_t map_check::element_at(std::size_t byte_of_memory) const {
  auto const byte = std::ptrdiff_t(hull_.begin + byte_of_memory) - std::ptrdiff_t(hull_offset_);
  auto const each = std::ptrdiff_t(element_bytes_);
  return byte >= 0 ? byte / each : -((-byte + each - 1) / each);
}

/// The first changed byte of a part that the task must not write.
std::optional<std::size_t> map_check::changed_byte(declared_bytes const& part, tried const& memory,
                                                   std::byte const* hull) const {
  if (has(part.use, declared_use::written)) return std::nullopt;
  for (auto byte = part.bytes.begin; byte < part.bytes.end; ++byte)
    for (std::size_t trial = 0; trial < trials; ++trial) {
      auto const before =
          part.use == declared_use::read ? hull[byte - hull_offset_] : fill_of(part.use, trial);
      if (memory[trial][byte] != before) return byte;
    }
  return std::nullopt;
}

std::optional<wrong_use> map_check::wrong_result(declared_bytes const& part, tried const& memory) const {
  auto const [begin, end] = part.bytes;
  if (!has(part.use, declared_use::written)) return std::nullopt;
  if (std::memcmp(memory[0] + begin, memory[1] + begin, end - begin) == 0) return std::nullopt;
  for (auto at = begin; at < end; at += element_bytes_)
    if (auto const wrong = wrong_element(at, part.use, memory)) return wrong_use{*wrong, element_at(at)};
  return std::nullopt;
}

/// What is wrong with the element at `at`, if anything. Some bytes of an element may stay unchanged, since it
/// may have padding.
std::optional<wrong_use::kind> map_check::wrong_element(std::size_t at, declared_use use,
                                                        tried const& memory) const {
  std::size_t unwritten = 0, different = 0;
  for (auto byte = at; byte < at + element_bytes_; ++byte) {
    auto const first = memory[0][byte], second = memory[1][byte];
    auto const is_left =
        use == declared_use::written && first == fill_of_unwritten[0] && second == fill_of_unwritten[1];
    unwritten += is_left;
    different += !is_left && first != second;
  }
  if (unwritten == element_bytes_) return wrong_use::kind::left_unwritten;
  if (different != 0) return wrong_use::kind::read_undeclared;
  return std::nullopt;
}

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
