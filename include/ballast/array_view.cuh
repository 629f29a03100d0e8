// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ballast/kernel.cuh"
#include "ballast/version.hpp"

namespace ballast {

namespace detail {

/// The element type of a foreign array, to be compared with T.
struct element_type {
  char kind;  ///< as in a typestr: i, u, f, b; 0: no letter, only the size is compared
  std::size_t bytes, alignment;
  type_namer name;
};
template <class T>
constexpr char kind_of() {
  if (std::is_same_v<T, bool>) return 'b';
  if (std::is_floating_point_v<T>) return 'f';
  if (std::is_integral_v<T>) return std::is_signed_v<T> ? 'i' : 'u';
  return 0;
}
template <class T>
constexpr element_type element_type_of{kind_of<std::remove_cv_t<T>>(), sizeof(T), alignof(T),
                                       &type_name<std::remove_cv_t<T>>};

/// Functions called from here throw bad_argument, which names a field.
[[noreturn]] BALLAST_API void throw_beyond_view(std::size_t index, int dimension, std::size_t extent);
BALLAST_API void check_rank(char const* field, std::int64_t rank, int wanted);
BALLAST_API void check_dtype(unsigned code, unsigned bits, unsigned lanes, element_type const& wanted);
BALLAST_API void check_typestr(char const* typestr, element_type const& wanted);
BALLAST_API void check_version(std::int64_t version);
BALLAST_API void check_writable(bool is_read_only);
BALLAST_API void check_address(void const* first, element_type const& wanted);
/// Fills in the extents and strides of a view of a foreign array. Null `strides`: row-major without gaps;
/// otherwise they are in units of `stride_bytes`.
BALLAST_API void take_shape(std::size_t* extents, std::ptrdiff_t* strides_of_view, int rank,
                            std::int64_t const* shape, std::int64_t const* strides, std::int64_t stride_bytes,
                            element_type const& wanted);

/// Fills in the strides of row-major elements without gaps.
BALLAST_HD constexpr void set_compact_strides(std::ptrdiff_t* strides, std::size_t const* extents, int rank) {
  std::ptrdiff_t next = 1;
  for (int dimension = rank - 1; dimension >= 0; --dimension) {
    strides[dimension] = next;
    next *= std::ptrdiff_t(extents[dimension]);
  }
}

/// Has the fields of DLPack's DLTensor.
template <class Tensor>
concept has_dlpack_fields = requires(Tensor const& tensor) {
  static_cast<void const*>(tensor.data);
  static_cast<std::int64_t>(tensor.ndim);
  static_cast<std::int64_t>(tensor.shape[0]);
  static_cast<std::int64_t>(tensor.strides[0]);
  static_cast<std::uint64_t>(tensor.byte_offset);
  static_cast<unsigned>(tensor.dtype.code);
  static_cast<unsigned>(tensor.dtype.bits);
  static_cast<unsigned>(tensor.dtype.lanes);
};

/// Has the fields of Python's __cuda_array_interface__.
template <class Interface>
concept has_cuda_array_interface = requires(Interface const& array) {
  static_cast<std::int64_t>(array.shape[0]);
  static_cast<std::int64_t>(array.shape.size());
  static_cast<std::int64_t>(array.strides[0]);
  static_cast<std::int64_t>(array.strides.size());
  static_cast<char const*>(&array.typestr[0]);
  static_cast<std::int64_t>(array.version);
  array.data;
};

/// Has one size for each dimension, as std::array and ballast::extents.
template <class Sizes>
concept sizes_by_index = !std::is_array_v<Sizes> && requires(Sizes const& sizes) {
  static_cast<std::size_t>(sizes[0]);
};

/// The size along `dimension`. Standard containers are indexed by unsigned numbers, ballast::extents and
/// pointers by signed ones.
template <sizes_by_index Sizes>
std::size_t size_along(Sizes const& sizes, int dimension) {
  if constexpr (requires { typename Sizes::size_type; })
    return static_cast<std::size_t>(sizes[static_cast<typename Sizes::size_type>(dimension)]);
  else
    return static_cast<std::size_t>(sizes[dimension]);
}

/// The address, and whether its memory is read-only, from a pointer or from a pair of both.
struct foreign_data {
  void* first;
  bool is_read_only;
};
template <class Address>
void* pointer_to(Address address) {
  if constexpr (std::is_integral_v<Address>)
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  else
    return const_cast<void*>(static_cast<void const*>(address));
}
template <class Data>
foreign_data foreign_data_of(Data const& data) {
  if constexpr (requires { data.second; })
    return {pointer_to(data.first), static_cast<bool>(data.second)};
  else
    return {pointer_to(data), std::is_const_v<std::remove_pointer_t<Data>>};
}

}  // namespace detail

/// Elements of T in global memory (device memory or mapped host memory), in Rank dimensions, the slowest
/// first: an address, an extent and a stride for each dimension. Trivially copyable and not owning: the
/// memory must outlive the view. As with array_ref, the compiler knows that accesses on a GPU are to global
/// memory. Where BALLAST_CHECK_BOUNDS is defined, an index beyond its extent throws bad_argument ("index") on
/// the host, with index, dimension and extent, and traps on a GPU; else indices are not checked.
template <class T, int Rank>
class array_view {
  static_assert(Rank >= 1 && Rank <= 8, "an array_view has 1 to 8 dimensions");
  static constexpr auto dimensions = std::size_t(Rank);

