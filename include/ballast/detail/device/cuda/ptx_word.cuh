// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/block.cuh"

namespace ballast::detail {

/// What depends on the order of numbers, and what only integers have, as `.global` PTX instructions.
template <class Word, scope Scope>
struct ptx_order;

// One definition for eight specialisations: only type, size, scope and the operand's letter differ.
#define BALLAST_PTX_ORDER(WORD, SCOPE, SIZE, TYPE, SUFFIX, REGISTER)                                 \
  template <>                                                                                        \
  struct ptx_order<WORD, SCOPE> {                                                                    \
    static __device__ void store_max(WORD* at, WORD value) {                                         \
      asm volatile("red.relaxed." SUFFIX ".global.max." TYPE " [%0], %1;" ::"l"(at), REGISTER(value) \
                   : "memory");                                                                      \
    }                                                                                                \
    static __device__ void store_min(WORD* at, WORD value) {                                         \
      asm volatile("red.relaxed." SUFFIX ".global.min." TYPE " [%0], %1;" ::"l"(at), REGISTER(value) \
                   : "memory");                                                                      \
    }                                                                                                \
    static __device__ WORD max_relaxed(WORD* at, WORD value) {                                       \
      WORD old;                                                                                      \
      asm volatile("atom.relaxed." SUFFIX ".global.max." TYPE " %0, [%1], %2;"                       \
                   : "=" REGISTER(old)                                                               \
                   : "l"(at), REGISTER(value)                                                        \
                   : "memory");                                                                      \
      return old;                                                                                    \
    }                                                                                                \
    static __device__ WORD min_relaxed(WORD* at, WORD value) {                                       \
      WORD old;                                                                                      \
      asm volatile("atom.relaxed." SUFFIX ".global.min." TYPE " %0, [%1], %2;"                       \
                   : "=" REGISTER(old)                                                               \
                   : "l"(at), REGISTER(value)                                                        \
                   : "memory");                                                                      \
      return old;                                                                                    \
    }                                                                                                \
    static __device__ WORD or_relaxed(WORD* at, WORD value) {                                        \
      WORD old;                                                                                      \
      asm volatile("atom.relaxed." SUFFIX ".global.or.b" SIZE " %0, [%1], %2;"                       \
                   : "=" REGISTER(old)                                                               \
                   : "l"(at), REGISTER(value)                                                        \
                   : "memory");                                                                      \
      return old;                                                                                    \
    }                                                                                                \
  };

BALLAST_PTX_ORDER(std::uint32_t, scope::device, "32", "u32", "gpu", "r")
BALLAST_PTX_ORDER(std::uint32_t, scope::system, "32", "u32", "sys", "r")
BALLAST_PTX_ORDER(std::int32_t, scope::device, "32", "s32", "gpu", "r")
BALLAST_PTX_ORDER(std::int32_t, scope::system, "32", "s32", "sys", "r")
BALLAST_PTX_ORDER(std::uint64_t, scope::device, "64", "u64", "gpu", "l")
BALLAST_PTX_ORDER(std::uint64_t, scope::system, "64", "u64", "sys", "l")
BALLAST_PTX_ORDER(std::int64_t, scope::device, "64", "s64", "gpu", "l")
BALLAST_PTX_ORDER(std::int64_t, scope::system, "64", "s64", "sys", "l")
#undef BALLAST_PTX_ORDER

/// max and min of floating-point numbers, for which there are no instructions, by those of their bits. Read
/// as signed integers, the bits of numbers from 0 up rise with them and are above those of all others; read
/// as unsigned ones, the bits of numbers below 0 fall and are above. So the sign of `value`, which is no NaN,
/// says which instruction is right.
template <class Word, class Signed, class Unsigned, scope Scope>
struct ptx_order_of_bits {
  using from_zero = ptx_order<Signed, Scope>;
  using below_zero = ptx_order<Unsigned, Scope>;

  static __device__ Word max_relaxed(Word* at, Word value) {
    auto const bits = __builtin_bit_cast(Signed, value);
    return bits >= 0 ? word(from_zero::max_relaxed(reinterpret_cast<Signed*>(at), bits))
                     : word(below_zero::min_relaxed(reinterpret_cast<Unsigned*>(at), Unsigned(bits)));
  }
  static __device__ Word min_relaxed(Word* at, Word value) {
    auto const bits = __builtin_bit_cast(Signed, value);
    return bits >= 0 ? word(from_zero::min_relaxed(reinterpret_cast<Signed*>(at), bits))
                     : word(below_zero::max_relaxed(reinterpret_cast<Unsigned*>(at), Unsigned(bits)));
  }

