// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ballast/detail/pool/deques.cuh"
#include "records.hpp"

namespace ballast::test {
using namespace detail;

/// The deques under one name, for tests that hold for each.
struct abp {
  template <class Record, template <class> class Atomic = device_atomic>
  using ref = abp_deque_ref<Record, Atomic>;
  using words = abp_deque_words;
};

struct chase_lev {
  template <class Record, template <class> class Atomic = device_atomic>
  using ref = chase_lev_deque_ref<Record, Atomic>;
  using words = chase_lev_deque_words;
};

struct tagged {
  template <class Record, template <class> class Atomic = device_atomic>
  using ref = tagged_deque_ref<Record, Atomic>;
  using words = tagged_deque_words;
};

/// A deque and the memory under it.
template <class Kind, class Record = numbered>
class owned_deque {
 public:
  using ref_type = typename Kind::template ref<Record>;

  explicit owned_deque(std::uint32_t capacity) : capacity_(capacity), slots_(capacity) {}

  ref_type ref() { return {&words_, slots_.data(), capacity_}; }

 private:
  typename Kind::words words_{};
  std::uint32_t capacity_;
  std::vector<typename ref_type::slot> slots_;
};

}  // namespace ballast::test
