// SPDX-License-Identifier: Apache-2.0
#include "ballast/array_view.cuh"

#include <bit>
#include <charconv>
#include <string>
#include <string_view>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

/// Describes T for a message, by its name and its bytes.
std::string described(element_type const& type) { return type.name() + " of " + counted(type.bytes, "byte"); }

/// The letter of DLPack's code; 0 for codes without a C++ number type.
char kind_of_code(unsigned code) {
  constexpr std::string_view kinds("iuf\0\0\0b", 7);
  return code < kinds.size() ? kinds[code] : '\0';
}

bool is_native(char order) {
  constexpr bool is_little = std::endian::native == std::endian::little;
  return order == '|' || order == '=' || order == (is_little ? '<' : '>');
}

/// True if the text is the byte order, the letter and the size of the type.
bool fits(std::string_view text, element_type const& type) {
  if (text.size() < 3 || !is_native(text[0]) || (type.kind != 0 && text[1] != type.kind)) return false;
  std::size_t bytes = 0;
  auto const [end, failure] = std::from_chars(text.data() + 2, text.data() + text.size(), bytes);
  return failure == std::errc() && end == text.data() + text.size() && bytes == type.bytes;
}

}  // namespace

void throw_beyond_view(std::size_t index, int dimension, std::size_t extent) {
  throw_bad_argument("index", std::to_string(index) + " of dimension " + std::to_string(dimension),
                     "less than the extent " + std::to_string(extent));
}

void throw_too_many_items(std::uint64_t items) {
  throw_bad_argument("n", items, "at most " + std::to_string(max_items) + " items");
}

void check_rank(char const* field, std::int64_t rank, int wanted) {
  if (rank != wanted)
    throw_bad_argument(field, std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions"),
                       std::to_string(wanted) + ", as the view has");
}

void check_dtype(unsigned code, unsigned bits, unsigned lanes, element_type const& wanted) {
  bool const has_letter = wanted.kind != 0;
  bool const has_bytes = std::size_t(bits) * lanes == 8 * wanted.bytes;
  if (has_bytes && (!has_letter || (kind_of_code(code) == wanted.kind && lanes == 1))) return;
  throw_bad_argument(
      "dtype",
      "code " + std::to_string(code) + ", bits " + std::to_string(bits) + ", lanes " + std::to_string(lanes),
      "that of " + described(wanted));
}

void check_typestr(char const* typestr, element_type const& wanted) {
  if (!fits(typestr, wanted))
    throw_bad_argument("typestr", typestr, "that of " + described(wanted) + " in this machine's byte order");
}

void check_version(std::int64_t version) {
  if (version < 0 || version > 3) throw_bad_argument("version", version, "0 to 3");
}

void check_writable(bool is_read_only) {
  if (is_read_only) throw_bad_argument("data", "memory to be read only", "an array_view of const elements");
}

void check_address(void const* first, element_type const& wanted) {
  auto const address = reinterpret_cast<std::uintptr_t>(first);
  if (address % wanted.alignment != 0)
    throw_bad_argument("data", "address " + std::to_string(address),
                       "a multiple of " + counted(wanted.alignment, "byte"));
}

void take_shape(std::size_t* extents, std::ptrdiff_t* strides_of_view, int rank, std::int64_t const* shape,
                std::int64_t const* strides, std::int64_t stride_bytes, element_type const& wanted) {
  auto const element_bytes = std::int64_t(wanted.bytes);
  for (int dimension = 0; dimension < rank; ++dimension) {
    if (shape[dimension] < 0) throw_bad_argument("shape", shape[dimension], "at least 0");
    extents[dimension] = std::size_t(shape[dimension]);
    if (strides == nullptr) continue;
    auto const bytes = strides[dimension] * stride_bytes;
    if (bytes % element_bytes != 0)
      throw_bad_argument("strides", bytes, "multiples of " + counted(wanted.bytes, "byte"));
    strides_of_view[dimension] = std::ptrdiff_t(bytes / element_bytes);
  }
  if (strides == nullptr) set_compact_strides(strides_of_view, extents, rank);
}

}  // namespace ballast::detail
