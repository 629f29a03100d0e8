// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC_RTC__)
/// What device code needs of the standard library, of which NVRTC has nothing. Code in namespace ballast
/// finds it as `std`; programs may have a `std` of their own.
namespace ballast::std {
using int32_t = int;
using int64_t = long;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using size_t = decltype(sizeof(0));

template <class T>
__device__ T&& declval();
template <class T>
__device__ T bare(T const&);
template <class T>
using remove_cvref_t = decltype(bare(declval<T>()));
template <class F, class... A>
using invoke_result_t = decltype(declval<F>()(declval<A>()...));

template <class A, class B>
constexpr bool is_same_v = false;
template <class A>
constexpr bool is_same_v<A, A> = true;
template <class A, class B>
concept same_as = is_same_v<A, B>;
template <class T>
constexpr bool is_arithmetic_v = !__is_class(T) && !__is_enum(T);
template <class T>
constexpr bool is_integral_v = is_arithmetic_v<T>&& requires(T a) {
  a % 1;
};
template <class T>
constexpr bool is_default_constructible_v = __is_constructible(T);
template <class T>
constexpr bool is_empty_v = __is_empty(T);
template <class T>
constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);

__device__ constexpr uint32_t bit_ceil(uint32_t value) {
  uint32_t power = 1;
  while (power < value) power *= 2;
  return power;
}
}  // namespace ballast::std
#else
#  include <bit>
#  include <concepts>
#  include <cstddef>
#  include <cstdint>
#  include <type_traits>
#endif

/// BALLAST_HD marks functions that compile for host and device; without nvcc it is empty.
#if defined(__CUDACC__)
#  define BALLAST_HD __host__ __device__
#else
#  define BALLAST_HD
#endif

/// BALLAST_NOINLINE marks a function that is not inlined: a rare one does not lengthen its caller's code, a
/// frequent one gets registers of its own.
#if defined(__CUDACC__)
#  define BALLAST_NOINLINE __noinline__
#else
#  define BALLAST_NOINLINE [[gnu::noinline]]
#endif

/// BALLAST_ON_GPU is 1 only while device code is being generated.
#if defined(__CUDA_ARCH__)
#  define BALLAST_ON_GPU 1
#else
#  define BALLAST_ON_GPU 0
#endif

/// 1 where BALLAST_CHECK_BOUNDS is defined: every index of an array_view is compared with its extent, and the
/// number of items of each for_each(), reduce() and scan() with its limit. Define it for all files of a
/// program or for none: the functions that it changes are inline.
#if defined(BALLAST_CHECK_BOUNDS)
#  define BALLAST_BOUNDS_ARE_CHECKED 1
#else
#  define BALLAST_BOUNDS_ARE_CHECKED 0
#endif
