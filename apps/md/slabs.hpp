// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace ballast::md {

/// Cuts 0 .. count-1 into contiguous ranges of at least `smallest` and calls f(part, begin, end) for each, on
/// a thread of its own unless there is only one. Returns the number of parts when all are done; rethrows.
template <class F>
std::size_t for_each_slab(std::size_t count, std::size_t smallest, F const& f) {
  std::size_t const cores = std::max(1u, std::thread::hardware_concurrency());
  std::size_t const parts = std::clamp<std::size_t>(count / std::max<std::size_t>(smallest, 1), 1, cores);
  std::vector<std::future<void>> rest;
  for (std::size_t part = 1; part < parts; ++part) {
    rest.push_back(std::async(std::launch::async,
                              [&, part] { f(part, count * part / parts, count * (part + 1) / parts); }));
  }
  f(std::size_t(0), std::size_t(0), count / parts);
  for (auto& other : rest) other.get();
  return parts;
}

}  // namespace ballast::md
