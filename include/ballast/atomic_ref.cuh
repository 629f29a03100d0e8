// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/block.cuh"

#if BALLAST_ON_GPU
#  include "ballast/detail/device/cuda/ptx_word.cuh"
#else
#  include <atomic>
#endif

namespace ballast {

namespace detail {
template <class Word, class... Words>
constexpr bool is_one_of = (std::is_same_v<Word, Words> || ...);
}

/// A view of a word in global or host memory; all accesses through it are atomic. On a GPU the accesses are
/// inline `.global` PTX (libcu++ and the builtins emit generic atomics); on the host they are those of
/// std::atomic_ref, which ThreadSanitizer understands. Lock-free structures take this class as a template
/// parameter. Over PCIe only loads and stores are atomic: a word shared with a GPU's host has one writer and
/// no add. Additions to a float on a GPU take subnormal numbers for 0, and leave 0 in place of them.
template <class Word, scope Scope>
class atomic_ref {
  static_assert(
      detail::is_one_of<Word, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>,
      "an atomic word is a std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float or double");

 public:
  /// Refers to the word, which must outlive this and lie in global or host memory.
  BALLAST_HD explicit atomic_ref(Word& word) : word_(&word) {}

#if BALLAST_ON_GPU
  using ptx = detail::ptx_word<Word, Scope>;
  BALLAST_HD Word load_relaxed() const { return ptx::load_relaxed(word_); }
  [[nodiscard]] BALLAST_HD Word load_acquire() const { return ptx::load_acquire(word_); }
  BALLAST_HD void store_relaxed(Word value) const { ptx::store_relaxed(word_, value); }
  BALLAST_HD void store_release(Word value) const { ptx::store_release(word_, value); }
  BALLAST_HD Word add_relaxed(Word value) const { return ptx::add_relaxed(word_, value); }
  BALLAST_HD Word add_acquire(Word value) const { return ptx::add_acquire(word_, value); }
  BALLAST_HD Word add_release(Word value) const { return ptx::add_release(word_, value); }
  BALLAST_HD bool compare_exchange_acq_rel(Word expected, Word value) const {
    return ptx::compare_exchange_acq_rel(word_, expected, value);
  }
  BALLAST_HD Word exchange_acq_rel(Word value) const { return ptx::exchange_acq_rel(word_, value); }
  BALLAST_HD Word or_relaxed(Word bits) const requires(std::is_integral_v<Word>) {
    return ptx::or_relaxed(word_, bits);
  }
  BALLAST_HD void store_sequential(Word value) const { ptx::store_relaxed(word_, value); }
  [[nodiscard]] BALLAST_HD Word load_sequential() const { return ptx::load_acquire(word_); }
  BALLAST_HD static void fence_sequential() {
    if constexpr (Scope == scope::device) {
      asm volatile("fence.sc.gpu;" ::: "memory");
    } else {
      asm volatile("fence.sc.sys;" ::: "memory");
    }
  }
  BALLAST_HD void store_max(Word value) const {
    if constexpr (std::is_integral_v<Word>)
      ptx::store_max(word_, value);
    else
      max_relaxed(value);
  }
  BALLAST_HD void store_min(Word value) const {
    if constexpr (std::is_integral_v<Word>)
      ptx::store_min(word_, value);
    else
      min_relaxed(value);
  }
  BALLAST_HD Word max_relaxed(Word value) const {
    Word const seen = load_relaxed();
    return seen < value ? ptx::max_relaxed(word_, value) : seen;
  }
  BALLAST_HD Word min_relaxed(Word value) const {
    Word const seen = load_relaxed();
    return seen > value ? ptx::min_relaxed(word_, value) : seen;
  }
#else
  /// The type that does the accesses on the host.
  using standard = std::atomic_ref<Word>;
  /// Reads the word; orders nothing.
  BALLAST_HD Word load_relaxed() const { return standard(*word_).load(std::memory_order_relaxed); }
  /// Reads the word; what its writer wrote before store_release() is visible to this thread afterwards. Use
  /// the value: ptxas 13.0 drops a load whose value nobody uses, and in branches its order too.
  [[nodiscard]] BALLAST_HD Word load_acquire() const {
    return standard(*word_).load(std::memory_order_acquire);
  }
  /// Writes the word; orders nothing.
  BALLAST_HD void store_relaxed(Word value) const {
    standard(*word_).store(value, std::memory_order_relaxed);
  }
  /// Writes the word; a thread that reads it with load_acquire() sees what this thread wrote before.
  BALLAST_HD void store_release(Word value) const {
    standard(*word_).store(value, std::memory_order_release);
  }
  /// Adds to the word and returns the old value, as the next two do; orders nothing.
  BALLAST_HD Word add_relaxed(Word value) const {
    return standard(*word_).fetch_add(value, std::memory_order_relaxed);
  }
  /// Adds with acquire order: what the last releasing writer wrote is visible afterwards.
  BALLAST_HD Word add_acquire(Word value) const {
    return standard(*word_).fetch_add(value, std::memory_order_acquire);
  }
  /// Adds with release order, for counters whose last addition lets a thread continue. On a GPU that thread
  /// must call fence_after_relaxed() next; on the host the addition acquires too.
  BALLAST_HD Word add_release(Word value) const {
    return standard(*word_).fetch_add(value, std::memory_order_acq_rel);
  }
  /// Replaces `expected` by `value` and returns whether it did; acquires in either case; never fails
  /// spuriously. Compares bits: 0 is not -0, and a NaN is itself.
  BALLAST_HD bool compare_exchange_acq_rel(Word expected, Word value) const {
    return standard(*word_).compare_exchange_strong(expected, value, std::memory_order_acq_rel,
                                                    std::memory_order_acquire);
  }
  /// Writes the word and returns the old value; acquires as load_acquire() and releases as store_release().
  BALLAST_HD Word exchange_acq_rel(Word value) const {
    return standard(*word_).exchange(value, std::memory_order_acq_rel);
  }
  /// Sets in an integer the bits that `bits` has, and returns the old value; relaxed.
  BALLAST_HD Word or_relaxed(Word bits) const requires(std::is_integral_v<Word>) {
    return standard(*word_).fetch_or(bits, std::memory_order_relaxed);
  }
  /// Writes the word. store_sequential() and load_sequential() are for two threads that each write (or read)
  /// one word and then read another; at least one of the threads must see the other's write. Each thread
  /// makes its first access, calls fence_sequential(), and makes its second access. On a GPU the fence orders
  /// the accesses and the load acquires. On the host the accesses themselves are sequentially consistent and
  /// the fence does nothing, since ThreadSanitizer does not model fences. A store_sequential() releases on
  /// the host only.
  BALLAST_HD void store_sequential(Word value) const {
    standard(*word_).store(value, std::memory_order_seq_cst);
  }
  /// Reads the word in the single order on which all threads agree.
  [[nodiscard]] BALLAST_HD Word load_sequential() const {
    return standard(*word_).load(std::memory_order_seq_cst);
  }
  /// Call it between the two accesses; see store_sequential().
  BALLAST_HD static void fence_sequential() {}
  /// Leaves the larger of the word and `value` in the word; relaxed. This and the other maxima and minima
  /// store no NaN, and leave one that the word holds at the call; 0 and -0 are equal.
  BALLAST_HD void store_max(Word value) const { max_relaxed(value); }
  /// Leaves the smaller of the word and `value` in the word; relaxed.
  BALLAST_HD void store_min(Word value) const { min_relaxed(value); }
  /// As store_max(), and returns the old value. Where a first read shows that the word would not change,
  /// that read is all.
  BALLAST_HD Word max_relaxed(Word value) const {
    Word seen = load_relaxed();
    while (seen < value && !compare_exchange(seen, value)) {}
    return seen;
  }
  /// As max_relaxed(), for the smaller one.
  BALLAST_HD Word min_relaxed(Word value) const {
    Word seen = load_relaxed();
    while (seen > value && !compare_exchange(seen, value)) {}
    return seen;
  }
#endif
  /// As max_relaxed(), but returns whether the word was less than `value`: of several threads that offer the
  /// best value at most one gets true.
  BALLAST_HD bool improve_max(Word value) const { return max_relaxed(value) < value; }
  /// As min_relaxed(), but returns whether the word was greater than `value`.
  BALLAST_HD bool improve_min(Word value) const { return min_relaxed(value) > value; }