 public:
  /// Views no elements.
  array_view() = default;
  /// Views `extents` elements per dimension, row-major without gaps. Null is legal as long as no element is
  /// touched.
  BALLAST_HD array_view(T* first, std::size_t const (&extents)[dimensions]) : first_(first) {
    for (int dimension = 0; dimension < Rank; ++dimension) extents_[dimension] = extents[dimension];
    detail::set_compact_strides(strides_, extents_, Rank);
  }
  /// Views elements whose neighbours in each dimension are `strides` elements apart, which may be negative.
  BALLAST_HD array_view(T* first, std::size_t const (&extents)[dimensions],
                        std::ptrdiff_t const (&strides)[dimensions])
      : first_(first) {
    for (int dimension = 0; dimension < Rank; ++dimension) {
      extents_[dimension] = extents[dimension];
      strides_[dimension] = strides[dimension];
    }
  }
  /// Views the elements of a row-major array without gaps. The first Rank of `sizes` are its extents, for
  /// example a std::array or ballast::extents. Host only.
  template <detail::sizes_by_index Sizes>
  array_view(T* first, Sizes const& sizes) : first_(first) {
    for (int dimension = 0; dimension < Rank; ++dimension)
      extents_[dimension] = detail::size_along(sizes, dimension);
    detail::set_compact_strides(strides_, extents_, Rank);
  }
  /// Views the elements of a std::span, a buffer or a vector. Host only.
  template <detail::has_elements_of<T> Elements>
  requires(Rank == 1) explicit array_view(Elements&& elements) : first_(elements.data()) {
    extents_[0] = elements.size();
    strides_[0] = 1;
  }
  /// Views the array that a DLTensor of DLPack describes, or any struct with its fields: data, ndim, shape,
  /// strides (in elements; null: row-major without gaps), byte_offset and dtype (code, bits, lanes). For
  /// numbers the type must be T's; for other T only the size must match. The device is not checked. Host
  /// only. Throws bad_argument ("ndim", "shape", "dtype", "data").
  template <detail::has_dlpack_fields Tensor>
  explicit array_view(Tensor const& tensor) {
    constexpr auto& type = detail::element_type_of<T>;
    detail::check_rank("ndim", tensor.ndim, Rank);
    detail::check_dtype(unsigned(tensor.dtype.code), tensor.dtype.bits, tensor.dtype.lanes, type);
    auto* const bytes = static_cast<char*>(detail::pointer_to(tensor.data));
    first_ = address(bytes == nullptr ? nullptr : bytes + tensor.byte_offset);
    detail::take_shape(extents_, strides_, Rank, tensor.shape, tensor.strides, type.bytes, type);
  }
  /// Views the array that a struct with the fields of __cuda_array_interface__ describes: shape and strides
  /// (in bytes; empty: row-major without gaps), which have size() and [], typestr (such as "<f4"), data (an
  /// address, or a pair of an address and whether it may only be read) and version, 0 to 3. Fields for masks
  /// and streams are ignored: the caller waits until the array is written. Host only. Throws bad_argument
  /// ("version", "shape", "typestr", "strides", "data").
  template <detail::has_cuda_array_interface Interface>
  explicit array_view(Interface const& array) {
    constexpr auto& type = detail::element_type_of<T>;
    detail::check_version(array.version);
    detail::check_rank("shape", std::int64_t(array.shape.size()), Rank);
    detail::check_typestr(&array.typestr[0], type);
    auto const [data, is_read_only] = detail::foreign_data_of(array.data);
    if constexpr (!std::is_const_v<T>) detail::check_writable(is_read_only);
    first_ = address(data);
    bool const has_strides = array.strides.size() != 0;
    if (has_strides) detail::check_rank("strides", std::int64_t(array.strides.size()), Rank);
    std::int64_t shape[dimensions], strides[dimensions];
    for (int dimension = 0; dimension < Rank; ++dimension) {
      auto const at = std::size_t(dimension);
      shape[dimension] = static_cast<std::int64_t>(array.shape[at]);
      strides[dimension] = has_strides ? static_cast<std::int64_t>(array.strides[at]) : 0;
    }
    detail::take_shape(extents_, strides_, Rank, shape, has_strides ? strides : nullptr, 1, type);
  }

