// SPDX-License-Identifier: Apache-2.0
// Attention of one query to the tokens of each sequence and head.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "ballast/segments.cuh"
#include "device/launched.cuh"

namespace ballast::bench {

/// Halves of numbers in single precision: the upper 16 bits. Of one head.
inline constexpr std::uint32_t head_size = 128;
struct alignas(16) eight_halves {
  std::uint32_t pairs[4];
  BALLAST_HD float operator[](std::uint32_t i) const {
    auto const bits = i % 2 == 0 ? pairs[i / 2] << 16 : pairs[i / 2] & 0xffff0000u;
#if BALLAST_ON_GPU
    return __uint_as_float(bits);
#else
    return std::bit_cast<float>(bits);
#endif
  }
};
inline constexpr std::uint32_t vectors = head_size / 8;

/// A number of keys and values, the same on every device: i / 128 - 1 for an i below 256.
BALLAST_HD inline std::uint32_t invented_half(std::uint64_t at) {
  auto const mixed = (at ^ at >> 29) * 0xbf58476d1ce4e5b9u;
  auto const value = float(std::uint32_t(mixed >> 56)) / 128 - 1;
#if BALLAST_ON_GPU
  return __float_as_uint(value) >> 16;
#else
  return std::bit_cast<std::uint32_t>(value) >> 16;
#endif
}

/// Fills `count` vectors with invented numbers, from number `first` on.
struct invent_halves {
  static constexpr int threads = 256;
  static constexpr std::uint32_t of_block = 4096;
  array_ref<eight_halves> to;
  std::uint64_t count, first;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(of_block, [&](std::uint32_t i) {
      auto const at = std::uint64_t(block.index()) * of_block + i;
      if (at >= count) return;
      for (std::uint32_t k = 0; k < 4; ++k) {
        auto const number = first + at * 8 + k * 2;
        to[at].pairs[k] = invented_half(number) | invented_half(number + 1) << 16;
      }
    });
  }
};

/// What some tokens contribute: the greatest score, the sum of weights relative to it, and so of values.
struct contribution {
  float most, weight, values[head_size];
};

/// A segment is a sequence and a head, an item a token: a block takes a piece, the last of a segment
/// combines.
struct attend {
  static constexpr int threads = 128;
  static constexpr std::uint32_t groups = threads / vectors, in_flight = 4;
  struct scratch {
    contribution of_group[groups];
  };
  array_ref<piece const> pieces;
  array_ref<eight_halves const> keys, values;  // vectors of token i from i * vectors on
  array_ref<float const> queries;              // head_size of each segment
  array_ref<contribution> parts;               // of each piece
  array_ref<std::uint32_t> counters;           // of each segment
  array_ref<float> results;                    // as queries

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const mine = pieces[block.index()];
    auto* const of_group = block.scratch().of_group;
    auto const used = read(block, mine, of_group);
    block.sync();
    if (mine.of == 1) return finish(block, mine, of_group, used);
    contribution* const part = &parts[block.index()];
    combine(block, of_group, used, [&](std::uint32_t i, contribution const& sum, float value) {
      part->values[i] = value;
      if (i == 0) part->most = sum.most, part->weight = sum.weight;
    });
    if (is_last_of(block, mine, counters)) finish(block, mine, &parts[mine.first], mine.of);
  }

 private:
  template <class Block>
  BALLAST_HD void finish(Block const& block, piece const& of, contribution const* parts_of,
                         std::uint32_t n) const {
    combine(block, parts_of, n, [&](std::uint32_t i, contribution const& sum, float value) {
      results[of.segment * head_size + i] = sum.weight == 0 ? 0 : value / sum.weight;
    });
  }
  /// Calls put(i, most and weight of all, value i) for each i of a head.
  template <class Block, class Put>
  BALLAST_HD static void combine(Block const& block, contribution const* of, std::uint32_t n, Put&& put) {
    block.for_each(items<head_size>, [&](std::uint32_t i) {
      contribution sum;
      sum.most = none;
      for (std::uint32_t k = 0; k < n; ++k) sum.most = maximum()(sum.most, of[k].most);
      sum.weight = 0;
      float value = 0;
      for (std::uint32_t k = 0; k < n; ++k) {
        auto const scale = exponential(of[k].most - sum.most);
        sum.weight += scale * of[k].weight;
        value += scale * of[k].values[i];
      }
      put(i, sum, value);
    });
  }

  static constexpr float none = -1e30f;  ///< a score that weighs nothing
  BALLAST_HD static float exponential(float of) {
#if BALLAST_ON_GPU
    return __expf(of);
#else
    return std::exp(of);
#endif
  }

