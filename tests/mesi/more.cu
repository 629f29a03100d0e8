// SPDX-License-Identifier: Apache-2.0
// A second file of the program, in the form that mesicc prints.
#include "ballast/mesi/mesi.cuh"
#include "shared.hpp"

namespace ballast::test {
using namespace detail;
namespace {

struct scaling {
  int* numbers_address;
  double const* factor_address;
  static constexpr char name[] = "scale_numbers";
  static constexpr mesi::launch_form form{128, 1, mesi::axis::x};
  BALLAST_HD void operator()(mesi::thread_id lThreadId) const {
    numbers_address[lThreadId.x] = int(numbers_address[lThreadId.x] * *factor_address);
  }
  auto uses(mesi::launch_uses const& of) const {
    return std::tuple(of.updates(numbers_address, "numbers",
                                 [=](mesi::part part) {
                                   return mesi::ranges{{part.begin, part.end}};
                                 }),
                      of.reads_all(factor_address, "factor"));
  }
  void bind(auto numbers_here, auto factor_here) {
    numbers_address = mesi::biased(numbers_address, numbers_here);
    factor_address = mesi::biased(factor_address, factor_here);
  }
  template <class F>
  void for_each_array(F f) const {
    f(numbers_address);
    f(factor_address);
  }
};

}  // namespace

void scale_numbers() {
  mesi::launch<scaling>(mesi::threads(numbers_count), numbers.address(), &factor.address());
}

}  // namespace ballast::test

BALLAST_MESI_KERNELS(ballast::test::scaling)
