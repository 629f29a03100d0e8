// SPDX-License-Identifier: Apache-2.0
// Says a set for launches holds at most 128 kernels: split it

#include "ballast/kernels.cuh"

namespace list_of_129_kernels_for_launches {

template <int>
struct mine {
  static constexpr int threads = 32;
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

template <int... N>
auto listed(std::integer_sequence<int, N...>) {
  ballast::detail::compiled_code code;
  ballast::for_launches::compile<false, mine<N>...>(code);
  return code;
}
#ifdef CORRECTED
auto list() { return listed(std::make_integer_sequence<int, 2>()); }
#else
auto list() { return listed(std::make_integer_sequence<int, 129>()); }
#endif

}