#if BALLAST_ON_GPU
  /// 16 threads read a token, 8 numbers each; returns the number of such groups.
  template <class Block>
  __device__ std::uint32_t read(Block const& block, piece const& mine, contribution* of_group) const {
    auto const group = block.rank() / vectors, lane = block.rank() % vectors;
    float query[8], sum[8] = {}, most = none, weight = 0;
    for (std::uint32_t k = 0; k < 8; ++k) query[k] = queries[mine.segment * head_size + lane * 8 + k];
    for (auto token = mine.begin + group; token < mine.end; token += groups * in_flight) {
      eight_halves key[in_flight], value[in_flight];
#  pragma unroll
      for (std::uint32_t k = 0; k < in_flight; ++k) {
        auto const at = minimum()(token + k * groups, mine.end - 1) * vectors + lane;
        key[k] = once(keys, at);
        value[k] = once(values, at);
      }
      float score[in_flight], top = most;
#  pragma unroll
      for (std::uint32_t k = 0; k < in_flight; ++k) {
        score[k] = token + k * groups < mine.end ? dot(key[k], query) : none;
        top = maximum()(top, score[k]);
      }
      auto const scale = exponential(most - top);
      most = top;
      weight *= scale;
      for (auto& each : sum) each *= scale;
#  pragma unroll
      for (std::uint32_t k = 0; k < in_flight; ++k) {
        auto const of_token = token + k * groups < mine.end ? exponential(score[k] - most) : 0;
        weight += of_token;
        for (std::uint32_t i = 0; i < 8; ++i) sum[i] += of_token * value[k][i];
      }
    }
    for (std::uint32_t i = 0; i < 8; ++i) of_group[group].values[lane * 8 + i] = sum[i];
    if (lane == 0) of_group[group].most = most, of_group[group].weight = weight;
    return groups;
  }
  /// Loads what no other block needs, so that caches keep the rest.
  __device__ static eight_halves once(array_ref<eight_halves const> from, std::uint64_t at) {
    auto const word = __ldcs(reinterpret_cast<uint4 const*>(&from[at]));
    return {{word.x, word.y, word.z, word.w}};
  }
  /// Of the whole head, in each of its 16 threads.
  __device__ static float dot(eight_halves const& key, float const (&query)[8]) {
    float sum = 0;
    for (std::uint32_t i = 0; i < 8; ++i) sum += query[i] * key[i];
    auto const mask = 0xffffu << (threadIdx.x & 16);
    for (auto apart = vectors / 2; apart != 0; apart /= 2) sum += __shfl_xor_sync(mask, sum, int(apart));
    return sum;
  }
#else
  /// One thread reads all tokens.
  template <class Block>
  std::uint32_t read(Block const&, piece const& mine, contribution* of_group) const {
    contribution sum{none, 0, {}};
    for (auto token = mine.begin; token < mine.end; ++token) {
      float score = 0;
      for (std::uint32_t i = 0; i < head_size; ++i)
        score += queries[mine.segment * head_size + i] * keys[token * vectors + i / 8][i % 8];
      auto const most = maximum()(sum.most, score);
      auto const scale = exponential(sum.most - most), of_token = exponential(score - most);
      sum.most = most;
      sum.weight = sum.weight * scale + of_token;
      for (std::uint32_t i = 0; i < head_size; ++i)
        sum.values[i] = sum.values[i] * scale + of_token * values[token * vectors + i / 8][i % 8];
    }
    of_group[0] = sum;
    return 1;
  }
#endif
};

}  // namespace ballast::bench