  /// Converts a view that may write its elements into a read-only one. Implicit.
  template <class Mutable>
  requires(std::is_same_v<Mutable const, T> && !std::is_const_v<Mutable>) BALLAST_HD
      array_view(array_view<Mutable, Rank> const& other)
      : first_(other.data()) {
    for (int dimension = 0; dimension < Rank; ++dimension) {
      extents_[dimension] = other.extent(dimension);
      strides_[dimension] = other.stride(dimension);
    }
  }

  /// The element with one index for each dimension, slowest first.
  template <std::convertible_to<std::size_t>... Index>
  BALLAST_HD T& operator()(Index... indices) const {
    static_assert(sizeof...(Index) == Rank, "give one index for each dimension of the view");
    std::ptrdiff_t offset = 0;
    int dimension = 0;
    ((offset += offset_of(dimension++, std::size_t(indices))), ...);
    return data()[offset];
  }
  /// The element with this index, for one dimension.
  BALLAST_HD T& operator[](std::size_t index) const requires(Rank == 1) {
    return data()[offset_of(0, index)];
  }

  /// Elements along `dimension`, from 0, the slowest, to Rank - 1.
  BALLAST_HD std::size_t extent(int dimension) const { return extents_[dimension]; }
  /// The distance, in elements, from one index of `dimension` to the next.
  BALLAST_HD std::ptrdiff_t stride(int dimension) const { return strides_[dimension]; }
  /// Elements over all dimensions.
  BALLAST_HD std::size_t size() const {
    std::size_t product = 1;
    for (int dimension = 0; dimension < Rank; ++dimension) product *= extents_[dimension];
    return product;
  }
  /// The address of the element whose indices are all 0.
  BALLAST_HD T* data() const {
#if BALLAST_ON_GPU
    __builtin_assume(__isGlobal(first_));
#endif
    return first_;
  }
  /// True if the elements lie row-major without gaps, so that data()[0] to data()[size() - 1] are all of
  /// them.
  BALLAST_HD bool is_contiguous() const {
    std::ptrdiff_t next = 1;
    for (int dimension = Rank - 1; dimension >= 0; --dimension) {
      if (extents_[dimension] > 1 && strides_[dimension] != next) return size() == 0;
      next *= std::ptrdiff_t(extents_[dimension]);
    }
    return true;
  }

  /// The elements with index `i` in the slowest dimension: a view of one dimension less.
  BALLAST_HD array_view<T, (Rank > 1 ? Rank - 1 : 1)> row(std::size_t i) const requires(Rank > 1) {
    std::size_t extents[dimensions - 1];
    std::ptrdiff_t strides[dimensions - 1];
    for (int dimension = 1; dimension < Rank; ++dimension) {
      extents[dimension - 1] = extents_[dimension];
      strides[dimension - 1] = strides_[dimension];
    }
    return {first_ + offset_of(0, i), extents, strides};
  }
  /// The elements with indices `begin` to `begin + count - 1` in the slowest dimension, counted from 0 in the
  /// new view.
  BALLAST_HD array_view rows(std::size_t begin, std::size_t count) const {
    array_view some = *this;
    if (count != 0) {
      check_index(begin + count - 1, 0);
      some.first_ = first_ + offset_of(0, begin);
    }
    some.extents_[0] = count;
    return some;
  }

 private:
  BALLAST_HD void check_index([[maybe_unused]] std::size_t index, [[maybe_unused]] int dimension) const {
#if BALLAST_BOUNDS_ARE_CHECKED && BALLAST_ON_GPU
    if (index >= extents_[dimension]) __trap();
#elif BALLAST_BOUNDS_ARE_CHECKED
    if (index >= extents_[dimension]) detail::throw_beyond_view(index, dimension, extents_[dimension]);
#endif
  }
  BALLAST_HD std::ptrdiff_t offset_of(int dimension, std::size_t index) const {
    check_index(index, dimension);
    return std::ptrdiff_t(index) * strides_[dimension];
  }
  static T* address(void* first) {
    detail::check_address(first, detail::element_type_of<T>);
    return static_cast<T*>(first);
  }

  T* first_ = nullptr;
  std::size_t extents_[dimensions] = {};
  std::ptrdiff_t strides_[dimensions] = {};
};

/// `array_view(first, {rows, columns})` views elements in as many dimensions as extents are given.
template <class T, std::size_t Rank>
array_view(T*, std::size_t const (&)[Rank]) -> array_view<T, int(Rank)>;
/// `array_view(first, {rows, columns}, strides)` views elements with strides.
template <class T, std::size_t Rank>
array_view(T*, std::size_t const (&)[Rank], std::ptrdiff_t const (&)[Rank]) -> array_view<T, int(Rank)>;
/// `array_view(span)` views the span's elements, in one dimension.
template <detail::has_data_and_size Elements>
array_view(Elements&&) -> array_view<std::remove_reference_t<decltype(*std::declval<Elements>().data())>, 1>;

}  // namespace ballast
