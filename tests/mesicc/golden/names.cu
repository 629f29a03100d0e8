#include <ballast/mesi/mesi.cuh>
#line 1 "names.mcu"
// One name for several things: what kernels use has to be what C++ says. Each step checks itself.
#include <cstdio>
constexpr int n = 50;
ballast::mesi::variable<int[n]> a{"a"}, out{"out"}; ballast::mesi::variable<int> s{"s"}; ballast::mesi::variable<int[n]> F{"F"}; ballast::mesi::variable<int> name{"name"};
namespace space {
constexpr int n = 20;
struct pair { int a, b; };
ballast::mesi::variable<int[n]> a{"a"};
ballast::mesi::variable<pair[n]> pairs{"pairs"};
BALLAST_HD void own(ballast::mesi::thread_id lThreadId, int (&shared_space_a)[20], space::pair (&pairs)[20], int* y) { y[lThreadId.x] = shared_space_a[lThreadId.x] + pairs[lThreadId.x].b; }
#line 1 "names.mcu, launch in line 16"
namespace {
struct own_16 {
  int (*shared_space_a)[20];
  space::pair (*pairs)[20];
  int *y;
  static constexpr char name[] = "own";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    own(lThreadId, *shared_space_a, *pairs, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_space_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(pairs, "pairs", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here, auto shared_space_a_here, auto pairs_here) {
    y = ballast::mesi::biased(y, y_here);
    shared_space_a = ballast::mesi::biased(shared_space_a, shared_space_a_here);
    pairs = ballast::mesi::biased(pairs, pairs_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_space_a); f(pairs); }
};
}  // namespace
#line 1 "names.mcu, launch in line 97"
namespace {
struct own_97 {
  int (*shared_space_a)[20];
  space::pair (*pairs)[20];
  int *y;
  static constexpr char name[] = "own";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    own(lThreadId, *shared_space_a, *pairs, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_space_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(pairs, "pairs", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here, auto shared_space_a_here, auto pairs_here) {
    y = ballast::mesi::biased(y, y_here);
    shared_space_a = ballast::mesi::biased(shared_space_a, shared_space_a_here);
    pairs = ballast::mesi::biased(pairs, pairs_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_space_a); f(pairs); }
};
}  // namespace
#line 11 "names.mcu"
namespace { ballast::mesi::variable<int[n]> hidden{"hidden"}; }
}
namespace other { ballast::mesi::variable<int[n]> a{"a"};
inline namespace deep { ballast::mesi::variable<int[::n]> within{"within"}; BALLAST_HD void inner(ballast::mesi::thread_id lThreadId, int (&within)[50], int* y) { y[lThreadId.x] = within[lThreadId.x]; }
#line 1 "names.mcu, launch in line 101"
namespace {
struct inner_101 {
  int (*within)[50];
  int *y;
  static constexpr char name[] = "inner";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    inner(lThreadId, *within, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(within, "within", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here, auto within_here) {
    y = ballast::mesi::biased(y, y_here);
    within = ballast::mesi::biased(within, within_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(within); }
};
}  // namespace
#line 14 "names.mcu"
 } }
namespace user { namespace space { constexpr int nothing = 0; }
void run_own(int* y) { ballast::mesi::launch<::space::own_16>(ballast::mesi::threads(20), &::space::a.address(), &::space::pairs.address(), y); } }
int failures = 0;
#define CHECK(condition) do { if (!(condition)) ++failures, std::printf("line %d: %s\n", __LINE__, #condition); } while (0)

BALLAST_HD int of_a(int (&shared_a)[50], int i) { return shared_a[i]; }
BALLAST_HD int of_thread(ballast::mesi::thread_id lThreadId) { return lThreadId.x; }
BALLAST_HD int with_default(ballast::mesi::thread_id lThreadId, int by = 3) { return lThreadId.x * by; }
BALLAST_HD void with_local(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int* y) {
  for (int r = 0; r < 1; ++r) {
    int a[4] = {1000, 1000, 1000, 1000};
    y[lThreadId.x] = of_a(shared_a, lThreadId.x) + a[lThreadId.x % 4];
  }
}
#line 1 "names.mcu, launch in line 105"
namespace {
struct with_local_105 {
  int (*shared_a)[50];
  int *y;
  static constexpr char name[] = "with_local";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    with_local(lThreadId, *shared_a, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here, auto shared_a_here) {
    y = ballast::mesi::biased(y, y_here);
    shared_a = ballast::mesi::biased(shared_a, shared_a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_a); }
};
}  // namespace
#line 29 "names.mcu"
BALLAST_HD void outer_and_inner(ballast::mesi::thread_id lThreadId, int &shared_s, int* y) { if (lThreadId.x >= 0) { int s = 5; y[lThreadId.x] = shared_s + s; } }
#line 1 "names.mcu, launch in line 108"
namespace {
struct outer_and_inner_108 {
  int *shared_s;
  int *y;
  static constexpr char name[] = "outer_and_inner";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    outer_and_inner(lThreadId, *shared_s, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads_all(shared_s, "s"));
  }
  void bind(auto y_here, auto shared_s_here) {
    y = ballast::mesi::biased(y, y_here);
    shared_s = ballast::mesi::biased(shared_s, shared_s_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_s); }
};
}  // namespace
#line 30 "names.mcu"
BALLAST_HD void parameter_hides(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int* a) { a[lThreadId.x] = of_a(shared_a, lThreadId.x) + 1; }
#line 1 "names.mcu, launch in line 110"
namespace {
struct parameter_hides_110 {
  int (*shared_a)[50];
  int *a;
  static constexpr char name[] = "parameter_hides";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict a = this->a;
    parameter_hides(lThreadId, *shared_a, a);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto a_here, auto shared_a_here) {
    a = ballast::mesi::biased(a, a_here);
    shared_a = ballast::mesi::biased(shared_a, shared_a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); f(shared_a); }
};
}  // namespace
#line 31 "names.mcu"
BALLAST_HD void both(ballast::mesi::thread_id lThreadId, int (&shared_other_a)[50], int (&shared_space_a)[20], int* y) { y[lThreadId.x] = shared_space_a[lThreadId.x] + shared_other_a[lThreadId.x] * 100; }
#line 1 "names.mcu, launch in line 112"
namespace {
struct both_112 {
  int (*shared_other_a)[50];
  int (*shared_space_a)[20];
  int *y;
  static constexpr char name[] = "both";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    both(lThreadId, *shared_other_a, *shared_space_a, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_space_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_other_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here, auto shared_space_a_here, auto shared_other_a_here) {
    y = ballast::mesi::biased(y, y_here);
    shared_space_a = ballast::mesi::biased(shared_space_a, shared_space_a_here);
    shared_other_a = ballast::mesi::biased(shared_other_a, shared_other_a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_space_a); f(shared_other_a); }
};
}  // namespace
#line 32 "names.mcu"
BALLAST_HD void nameless(ballast::mesi::thread_id lThreadId, int (&hidden)[20], int* y) { y[lThreadId.x] = hidden[lThreadId.x]; }
#line 1 "names.mcu, launch in line 114"
namespace {
struct nameless_114 {
  int (*hidden)[20];
  int *y;
  static constexpr char name[] = "nameless";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    nameless(lThreadId, *hidden, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(hidden, "hidden", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here, auto hidden_here) {
    y = ballast::mesi::biased(y, y_here);
    hidden = ballast::mesi::biased(hidden, hidden_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(hidden); }
};
}  // namespace
#line 33 "names.mcu"
BALLAST_HD void of_struct(ballast::mesi::thread_id lThreadId, int (&F)[50], int &name, int* y) { y[lThreadId.x] = F[lThreadId.x] + name + of_thread(lThreadId) + with_default(lThreadId); }
#line 1 "names.mcu, launch in line 116"
namespace {
struct of_struct_116 {
  int (*F_)[50];
  int *name_;
  int *y;
  static constexpr char name[] = "of_struct";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    of_struct(lThreadId, *F_, *name_, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(F_, "F", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads_all(name_, "name"));
  }
  void bind(auto y_here, auto F__here, auto name__here) {
    y = ballast::mesi::biased(y, y_here);
    F_ = ballast::mesi::biased(F_, F__here);
    name_ = ballast::mesi::biased(name_, name__here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(F_); f(name_); }
};
}  // namespace
#line 34 "names.mcu"
#define A_OF(i) shared_a[i]
#define CALL(i) of_a(shared_a, i)
BALLAST_HD void by_macro(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int* y) { y[lThreadId.x] = A_OF(lThreadId.x) + CALL(lThreadId.x); }
#line 1 "names.mcu, launch in line 118"
namespace {
struct by_macro_118 {
  int (*shared_a)[50];
  int *y;
  static constexpr char name[] = "by_macro";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    by_macro(lThreadId, *shared_a, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here, auto shared_a_here) {
    y = ballast::mesi::biased(y, y_here);
    shared_a = ballast::mesi::biased(shared_a, shared_a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_a); }
};
}  // namespace
#line 37 "names.mcu"

BALLAST_HD void constants(ballast::mesi::thread_id lThreadId, int* const y, const int by) { y[lThreadId.x] = by; }
#line 1 "names.mcu, launch in line 120"
namespace {
struct constants_120 {
  int *y;
  int by;
  static constexpr char name[] = "constants";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    constants(lThreadId, y, by);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 1 "names.mcu, launch in line 133"
namespace {
struct constants_133 {
  int *y;
  int by;
  static constexpr char name[] = "constants";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    constants(lThreadId, y, by);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 1 "names.mcu, launch in line 133"
namespace {
struct constants_133_2 {
  int *y;
  int by;
  static constexpr char name[] = "constants";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    constants(lThreadId, y, by);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 1 "names.mcu, launch in line 133"
namespace {
struct constants_133_3 {
  int *y;
  int by;
  static constexpr char name[] = "constants";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    constants(lThreadId, y, by);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part) { return ballast::mesi::ranges{{0, 1}}; }));
  }
  void bind(auto y_here) {
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); }
};
}  // namespace
#line 39 "names.mcu"
BALLAST_HD void k1(ballast::mesi::thread_id lThreadId, int* name, int form) { if (lThreadId.x < form) name[lThreadId.x] = form; }
#line 1 "names.mcu, launch in line 122"
namespace {
struct k1_122 {
  int *name_;
  int form_;
  static constexpr char name[] = "k1";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict name_ = this->name_;
    k1(lThreadId, name_, form_);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    std::int64_t const form_ = of.bound(this->form_, "form");
    return std::tuple(of.writes(name_, "name", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, std::min<std::int64_t>(form_, part.end)}}; }));
  }
  void bind(auto name__here) {
    name_ = ballast::mesi::biased(name_, name__here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(name_); }
};
}  // namespace
#line 40 "names.mcu"
BALLAST_HD void k2(ballast::mesi::thread_id lThreadId, int* of, int part) { if (lThreadId.x < part) of[lThreadId.x] = 2; }
#line 1 "names.mcu, launch in line 122"
namespace {
struct k2_122 {
  int *of_;
  int part_;
  static constexpr char name[] = "k2";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict of_ = this->of_;
    k2(lThreadId, of_, part_);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    std::int64_t const part_ = of.bound(this->part_, "part");
    return std::tuple(of.writes(of_, "of", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, std::min<std::int64_t>(part_, part.end)}}; }));
  }
  void bind(auto of__here) {
    of_ = ballast::mesi::biased(of_, of__here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(of_); }
};
}  // namespace
#line 41 "names.mcu"
BALLAST_HD void k3(ballast::mesi::thread_id lThreadId, int* f, int* uses) { f[lThreadId.x] = uses[lThreadId.x]; }
#line 1 "names.mcu, launch in line 124"
namespace {
struct k3_124 {
  int *f_;
  int *uses_;
  static constexpr char name[] = "k3";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict f_ = this->f_;
    int *__restrict uses_ = this->uses_;
    k3(lThreadId, f_, uses_);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(f_, "f", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(uses_, "uses", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto f__here, auto uses__here) {
    f_ = ballast::mesi::biased(f_, f__here);
    uses_ = ballast::mesi::biased(uses_, uses__here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(f_); f(uses_); }
};
}  // namespace
#line 42 "names.mcu"
BALLAST_HD void k4(ballast::mesi::thread_id lThreadId, int* part, int bind) { part[lThreadId.x + 0] = bind; }
#line 1 "names.mcu, launch in line 124"
namespace {
struct k4_124 {
  int *part_;
  int bind_;
  static constexpr char name[] = "k4";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict part_ = this->part_;
    k4(lThreadId, part_, bind_);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(part_, "part", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto part__here) {
    part_ = ballast::mesi::biased(part_, part__here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(part_); }
};
}  // namespace
#line 43 "names.mcu"
BALLAST_HD void k5(ballast::mesi::thread_id lThreadId, int* a_here, int* a, int threads_x) { if (lThreadId.x < threads_x) a_here[lThreadId.x] = a[lThreadId.x]; }
#line 1 "names.mcu, launch in line 126"
namespace {
struct k5_126 {
  int *a_here_;
  int *a;
  int threads_x_;
  static constexpr char name[] = "k5";
  static constexpr ballast::mesi::launch_form form{256, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict a_here_ = this->a_here_;
    int *__restrict a = this->a;
    k5(lThreadId, a_here_, a, threads_x_);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(a_here_, "a_here", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, std::min<std::int64_t>(50, part.end)}}; }));
  }
  void bind(auto a_here__here, auto a_here) {
    a_here_ = ballast::mesi::biased(a_here_, a_here__here);
    a = ballast::mesi::biased(a, a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a_here_); f(a); }
};
}  // namespace
#line 44 "names.mcu"
BALLAST_HD void k6(ballast::mesi::thread_id lThreadId, int* k6, space::pair pair, int) { k6[lThreadId.x] = pair.a + pair.b; }
#line 1 "names.mcu, launch in line 128"
namespace {
struct k6_128 {
  int *k6_;
  space::pair pair_;
  int unnamed_2;
  static constexpr char name[] = "k6";
  static constexpr ballast::mesi::launch_form form{256, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict k6_ = this->k6_;
    k6(lThreadId, k6_, pair_, unnamed_2);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(k6_, "k6", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto k6__here) {
    k6_ = ballast::mesi::biased(k6_, k6__here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(k6_); }
};
}  // namespace
#line 45 "names.mcu"

extern "C" {
ballast::mesi::variable<int[n]> of_c{"of_c"};
BALLAST_HD void in_c(ballast::mesi::thread_id lThreadId, int (&of_c)[50], int* y) { y[lThreadId.x] = of_c[lThreadId.x] + 1; }
#line 1 "names.mcu, launch in line 138"
extern "C++" {
namespace {
struct in_c_138 {
  int (*of_c)[50];
  int *y;
  static constexpr char name[] = "in_c";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    in_c(lThreadId, *of_c, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(of_c, "of_c", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto y_here, auto of_c_here) {
    y = ballast::mesi::biased(y, y_here);
    of_c = ballast::mesi::biased(of_c, of_c_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(of_c); }
};
}  // namespace
}
#line 49 "names.mcu"
}
namespace far { extern ballast::mesi::variable<int[2][n]> away; BALLAST_HD void defined_later(ballast::mesi::thread_id lThreadId, int (&away)[2][50], int* y); }
ballast::mesi::variable<int[2][n]> far::away{"away"};
BALLAST_HD void far::defined_later(ballast::mesi::thread_id lThreadId, int (&away)[2][50], int* y) { y[lThreadId.x] = away[1][lThreadId.x]; }
#line 1 "names.mcu, launch in line 140"
namespace {
struct defined_later_140 {
  int (*away)[2][50];
  int *y;
  static constexpr char name[] = "defined_later";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    ::far::defined_later(lThreadId, *away, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(away, "away", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin + 50, part.end + 50}}; }));
  }
  void bind(auto y_here, auto away_here) {
    y = ballast::mesi::biased(y, y_here);
    away = ballast::mesi::biased(away, away_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(away); }
};
}  // namespace
#line 53 "names.mcu"
#define GETTER(name, array) BALLAST_HD inline int name(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int i) { return array[i] + lThreadId.x; }
#define BOTH  BALLAST_HD
#define ON_DEVICE BALLAST_HD inline
#define TWICE(x) (of_macro(lThreadId, shared_a, x) + of_macro(lThreadId, shared_a, x))
GETTER(of_macro, shared_a)
BOTH int plain(int i) { return i + 1; }
 int of_host(int i) { return plain(i); }
ON_DEVICE int of_macros(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int i) { return TWICE(i) + plain(i); }
BALLAST_HD void marked(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int* y) { y[lThreadId.x] = of_macros(lThreadId, shared_a, lThreadId.x) + TWICE(0); }
#line 1 "names.mcu, launch in line 142"
namespace {
struct marked_142 {
  int (*shared_a)[50];
  int *y;
  static constexpr char name[] = "marked";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    marked(lThreadId, *shared_a, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}, {0, 1}}; }));
  }
  void bind(auto y_here, auto shared_a_here) {
    y = ballast::mesi::biased(y, y_here);
    shared_a = ballast::mesi::biased(shared_a, shared_a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_a); }
};
}  // namespace
#line 62 "names.mcu"

