// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/atomic_ref.cuh"
#include "ballast/stream.hpp"

namespace ballast::test {

/// What becomes of a word, and what its members return, when it meets a value.
template <class Word>
struct met_word {
  Word before_max, max, before_min, min, before_sum, sum, before_exchange, exchanged, stored_max, stored_min;
  Word raised, lowered, replaced_itself, replaced_value;  ///< 0 or 1
};

/// Lets the value of a block's number meet each of the values, of which there are as many as blocks.
template <class Word>
struct meet_values {
  static constexpr int threads = 32;
  array_ref<Word const> values;
  array_ref<Word> places;         ///< a word for each pair
  array_ref<met_word<Word>> met;  ///< value v at index() * count() + v

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(block.count(), [&](std::uint32_t v) {
      auto const pair = block.index() * block.count() + v;
      Word& place = places[pair];
      Word const word = values[block.index()], value = values[v];
      met_word<Word>& to = met[pair];
      device_atomic<Word> const on(place);
      place = word, to.before_max = on.max_relaxed(value), to.max = on.load_relaxed();
      place = word, to.before_min = on.min_relaxed(value), to.min = on.load_relaxed();
      place = word, to.before_sum = on.add_relaxed(value), to.sum = on.load_relaxed();
      place = word, to.before_exchange = on.exchange_acq_rel(value), to.exchanged = on.load_relaxed();
      place = word, on.store_max(value), to.stored_max = on.load_relaxed();
      place = word, on.store_min(value), to.stored_min = on.load_relaxed();
      place = word, to.raised = on.improve_max(value) ? 1 : 0;
      place = word, to.lowered = on.improve_min(value) ? 1 : 0;
      place = word, to.replaced_itself = on.compare_exchange_acq_rel(word, value) ? 1 : 0;
      place = word, to.replaced_value = on.compare_exchange_acq_rel(value, value) ? 1 : 0;
    });
  }
};

/// The words that all threads of share_words change.
template <class Word>
struct shared_words {
  Word highest, lowest, sum, last;
  Word raised, lowered;  ///< how many threads raised and lowered a word as far as it goes
};

/// Each of 32 threads of a block has a number of its own, by which it changes all words.
template <class Word>
struct share_words {
  static constexpr int threads = 32;
  array_ref<Word const> numbers;
  array_ref<Word> replaced;  ///< what was in `last` before
  array_ref<shared_words<Word>> shared;
  Word most, least;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    using on = device_atomic<Word>;
    auto& words = shared[0];
    block.for_each(threads, [&](std::uint32_t i) {
      auto const at = block.index() * threads + i;
      on(words.highest).max_relaxed(numbers[at]);
      on(words.lowest).min_relaxed(numbers[at]);
      on(words.sum).add_relaxed(numbers[at]);
      replaced[at] = on(words.last).exchange_acq_rel(numbers[at]);
      if (on(words.highest).improve_max(most)) on(words.raised).add_relaxed(1);
      if (on(words.lowest).improve_min(least)) on(words.lowered).add_relaxed(1);
    });
  }
};

/// Each of 32 threads of a block sets one of the bits of a word, and counts if it was the first.
template <class Word>
struct set_bits {
  static constexpr int threads = 32;
  static constexpr std::uint32_t bits = 8 * sizeof(Word) - 1;
  array_ref<Word> word, first;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(threads, [&](std::uint32_t i) {
      auto const bit = Word(1) << (block.index() * threads + i) % bits;
      if ((device_atomic<Word>(word[0]).or_relaxed(bit) & bit) == 0)
        device_atomic<Word>(first[0]).add_relaxed(1);
    });
  }
};

///@{
/// Their code, compiled for each type of a word.
template <class Word>
kernel_code meet_values_kernel();
template <class Word>
kernel_code share_words_kernel();
template <class Word>
kernel_code set_bits_kernel();
///@}

}  // namespace ballast::test
