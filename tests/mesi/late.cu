// SPDX-License-Identifier: Apache-2.0
// A file of the program whose kernels nobody has made known.
#include "ballast/mesi/mesi.cuh"
#include "shared.hpp"

namespace ballast::test {
using namespace detail;
namespace {

struct late {
  int* to;
  static constexpr char name[] = "late";
  static constexpr mesi::launch_form form{64, 1, mesi::axis::x};
  BALLAST_HD void operator()(mesi::thread_id lThreadId) const { to[lThreadId.x] = -lThreadId.x; }
  auto uses(mesi::launch_uses const& of) const {
    return std::tuple(of.writes(to, "to", [=](mesi::part part) {
      return mesi::ranges{{part.begin, part.end}};
    }));
  }
  void bind(auto to_here) { to = mesi::biased(to, to_here); }
  template <class F>
  void for_each_array(F f) const {
    f(to);
  }
};

}  // namespace

void number_late(int* to) { mesi::launch<late>(mesi::threads(numbers_count), to); }

}  // namespace ballast::test