 private:
#if !BALLAST_ON_GPU
  BALLAST_HD bool compare_exchange(Word& seen, Word value) const {
    return standard(*word_).compare_exchange_weak(seen, value, std::memory_order_relaxed);
  }
#endif

  Word* word_;
};

/// The usual atomic type of structures that the threads of one device share.
template <class Word>
using device_atomic = atomic_ref<Word, scope::device>;

/// Orders this thread's accesses before the call against those after the call, for the threads of the scope.
/// On a GPU it is the single fence after relaxed polls (an acquire load in a poll would invalidate the SM's
/// L1 each time). On the host it does nothing: acquire loads and release stores order there, and
/// ThreadSanitizer does not model fences.
template <scope Scope>
BALLAST_HD void fence_after_relaxed() {
#if BALLAST_ON_GPU
  if constexpr (Scope == scope::device) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  } else {
    asm volatile("fence.acq_rel.sys;" ::: "memory");
  }
#endif
}

/// A load that a poll loop repeats: relaxed on a GPU (follow success with fence_after_relaxed), acquire on
/// the host.
template <class Word, scope Scope>
BALLAST_HD Word poll(atomic_ref<Word, Scope> word) {
#if BALLAST_ON_GPU
  return word.load_relaxed();
#else
  return word.load_acquire();
#endif
}

namespace detail {

/// Orders this thread's later accesses after what the writers of words released that its relaxed loads, of
/// the device's scope, have seen. Unlike fence_after_relaxed() it does not wait for this thread's own stores,
/// if the GPU has such a fence. On the host it does nothing.
BALLAST_HD inline void acquire_after_relaxed() {
#if BALLAST_ON_GPU && __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1208
  asm volatile("fence.acquire.gpu;" ::: "memory");
#else
  fence_after_relaxed<scope::device>();
#endif
}

/// Follows relaxed loads of a word, of the device's scope, that have seen what was waited for.
template <class Atomic>
BALLAST_HD void acquire_polled([[maybe_unused]] Atomic const& word) {
#if BALLAST_ON_GPU
  acquire_after_relaxed();
#else
  (void)word.load_acquire();
#endif
}

}  // namespace detail
}  // namespace ballast
