// SPDX-License-Identifier: Apache-2.0
// In the form that mesicc prints.
#include "shared.hpp"

#include "ballast/mesi/mesi.cuh"

namespace ballast::test {
using namespace detail;

mesi::variable<int[rows][columns]> table{"table"}, next_table{"next_table"};
mesi::variable<int[numbers_count]> numbers{"numbers"};
mesi::variable<double> factor{"factor"};

namespace {
using mesi::part;
using mesi::ranges;
using mesi::thread_id;

struct numbering {
  int* to;
  static constexpr char name[] = "number";
  static constexpr mesi::launch_form form{64, 1, mesi::axis::x};
  BALLAST_HD void operator()(thread_id lThreadId) const { to[lThreadId.x] = lThreadId.x; }
  auto uses(mesi::launch_uses const& of) const {
    return std::tuple(of.writes(to, "to", [=](part part) { return ranges{{part.begin, part.end}}; }));
  }
  void bind(auto to_here) { to = mesi::biased(to, to_here); }
  template <class F>
  void for_each_array(F f) const {
    f(to);
  }
};

struct neighbours {
  int const (*from)[columns];
  int (*to)[columns];
  int more;
  static constexpr char name[] = "add_neighbours";
  static constexpr mesi::launch_form form{16, 2, mesi::axis::y, 3, mesi::registers::few};
  BALLAST_HD void operator()(thread_id lThreadId) const {
    int const y = lThreadId.y, x = lThreadId.x;
    if (y >= rows) return;
    to[y][x] = from[y == 0 ? 0 : y - 1][x] + from[y][x] + from[y == rows - 1 ? y : y + 1][x] + more;
  }
  auto uses(mesi::launch_uses const& of) const {
    constexpr std::int64_t all = rows * columns;
    return std::tuple(of.reads(from, "from",
                               [=](part part) {
                                 return ranges{{std::max<std::int64_t>(0, columns * part.begin - columns),
                                                std::min(all, columns * part.end + columns)}};
                               }),
                      of.writes(to, "to", [=](part part) {
                        return ranges{{columns * part.begin, columns * part.end}};
                      }));
  }
  void bind(auto from_here, auto to_here) {
    from = mesi::biased(from, from_here);
    to = mesi::biased(to, to_here);
  }
  template <class F>
  void for_each_array(F f) const {
    f(from);
    f(to);
  }
};

struct leaving_out {
  int* to;
  static constexpr char name[] = "leave_out_last";
  static constexpr mesi::launch_form form{32, 1, mesi::axis::x};
  BALLAST_HD void operator()(thread_id lThreadId) const {
    if (lThreadId.x + 1 < numbers_count) to[lThreadId.x] = 1;
  }
  auto uses(mesi::launch_uses const& of) const {
    return std::tuple(of.writes(to, "to", [=](part part) { return ranges{{part.begin, part.end}}; }));
  }
  void bind(auto to_here) { to = mesi::biased(to, to_here); }
  template <class F>
  void for_each_array(F f) const {
    f(to);
  }
};
}  // namespace

void number(int* to, long long threads) { mesi::launch<numbering>(mesi::threads(threads), to); }
void add_neighbours(int const (*from)[columns], int (*to)[columns], int more) {
  mesi::launch<neighbours>(mesi::threads(columns, rows), from, to, more);
}
void leave_out_last(int* to) { mesi::launch<leaving_out>(mesi::threads(numbers_count), to); }

}  // namespace ballast::test

BALLAST_MESI_KERNELS(ballast::test::numbering, ballast::test::neighbours, ballast::test::leaving_out)
