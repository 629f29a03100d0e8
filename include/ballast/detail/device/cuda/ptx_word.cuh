// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/block.cuh"

namespace ballast::detail {

/// Atomic accesses to one word as `.global` PTX instructions, one specialisation per word size and scope.
template <class Word, scope Scope>
struct ptx_word;

// One definition for four specialisations: only the operand letter, the size and the scope differ.
#define BALLAST_PTX_WORD(WORD, SCOPE, SIZE, SUFFIX, REGISTER)                                         \
  template <>                                                                                         \
  struct ptx_word<WORD, SCOPE> {                                                                      \
    static __device__ WORD load_relaxed(WORD const* at) {                                             \
      WORD value;                                                                                     \
      asm volatile("ld.relaxed." SUFFIX ".global.u" SIZE " %0, [%1];"                                 \
                   : "=" REGISTER(value)                                                              \
                   : "l"(at)                                                                          \
                   : "memory");                                                                       \
      return value;                                                                                   \
    }                                                                                                 \
    static __device__ WORD load_acquire(WORD const* at) {                                             \
      WORD value;                                                                                     \
      asm volatile("ld.acquire." SUFFIX ".global.u" SIZE " %0, [%1];"                                 \
                   : "=" REGISTER(value)                                                              \
                   : "l"(at)                                                                          \
                   : "memory");                                                                       \
      return value;                                                                                   \
    }                                                                                                 \
    static __device__ void store_relaxed(WORD* at, WORD value) {                                      \
      asm volatile("st.relaxed." SUFFIX ".global.u" SIZE " [%0], %1;" ::"l"(at), REGISTER(value)      \
                   : "memory");                                                                       \
    }                                                                                                 \
    static __device__ void store_release(WORD* at, WORD value) {                                      \
      asm volatile("st.release." SUFFIX ".global.u" SIZE " [%0], %1;" ::"l"(at), REGISTER(value)      \
                   : "memory");                                                                       \
    }                                                                                                 \
    static __device__ WORD add_relaxed(WORD* at, WORD value) {                                        \
      WORD old;                                                                                       \
      asm volatile("atom.relaxed." SUFFIX ".global.add.u" SIZE " %0, [%1], %2;"                       \
                   : "=" REGISTER(old)                                                                \
                   : "l"(at), REGISTER(value)                                                         \
                   : "memory");                                                                       \
      return old;                                                                                     \
    }                                                                                                 \
    static __device__ WORD add_acquire(WORD* at, WORD value) {                                        \
      WORD old;                                                                                       \
      asm volatile("atom.acquire." SUFFIX ".global.add.u" SIZE " %0, [%1], %2;"                       \
                   : "=" REGISTER(old)                                                                \
                   : "l"(at), REGISTER(value)                                                         \
                   : "memory");                                                                       \
      return old;                                                                                     \
    }                                                                                                 \
    static __device__ WORD add_release(WORD* at, WORD value) {                                        \
      WORD old;                                                                                       \
      asm volatile("atom.release." SUFFIX ".global.add.u" SIZE " %0, [%1], %2;"                       \
                   : "=" REGISTER(old)                                                                \
                   : "l"(at), REGISTER(value)                                                         \
                   : "memory");                                                                       \
      return old;                                                                                     \
    }                                                                                                 \
    static __device__ bool compare_exchange_acq_rel(WORD* at, WORD expected, WORD value) {            \
      WORD old;                                                                                       \
      asm volatile("atom.acq_rel." SUFFIX ".global.cas.b" SIZE " %0, [%1], %2, %3;"                   \
                   : "=" REGISTER(old)                                                                \
                   : "l"(at), REGISTER(expected), REGISTER(value)                                     \
                   : "memory");                                                                       \
      return old == expected;                                                                         \
    }                                                                                                 \
    static __device__ void store_max(WORD* at, WORD value) {                                          \
      asm volatile("red.relaxed." SUFFIX ".global.max.u" SIZE " [%0], %1;" ::"l"(at), REGISTER(value) \
                   : "memory");                                                                       \
    }                                                                                                 \
    static __device__ void store_min(WORD* at, WORD value) {                                          \
      asm volatile("red.relaxed." SUFFIX ".global.min.u" SIZE " [%0], %1;" ::"l"(at), REGISTER(value) \
                   : "memory");                                                                       \
    }                                                                                                 \
  };

BALLAST_PTX_WORD(std::uint32_t, scope::device, "32", "gpu", "r")
BALLAST_PTX_WORD(std::uint32_t, scope::system, "32", "sys", "r")
BALLAST_PTX_WORD(std::uint64_t, scope::device, "64", "gpu", "l")
BALLAST_PTX_WORD(std::uint64_t, scope::system, "64", "sys", "l")
#undef BALLAST_PTX_WORD

}  // namespace ballast::detail