struct adder { int v; BALLAST_HD int get(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int i) const { return v + shared_a[i] + lThreadId.x; } };
template <class T> struct box { T v; BALLAST_HD T plus(int (&shared_a)[50], int i) const { return v + shared_a[i]; } static BALLAST_HD T both(ballast::mesi::thread_id lThreadId, int i) { return i + lThreadId.x; } };
BALLAST_HD int over(int (&shared_a)[50], int i) { return shared_a[i]; }
BALLAST_HD float over(int (&F)[50], float f) { return f + F[0]; }
BALLAST_HD int pick(int (&F)[50], int (&shared_a)[50], int i);
BALLAST_HD void methods(ballast::mesi::thread_id lThreadId, int (&F)[50], int (&shared_a)[50], int* y) {
  adder v{3};
  box<int> c{4};
  y[lThreadId.x] = v.get(lThreadId, shared_a, lThreadId.x) + c.plus(shared_a, lThreadId.x) + box<int>::both(lThreadId, lThreadId.x) + int(over(F, 2.f)) + pick(F, shared_a, lThreadId.x);
}
#line 1 "names.mcu, launch in line 144"
namespace {
struct methods_144 {
  int (*F_)[50];
  int (*shared_a)[50];
  int *y;
  static constexpr char name[] = "methods";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    methods(lThreadId, *F_, *shared_a, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(F_, "F", [=](ballast::mesi::part) { return ballast::mesi::ranges{{0, 1}}; }));
  }
  void bind(auto y_here, auto shared_a_here, auto F__here) {
    y = ballast::mesi::biased(y, y_here);
    shared_a = ballast::mesi::biased(shared_a, shared_a_here);
    F_ = ballast::mesi::biased(F_, F__here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_a); f(F_); }
};
}  // namespace
#line 73 "names.mcu"
BALLAST_HD int pick(int (&F)[50], int (&shared_a)[50], int i) { return over(shared_a, i) + F[0]; }