 private:
  template <class Integer>
  static __device__ Word word(Integer bits) {
    return __builtin_bit_cast(Word, bits);
  }
};
template <scope Scope>
struct ptx_order<float, Scope> : ptx_order_of_bits<float, std::int32_t, std::uint32_t, Scope> {};
template <scope Scope>
struct ptx_order<double, Scope> : ptx_order_of_bits<double, std::int64_t, std::uint64_t, Scope> {};

/// Whether no bit differs: compare-exchange compares bits, `==` takes 0 for -0 and no NaN for another.
template <class Word>
__device__ bool same_bits(Word a, Word b) {
  if constexpr (sizeof(Word) == sizeof(std::uint32_t))
    return __builtin_bit_cast(std::uint32_t, a) == __builtin_bit_cast(std::uint32_t, b);
  else
    return __builtin_bit_cast(std::uint64_t, a) == __builtin_bit_cast(std::uint64_t, b);
}

/// Atomic accesses to one word as `.global` PTX instructions.
template <class Word, scope Scope>
struct ptx_word;

// Addition and bits are the same for signed and unsigned numbers; PTX has no add.s64.
#define BALLAST_PTX_WORD(WORD, SCOPE, SIZE, TYPE, SUFFIX, REGISTER)                                          \
  template <>                                                                                                \
  struct ptx_word<WORD, SCOPE> : ptx_order<WORD, SCOPE> {                                                    \
    static __device__ WORD load_relaxed(WORD const* at) {                                                    \
      WORD value;                                                                                            \
      asm volatile("ld.relaxed." SUFFIX ".global." TYPE " %0, [%1];"                                         \
                   : "=" REGISTER(value)                                                                     \
                   : "l"(at)                                                                                 \
                   : "memory");                                                                              \
      return value;                                                                                          \
    }                                                                                                        \
    static __device__ WORD load_acquire(WORD const* at) {                                                    \
      WORD value;                                                                                            \
      asm volatile("ld.acquire." SUFFIX ".global." TYPE " %0, [%1];"                                         \
                   : "=" REGISTER(value)                                                                     \
                   : "l"(at)                                                                                 \
                   : "memory");                                                                              \
      return value;                                                                                          \
    }                                                                                                        \
    static __device__ void store_relaxed(WORD* at, WORD value) {                                             \
      asm volatile("st.relaxed." SUFFIX ".global." TYPE " [%0], %1;" ::"l"(at), REGISTER(value) : "memory"); \
    }                                                                                                        \
    static __device__ void store_release(WORD* at, WORD value) {                                             \
      asm volatile("st.release." SUFFIX ".global." TYPE " [%0], %1;" ::"l"(at), REGISTER(value) : "memory"); \
    }                                                                                                        \
    static __device__ WORD add_relaxed(WORD* at, WORD value) {                                               \
      WORD old;                                                                                              \
      asm volatile("atom.relaxed." SUFFIX ".global.add." TYPE " %0, [%1], %2;"                               \
                   : "=" REGISTER(old)                                                                       \
                   : "l"(at), REGISTER(value)                                                                \
                   : "memory");                                                                              \
      return old;                                                                                            \
    }                                                                                                        \
    static __device__ WORD add_acquire(WORD* at, WORD value) {                                               \
      WORD old;                                                                                              \
      asm volatile("atom.acquire." SUFFIX ".global.add." TYPE " %0, [%1], %2;"                               \
                   : "=" REGISTER(old)                                                                       \
                   : "l"(at), REGISTER(value)                                                                \
                   : "memory");                                                                              \
      return old;                                                                                            \
    }                                                                                                        \
    static __device__ WORD add_release(WORD* at, WORD value) {                                               \
      WORD old;                                                                                              \
      asm volatile("atom.release." SUFFIX ".global.add." TYPE " %0, [%1], %2;"                               \
                   : "=" REGISTER(old)                                                                       \
                   : "l"(at), REGISTER(value)                                                                \
                   : "memory");                                                                              \
      return old;                                                                                            \
    }                                                                                                        \
    static __device__ bool compare_exchange_acq_rel(WORD* at, WORD expected, WORD value) {                   \
      WORD old;                                                                                              \
      asm volatile("atom.acq_rel." SUFFIX ".global.cas.b" SIZE " %0, [%1], %2, %3;"                          \
                   : "=" REGISTER(old)                                                                       \
                   : "l"(at), REGISTER(expected), REGISTER(value)                                            \
                   : "memory");                                                                              \
      return same_bits(old, expected);                                                                       \
    }                                                                                                        \
    static __device__ WORD exchange_acq_rel(WORD* at, WORD value) {                                          \
      WORD old;                                                                                              \
      asm volatile("atom.acq_rel." SUFFIX ".global.exch.b" SIZE " %0, [%1], %2;"                             \
                   : "=" REGISTER(old)                                                                       \
                   : "l"(at), REGISTER(value)                                                                \
                   : "memory");                                                                              \
      return old;                                                                                            \
    }                                                                                                        \
  };

BALLAST_PTX_WORD(std::uint32_t, scope::device, "32", "u32", "gpu", "r")
BALLAST_PTX_WORD(std::uint32_t, scope::system, "32", "u32", "sys", "r")
BALLAST_PTX_WORD(std::int32_t, scope::device, "32", "s32", "gpu", "r")
BALLAST_PTX_WORD(std::int32_t, scope::system, "32", "s32", "sys", "r")
BALLAST_PTX_WORD(std::uint64_t, scope::device, "64", "u64", "gpu", "l")
BALLAST_PTX_WORD(std::uint64_t, scope::system, "64", "u64", "sys", "l")
BALLAST_PTX_WORD(std::int64_t, scope::device, "64", "u64", "gpu", "l")
BALLAST_PTX_WORD(std::int64_t, scope::system, "64", "u64", "sys", "l")
BALLAST_PTX_WORD(float, scope::device, "32", "f32", "gpu", "f")
BALLAST_PTX_WORD(float, scope::system, "32", "f32", "sys", "f")
BALLAST_PTX_WORD(double, scope::device, "64", "f64", "gpu", "d")
BALLAST_PTX_WORD(double, scope::system, "64", "f64", "sys", "d")
#undef BALLAST_PTX_WORD

}  // namespace ballast::detail
