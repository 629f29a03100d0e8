// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#if !BALLAST_ON_GPU
#  include <chrono>
#  include <thread>
#endif

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"

namespace ballast::test {

/// SHA-1 of so many 32-bit words, at most 13, into five.
BALLAST_HD inline void sha1(std::uint32_t const* message, int words, std::uint32_t* digest) {
  auto const rotated = [](std::uint32_t value, int bits) { return value << bits | value >> (32 - bits); };
  std::uint32_t w[16];
  for (int i = 0; i < 16; ++i) w[i] = i < words ? message[i] : 0;
  w[words] = 0x80000000u;
  w[15] = std::uint32_t(words) * 32;
  std::uint32_t const initial[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  std::uint32_t a = initial[0], b = initial[1], c = initial[2], d = initial[3], e = initial[4];
  for (int i = 0; i < 80; ++i) {
    if (i >= 16) w[i % 16] = rotated(w[(i + 13) % 16] ^ w[(i + 8) % 16] ^ w[(i + 2) % 16] ^ w[i % 16], 1);
    auto const mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999u
                       : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1u
                       : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu
                                : (b ^ c ^ d) + 0xca62c1d6u;
    auto const next = rotated(a, 5) + mixed + e + w[i % 16];
    e = d, d = c, c = rotated(b, 30), b = a, a = next;
  }
  std::uint32_t const last[5] = {a, b, c, d, e};
  for (int i = 0; i < 5; ++i) digest[i] = initial[i] + last[i];
}

/// A node of an unbalanced tree (Olivier and others 2006, "UTS: an unbalanced tree search benchmark"):
/// geometric, fixed shape, 4 children in the mean. Its SHA-1 says how many it has, so that any rank can
/// visit it. Counts itself where it is executed.
struct uts_node {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 100;
  std::uint32_t state[5];
  std::uint16_t height, max_height;
  std::uint32_t nap_ns;  ///< that it sleeps before: sleepers need no core of their own
  std::uint64_t* nodes;  ///< in an array that all ranks have published

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(nodes);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) {
      nap();
      atomic_ref<std::uint64_t, scope::system>(*nodes).add_relaxed(1);
    }
    block.for_each(children(), [&](std::uint32_t i) {
      uts_node child = *this;
      std::uint32_t const message[6] = {state[0], state[1], state[2], state[3], state[4], i};
      sha1(message, 6, child.state);
      ++child.height;
      block.spawn(child);
    });
  }

 private:
  BALLAST_HD void nap() const {
#if BALLAST_ON_GPU
    for (std::uint32_t left = nap_ns; left > 0;) {
      std::uint32_t const part = left < 500'000 ? left : 500'000;
      __nanosleep(part);
      left -= part;
    }
#else
    if (nap_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(nap_ns));
#endif
  }
  BALLAST_HD std::uint32_t children() const {
    if (height >= max_height) return 0;
    constexpr double others = 1 - 1 / (1.0 + 4);
    auto const left = 1 - double(state[4] & 0x7fffffffu) / 2147483648.0;
    std::uint32_t count = 0;
    for (auto power = others; left <= power && count < spawns; power *= others) ++count;
    return count;
  }
};

/// The root of the sample tree T1 of the benchmark's authors (-t 1 -a 3 -b 4 -r 19) cut at this height: at 10
/// it is T1.
inline uts_node uts_root(std::uint16_t max_height, std::uint64_t* nodes, std::uint32_t nap_ns = 0) {
  uts_node root{{}, 0, max_height, nap_ns, nodes};
  std::uint32_t const seed[5] = {0, 0, 0, 0, 19};
  sha1(seed, 5, root.state);
  return root;
}

/// So many nodes that tree has; of other heights than 5 to 8 and 10, 0. Those of T1 are published; all were
/// counted by a program of its own, one after the other.
constexpr std::uint64_t uts_nodes(int max_height) {
  switch (max_height) {
    case 5:
      return 3'987;
    case 6:
      return 16'000;
    case 7:
      return 63'914;
    case 8:
      return 257'042;
    case 10:
      return 4'130'071;
    default:
      return 0;
  }
}

}  // namespace ballast::test