struct numbers { static const int four = 4; int three : 3; unsigned flag : 1; };

template <class T> BALLAST_HD T third(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], T i) { return of_a(shared_a, i) + lThreadId.x; }
template <class T> BALLAST_HD T fourth(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], T i) { return third(lThreadId, shared_a, i) + shared_a[i]; }
template <class... T> BALLAST_HD int sum(ballast::mesi::thread_id lThreadId, T... all) { return (0 + ... + int(all)) + of_thread(lThreadId); }
template <class T> struct outer { template <class U> static BALLAST_HD T in(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], U i) { return shared_a[i] + T(lThreadId.x); } };
template <class F> BALLAST_HD int twice(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int i) { return F::in(lThreadId, shared_a, i) + F::in(lThreadId, shared_a, long(i)); }
BALLAST_HD auto generic(int (&shared_a)[50], auto i) { return shared_a[i]; }
BALLAST_HD void more_templates(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int* y) { y[lThreadId.x] = twice<outer<int>>(lThreadId, shared_a, lThreadId.x) + generic(shared_a, 2) + generic(shared_a, 3L) + outer<int>::in<long>(lThreadId, shared_a, 1); }
#line 1 "names.mcu, launch in line 135"
namespace {
struct more_templates_135 {
  int (*shared_a)[50];
  int *y;
  static constexpr char name[] = "more_templates";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    more_templates(lThreadId, *shared_a, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}, {1, 4}}; }));
  }
  void bind(auto y_here, auto shared_a_here) {
    y = ballast::mesi::biased(y, y_here);
    shared_a = ballast::mesi::biased(shared_a, shared_a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_a); }
};
}  // namespace
#line 84 "names.mcu"
BALLAST_HD void templates(ballast::mesi::thread_id lThreadId, int (&shared_a)[50], int* y) { y[lThreadId.x] = fourth<long>(lThreadId, shared_a, lThreadId.x) + third(lThreadId, shared_a, 0) + sum(lThreadId) + sum(lThreadId, 1, 2u); }
#line 1 "names.mcu, launch in line 130"
namespace {
struct templates_130 {
  int (*shared_a)[50];
  int *y;
  static constexpr char name[] = "templates";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict y = this->y;
    templates(lThreadId, *shared_a, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}, {0, 1}}; }));
  }
  void bind(auto y_here, auto shared_a_here) {
    y = ballast::mesi::biased(y, y_here);
    shared_a = ballast::mesi::biased(shared_a, shared_a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(y); f(shared_a); }
};
}  // namespace
#line 85 "names.mcu"

