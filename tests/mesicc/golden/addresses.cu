#include <ballast/mesi/mesi.cuh>
#line 1 "addresses.mcu"
// SPDX-License-Identifier: Apache-2.0
// Host code that keeps addresses of variables in ways that are not followed, or launches where one would not look for
// it. Each read has to see all launches before it.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

struct values { int v[4]; int* data() { return v; } int& second() { return v[1]; } };
struct pair { int x, y; };
ballast::mesi::variable<int[16]> a{"a"}, e{"e"};
ballast::mesi::variable<values[16]> b{"b"};
ballast::mesi::variable<std::array < int , 4 >[16]> c{"c"};
ballast::mesi::variable<pair[16]> d{"d"};
ballast::mesi::variable<std::complex < float >[16]> z{"z"};
BALLAST_HD void more(ballast::mesi::thread_id lThreadId, int* y) { y[lThreadId.x] += 1; }
#line 1 "addresses.mcu, launch in line 28"
namespace {
struct more_28 {
  int *y;
  static constexpr char name[] = "more";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    more(lThreadId, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 1 "addresses.mcu, launch in line 29"
namespace {
struct more_29 {
  int *y;
  static constexpr char name[] = "more";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    more(lThreadId, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 1 "addresses.mcu, launch in line 53"
namespace {
struct more_53 {
  int *y;
  static constexpr char name[] = "more";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    more(lThreadId, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 22 "addresses.mcu"
BALLAST_HD void more_values(ballast::mesi::thread_id lThreadId, values* y) { y[lThreadId.x].v[1] += 1; }
#line 1 "addresses.mcu, launch in line 67"
namespace {
struct more_values_67 {
  values *y;
  static constexpr char name[] = "more_values";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    values *__restrict y = this->y;
    more_values(lThreadId, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 23 "addresses.mcu"
BALLAST_HD void more_arrays(ballast::mesi::thread_id lThreadId, std::array<int, 4>* y) { auto t = y[lThreadId.x]; t[1] += 1; y[lThreadId.x] = t; }
#line 1 "addresses.mcu, launch in line 68"
namespace {
struct more_arrays_68 {
  std::array<int, 4> *y;
  static constexpr char name[] = "more_arrays";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    std::array<int, 4> *__restrict y = this->y;
    more_arrays(lThreadId, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 24 "addresses.mcu"
BALLAST_HD void more_pairs(ballast::mesi::thread_id lThreadId, pair* y) { y[lThreadId.x].x += 1; }
#line 1 "addresses.mcu, launch in line 69"
namespace {
struct more_pairs_69 {
  pair *y;
  static constexpr char name[] = "more_pairs";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    pair *__restrict y = this->y;
    more_pairs(lThreadId, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 1 "addresses.mcu, launch in line 72"
namespace {
struct more_pairs_72 {
  pair *y;
  static constexpr char name[] = "more_pairs";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    pair *__restrict y = this->y;
    more_pairs(lThreadId, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 25 "addresses.mcu"

int failures = 0, launched = 0;
#define CHECK(condition) do { if (!(condition)) ++failures, std::printf("line %d: %s\n", __LINE__, #condition); } while (0)
int step() { ballast::mesi::launch<more_28>(ballast::mesi::threads(16), a.address()); return ++launched; }
void step_by(int* p) { ballast::mesi::launch<more_29>(ballast::mesi::threads(16), p); ++launched; }

struct view { int* p; explicit view(int* q) : p(q) {} ~view() {} int get(int i) { return p[i]; } };
int* saved;
int* keep(int* p) { saved = ballast::mesi::open(p); return ballast::mesi::open(p); }
void give(int*& out) { out = ballast::mesi::open(e); }
template <class T> auto behind(T x) { return ballast::mesi::open(e) + x; }
template <class T> bool holds(int i, T expected) { return a.update()[i] == expected && !(expected != a.update()[i]); }
template <class T> int stepped(T* p) { step_by(p); return ballast::mesi::host(p)[3]; }
int& second_of(values* p) { return ballast::mesi::open(p)->v[1]; }

void kept() {
  std::vector<int*> pushed;
  pushed.push_back(ballast::mesi::open(e));
  std::vector<int*> made(1, ballast::mesi::open(e));
  view seen(ballast::mesi::open(e));
  std::shared_ptr<int> shared(ballast::mesi::open(e), [](int*) {});
  keep(e.update());
  int *given, *other = nullptr, *referred;
  give(given);
  int*& reference = referred;
  reference = ballast::mesi::open(e);
  std::exchange(other, ballast::mesi::open(e));
  int* const summed = behind(0);
  ballast::mesi::launch<more_53>(ballast::mesi::threads(16), e.address());
  CHECK(pushed[0][3] == 1 && made[0][3] == 1 && seen.get(3) == 1 && *shared == 1 && saved[3] == 1);
  CHECK(given[3] == 1 && other[3] == 1 && referred[3] == 1 && summed[3] == 1);
}

static_assert(std::extent_v<decltype(a.declared)> == 16 && std::is_same_v<decltype(d.declared[0].x), int>);

void parts() {
  const int list[] = {a.read()[0], a.read()[1]};  // copies, and no address is kept
  CHECK(list[0] == 0 && list[1] == 0);
  int* const in_values = b.update()[3].data();
  int &of_values = b.update()[3].second(), &found = second_of(b.update()), &in_array = c.update()[3][1];
  auto const begin = c.update()[3].begin();
  auto& [x, y] = ballast::mesi::open(d)[3];
  ballast::mesi::launch<more_values_67>(ballast::mesi::threads(16), b.address());
  ballast::mesi::launch<more_arrays_68>(ballast::mesi::threads(16), c.address());
  ballast::mesi::launch<more_pairs_69>(ballast::mesi::threads(16), d.address());
  CHECK(ballast::mesi::host(in_values)[1] == 1 && ballast::mesi::host(of_values) == 1 && ballast::mesi::host(found) == 1 && ballast::mesi::host(in_array) == 1 && ballast::mesi::host(begin)[1] == 1 && x == 1 && y == 0);
  x = 50;
  ballast::mesi::launch<more_pairs_72>(ballast::mesi::threads(16), d.address());
  CHECK(d.read()[3].x == 51);
  z.update()[2] = std::complex<float>(1, 2);
  z.update()[2] += z.read()[1];
  d.update()[4] = d.read()[3];
  CHECK(z.read()[2].imag() == 2 && d.read()[4].x == 51);
}

struct stepper { void operator()(int) const { step(); } };
struct guard { ~guard() { step(); } };
struct maker { maker() { step(); } };
struct initialised { int x = step(); };
struct listed { int x; listed() : x(step()) {} };
int with_default(int x = step()) { return x; }
void by_function(std::function<void(int)> f) {
  int* p = a.address();
  const std::vector<int> three(3);
  std::for_each(three.begin(), three.end(), f);
  CHECK(ballast::mesi::host(p)[2] == launched);
}

void hidden_launches() {
  const std::vector<int> three(3);
  { int* p = a.address(); std::for_each(three.begin(), three.end(), stepper()); CHECK(ballast::mesi::host(p)[2] == launched); }
  { int* p = a.address(); { guard g; } CHECK(ballast::mesi::host(p)[2] == launched); }
  { int* p = a.address(); auto m = std::make_unique<maker>(); CHECK(ballast::mesi::host(p)[2] == launched); }
  { int* p = a.address(); std::vector<maker> m(3); CHECK(ballast::mesi::host(p)[2] == launched); }
  { int* p = a.address(); initialised m; CHECK(ballast::mesi::host(p)[2] == launched && m.x == launched); }
  { int* p = a.address(); listed m; CHECK(ballast::mesi::host(p)[2] == launched && m.x == launched); }
  { int* p = a.address(); with_default(); CHECK(ballast::mesi::host(p)[2] == launched); }
  by_function([](int) { step(); });
  CHECK(stepped(a.address()) == launched);
  step();
  CHECK(holds(3, launched));
  auto const generic = [](auto* p) { step_by(ballast::mesi::open(p)); return ballast::mesi::open(p)[3]; };
  CHECK(generic(a.address()) == launched);
}

void meanwhile() {
  int seen = 0;
  for (int v : ballast::mesi::open(a)) { CHECK(v == launched); step(); ++seen; }
  CHECK(ballast::mesi::open(a)[step() * 0] == launched);
  ballast::mesi::open(a)[step() * 0 + 1] = 0;
  CHECK(a.read()[1] == 0 && a.read()[2] == launched && seen == 16);
  std::function<int(int*)> const third = [](int* p) { step(); return p[3]; };
  CHECK(third(ballast::mesi::open(a)) == launched);
}

int main() {
  kept();
  parts();
  hidden_launches();
  meanwhile();
  std::printf("%d failures\n", failures);
  return failures;
}

BALLAST_MESI_KERNELS(more_28, more_29, more_53, more_values_67, more_arrays_68, more_pairs_69, more_pairs_72)
