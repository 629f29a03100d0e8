// SPDX-License-Identifier: Apache-2.0
#include "published_arrays.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint32_t offset_bits = 48;

std::uint64_t offset_of(std::uint64_t word) { return word & (published_arrays::max_array_bytes - 1); }

}  // namespace

std::string address_text(std::uint64_t address) {
  char digits[16];
  auto const end = std::to_chars(digits, digits + sizeof digits, address, 16);
  return "0x" + std::string(digits, end.ptr);
}

/// The first array that begins after the address.
std::vector<published_arrays::array>::const_iterator published_arrays::behind(std::uint64_t address) const {
  return std::ranges::upper_bound(by_address_, address, {}, &array::first);
}

published_id published_arrays::publish(void const* first, std::size_t bytes) {
  if (first == nullptr) throw_bad_argument("first", "null", "the address of an array");
  auto const begin = std::uint64_t(reinterpret_cast<std::uintptr_t>(first));
  if (bytes < 1 || bytes > max_array_bytes || bytes > std::numeric_limits<std::uint64_t>::max() - begin)
    throw_bad_argument("bytes", bytes, "1 to 2^48, within the address space");
  auto const next = behind(begin);
  bool const meets_next = next != by_address_.end() && next->first - begin < bytes;
  bool const meets_last = next != by_address_.begin() && begin - (next - 1)->first < (next - 1)->bytes;
  if (meets_next || meets_last)
    throw_bad_argument("first", address_text(begin),
                       "the address of an array that shares no bytes with a published one");
  if (by_id_.size() == max_arrays) throw error("65535 arrays were published, and that is the most");
  array const added{begin, bytes, std::uint16_t(by_id_.size() + 1)};
  by_address_.insert(next, added);
  by_id_.push_back(added);
  return published_id(added.id);
}

void published_arrays::withdraw(published_id id) {
  auto const place = std::size_t(id.value()) - 1;  // huge for 0
  if (place >= by_id_.size() || by_id_[place].bytes == 0)
    throw_bad_argument("id", id.value(), "that of a published array");
  by_address_.erase(behind(by_id_[place].first) - 1);
  by_id_[place].bytes = 0;
}

std::optional<std::uint64_t> published_arrays::encode(std::uint64_t address) const {
  if (address == 0) return 0;
  auto const next = behind(address);
  if (next == by_address_.begin()) return std::nullopt;
  auto const& last = *(next - 1);
  auto const offset = address - last.first;
  if (offset >= last.bytes) return std::nullopt;
  return std::uint64_t(last.id) << offset_bits | offset;
}

std::optional<std::uint64_t> published_arrays::decode(std::uint64_t word) const {
  if (word == 0) return 0;
  auto const place = (word >> offset_bits) - 1;  // huge for 0
  if (place >= by_id_.size() || offset_of(word) >= by_id_[place].bytes) return std::nullopt;
  return by_id_[place].first + offset_of(word);
}

}  // namespace ballast::detail