bool all(int (*expected)(int)) {
  for (int i = 0; i < 20; ++i)
    if (out.read()[i] != expected(i)) return std::printf("%d: %d\n", i, out.read()[i]), false;
  return true;
}

int main(int count, char**) {
  for (int i = 0; i < n; ++i) a.update()[i] = i, other::a.update()[i] = i + 1, other::within.update()[i] = 7 * i, F.update()[i] = 1;
  for (int i = 0; i < space::n; ++i) space::a.update()[i] = 3 * i, space::pairs.update()[i] = {1, i}, space::hidden.update()[i] = 9 + i;
  s.update() = 100, name.update() = 4;
  int const size = 19 + count;
  ballast::mesi::launch<::space::own_97>(ballast::mesi::threads(20), &::space::a.address(), &::space::pairs.address(), out.address());
  CHECK(all([](int i) { return 4 * i; }));
  out.update()[3] = 0, user::run_own(out.address());
  CHECK(all([](int i) { return 4 * i; }));
  ballast::mesi::launch<::other::deep::inner_101>(ballast::mesi::threads(n), &::other::deep::within.address(), out.address());
  CHECK(all([](int i) { return 7 * i; }));
  {
    int a = 3, space = 4;
    ballast::mesi::launch<with_local_105>(ballast::mesi::threads(n), &::a.address(), out.address());
    CHECK(a + space == 7 && all([](int i) { return 1000 + i; }));
  }
  ballast::mesi::launch<outer_and_inner_108>(ballast::mesi::threads(n), &::s.address(), out.address());
  CHECK(all([](int) { return 105; }));
  ballast::mesi::launch<parameter_hides_110>(ballast::mesi::threads(n), &::a.address(), out.address());
  CHECK(all([](int i) { return i + 1; }));
  ballast::mesi::launch<both_112>(ballast::mesi::threads(20), &::other::a.address(), &::space::a.address(), out.address());
  CHECK(all([](int i) { return 103 * i + 100; }));
  ballast::mesi::launch<nameless_114>(ballast::mesi::threads(20), &::space::hidden.address(), out.address());
  CHECK(all([](int i) { return 9 + i; }));
  ballast::mesi::launch<of_struct_116>(ballast::mesi::threads(n), &::F.address(), &::name.address(), out.address());
  CHECK(all([](int i) { return 5 + 4 * i; }));
  ballast::mesi::launch<by_macro_118>(ballast::mesi::threads(n), &::a.address(), out.address());
  CHECK(all([](int i) { return 2 * i; }));
  ballast::mesi::launch<constants_120>(ballast::mesi::threads(n), out.address(), 8);
  CHECK(all([](int) { return 8; }));
  ballast::mesi::launch<k1_122>(ballast::mesi::threads(n), out.address(), size), ballast::mesi::launch<k2_122>(ballast::mesi::threads(10), out.address(), size);
  CHECK(all([](int i) { return i < 10 ? 2 : 20; }));
  ballast::mesi::launch<k3_124>(ballast::mesi::threads(n), out.address(), a.address()), ballast::mesi::launch<k4_124>(ballast::mesi::threads(10), out.address(), size);
  CHECK(all([](int i) { return i < 10 ? 20 : i; }));
  ballast::mesi::launch<k5_126>(ballast::mesi::threads(size), out.address(), a.address(), size);
  CHECK(all([](int i) { return i; }));
  ballast::mesi::launch<k6_128>(ballast::mesi::threads(size), out.address(), space::pair{1, 2}, size);
  CHECK(all([](int) { return 3; }));
  ballast::mesi::launch<templates_130>(ballast::mesi::threads(n), &::a.address(), out.address());
  CHECK(all([](int i) { return 3 * i + i + i + i + 3; }));
  numbers const some{3, 1};
  ballast::mesi::launch<constants_133>(ballast::mesi::threads(n), out.address(), +numbers::four), ballast::mesi::launch<constants_133_2>(ballast::mesi::threads(5), out.address(), +(some.three)), ballast::mesi::launch<constants_133_3>(ballast::mesi::threads(1), out.address(), +some.flag);
  CHECK(all([](int i) { return i == 0 ? 1 : i < 5 ? 3 : 4; }));
  ballast::mesi::launch<more_templates_135>(ballast::mesi::threads(n), &::a.address(), out.address());
  CHECK(all([](int i) { return 4 * i + 6 + i; }));
  of_c.update()[4] = 3, far::away.update()[1][5] = 6;
  ballast::mesi::launch<in_c_138>(ballast::mesi::threads(n), &::of_c.address(), out.address());
  CHECK(all([](int i) { return i == 4 ? 4 : 1; }));
  ballast::mesi::launch<defined_later_140>(ballast::mesi::threads(n), &::far::away.address(), out.address());
  CHECK(all([](int i) { return i == 5 ? 6 : 0; }));
  ballast::mesi::launch<marked_142>(ballast::mesi::threads(n), &::a.address(), out.address());
  CHECK(all([](int i) { return 7 * i + of_host(0); }));
  ballast::mesi::launch<methods_144>(ballast::mesi::threads(n), &::F.address(), &::a.address(), out.address());
  CHECK(all([](int i) { return 3 + 2 * i + 4 + i + 2 * i + 3 + i + 1; }));
  std::printf("%d failures\n", failures);
  return failures != 0;
}

BALLAST_MESI_KERNELS(::space::own_16, ::space::own_97, ::other::deep::inner_101, with_local_105, outer_and_inner_108, parameter_hides_110, both_112, nameless_114, of_struct_116, by_macro_118, constants_120, k1_122, k2_122, k3_124, k4_124, k5_126, k6_128, templates_130, constants_133, constants_133_2, constants_133_3, more_templates_135, in_c_138, defined_later_140, marked_142, methods_144)
