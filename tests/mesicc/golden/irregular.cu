#include <ballast/mesi/mesi.cuh>
#line 1 "irregular.mcu"
// What memory or arguments decide: as irregular_kernels.cpp beside it says in its own words.
#include "kernels.h"

/// Whole numbers from 0 to below `bound`.
template <class Array>
void fill_below(Array& array, int bound) {
  auto* const elements = reinterpret_cast<int*>(&array);
  for (std::size_t i = 0; i < sizeof(Array) / sizeof(int); ++i) elements[i] = int(i * 31 % bound);
}

namespace of_ep {
ballast::mesi::variable<double[ROWS]> sx{"sx"}, sy{"sy"}; ballast::mesi::variable<double[ROWS][10]> q{"q"};
BALLAST_HD void ep(ballast::mesi::thread_id lThreadId, double* sx, double* sy, double (*q)[10]) {
  int const x = lThreadId.x;
  double a = 0, b = 0, number = x / 64.0;
  for (int l = 0; l < 10; ++l) q[x][l] = 0;
  for (int i = 0; i < 256; ++i) {
    number = number * 5 + 3;
    number -= 8 * int(number / 8);
    a += number, b -= number;
    int const bin = int(number);
    if (number < 7.5) q[x][bin] += 1;
  }
  sx[x] = a, sy[x] = b;
}
#line 1 "irregular.mcu, launch in line 27"
namespace {
struct ep_27 {
  double *sx;
  double *sy;
  double (*q)[10];
  static constexpr char name[] = "ep";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    double *__restrict sx = this->sx;
    double *__restrict sy = this->sy;
    double (*__restrict q)[10] = this->q;
    ep(lThreadId, sx, sy, q);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(sx, "sx", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(sy, "sy", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(q, "q", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{10 * part.begin, 10 * part.end}}; }));
  }
  void bind(auto sx_here, auto sy_here, auto q_here) {
    sx = ballast::mesi::biased(sx, sx_here);
    sy = ballast::mesi::biased(sy, sy_here);
    q = ballast::mesi::biased(q, q_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(sx); f(sy); f(q); }
};
}  // namespace
#line 26 "irregular.mcu"
void run() {
  ballast::mesi::launch<::of_ep::ep_27>(ballast::mesi::threads(ROWS), sx.address(), sy.address(), q.address());
  show_as<double>("ep", sx.read()), show_as<double>("ep", sy.read()), show_as<double>("ep", q.read());
}
}  // namespace of_ep

namespace of_sparse_product {
ballast::mesi::variable<int[ROWS + 1]> begin{"begin"}; ballast::mesi::variable<int[3 * ROWS]> c{"c"};
ballast::mesi::variable<float[3 * ROWS]> v{"v"}; ballast::mesi::variable<float[COLUMNS]> in{"in"}; ballast::mesi::variable<float[ROWS]> out{"out"};
BALLAST_HD void sparse_product(ballast::mesi::thread_id lThreadId, const int* begin, const float* v, const int* c, const float* in, float* out) {
  float sum = 0;
  for (int i = begin[lThreadId.x]; i < begin[lThreadId.x + 1]; ++i) sum += v[i] * in[c[i]];
  out[lThreadId.x] = sum;
}
#line 1 "irregular.mcu, launch in line 43"
namespace {
struct sparse_product_43 {
  const int *begin;
  const float *v;
  const int *c;
  const float *in;
  float *out;
  static constexpr char name[] = "sparse_product";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict begin = this->begin;
    const float *__restrict v = this->v;
    const int *__restrict c = this->c;
    const float *__restrict in = this->in;
    float *__restrict out = this->out;
    sparse_product(lThreadId, begin, v, c, in, out);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(begin, "begin", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end + 1}}; }),
                      of.reads_all(v, "v"),
                      of.reads_all(c, "c"),
                      of.reads_all(in, "in"),
                      of.writes(out, "out", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto begin_here, auto v_here, auto c_here, auto in_here, auto out_here) {
    begin = ballast::mesi::biased(begin, begin_here);
    v = ballast::mesi::biased(v, v_here);
    c = ballast::mesi::biased(c, c_here);
    in = ballast::mesi::biased(in, in_here);
    out = ballast::mesi::biased(out, out_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(begin); f(v); f(c); f(in); f(out); }
};
}  // namespace
#line 40 "irregular.mcu"
void run() {
  fill(v.update()), fill(in.update(), 3), fill_below(c.update(), COLUMNS);
  for (int i = 0; i <= ROWS; ++i) begin.update()[i] = 3 * i - i % 2;
  ballast::mesi::launch<::of_sparse_product::sparse_product_43>(ballast::mesi::threads(ROWS), begin.address(), v.address(), c.address(), in.address(), out.address());
  show("sparse_product", out.read());
}
}  // namespace of_sparse_product

namespace of_gather {
ballast::mesi::variable<int[ROWS][COLUMNS]> from{"from"};
ballast::mesi::variable<float[ROWS * COLUMNS]> s{"s"}; ballast::mesi::variable<float[ROWS][COLUMNS]> d{"d"};
BALLAST_HD void gather(ballast::mesi::thread_id lThreadId, const int (*from)[COLUMNS], const float* s, float (*d)[COLUMNS]) {
  d[lThreadId.y][lThreadId.x] = s[from[lThreadId.y][lThreadId.x]];
}
#line 1 "irregular.mcu, launch in line 56"
namespace {
struct gather_56 {
  const int (*from)[29];
  const float *s;
  float (*d)[29];
  static constexpr char name[] = "gather";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int (*__restrict from)[29] = this->from;
    const float *__restrict s = this->s;
    float (*__restrict d)[29] = this->d;
    gather(lThreadId, from, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(from, "from", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.reads_all(s, "s"),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto from_here, auto s_here, auto d_here) {
    from = ballast::mesi::biased(from, from_here);
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(from); f(s); f(d); }
};
}  // namespace
#line 54 "irregular.mcu"
void run() {
  fill_below(from.update(), ROWS * COLUMNS), fill(s.update());
  ballast::mesi::launch<::of_gather::gather_56>(ballast::mesi::threads(COLUMNS, ROWS), from.address(), s.address(), d.address());
  show("gather", d.read());
}
}  // namespace of_gather

namespace of_gather_in_row {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void gather_in_row(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  double const part = lThreadId.x * 0.5;
  d[lThreadId.y][lThreadId.x] = s[lThreadId.y][int(part)];
}
#line 1 "irregular.mcu, launch in line 69"
namespace {
struct gather_in_row_69 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "gather_in_row";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    gather_in_row(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 67 "irregular.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_gather_in_row::gather_in_row_69>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("gather_in_row", d.read());
}
}  // namespace of_gather_in_row

namespace of_histogram_of_rows {
ballast::mesi::variable<int[ROWS][COLUMNS]> a{"a"}; ballast::mesi::variable<int[ROWS][16]> h{"h"};
BALLAST_HD void histogram_of_rows(ballast::mesi::thread_id lThreadId, const int a[][COLUMNS], int h[][16]) {
  for (int j = 0; j < COLUMNS; ++j) ++h[lThreadId.x][a[lThreadId.x][j]];
}
#line 1 "irregular.mcu, launch in line 81"
namespace {
struct histogram_of_rows_81 {
  const int (*a)[29];
  int (*h)[16];
  static constexpr char name[] = "histogram_of_rows";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int (*__restrict a)[29] = this->a;
    int (*__restrict h)[16] = this->h;
    histogram_of_rows(lThreadId, a, h);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.updates_some(h, "h", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{16 * part.begin, 16 * part.end}}; }));
  }
  void bind(auto a_here, auto h_here) {
    a = ballast::mesi::biased(a, a_here);
    h = ballast::mesi::biased(h, h_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); f(h); }
};
}  // namespace
#line 79 "irregular.mcu"
void run() {
  fill_below(a.update(), 16);
  ballast::mesi::launch<::of_histogram_of_rows::histogram_of_rows_81>(ballast::mesi::threads(ROWS), a.address(), h.address());
  show_as<int>("histogram_of_rows", h.read());
}
}  // namespace of_histogram_of_rows

namespace of_undecided {
ballast::mesi::variable<int[ROWS]> flag{"flag"};
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void undecided(ballast::mesi::thread_id lThreadId, const int* flag, float s[][COLUMNS], float d[][COLUMNS]) {
  int const y = lThreadId.y;
  d[y][lThreadId.x] = s[flag[y] ? y : std::max(y - 1, 0)][lThreadId.x];
}
#line 1 "irregular.mcu, launch in line 95"
namespace {
struct undecided_95 {
  const int *flag;
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "undecided";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict flag = this->flag;
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    undecided(lThreadId, flag, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(flag, "flag", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 29 * part.begin - 29), 29 * part.end}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto flag_here, auto s_here, auto d_here) {
    flag = ballast::mesi::biased(flag, flag_here);
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(flag); f(s); f(d); }
};
}  // namespace
#line 93 "irregular.mcu"
void run() {
  fill_below(flag.update(), 2), fill(s.update());
  ballast::mesi::launch<::of_undecided::undecided_95>(ballast::mesi::threads(COLUMNS, ROWS), flag.address(), s.address(), d.address());
  show("undecided", d.read());
}
}  // namespace of_undecided

namespace of_sometimes {
ballast::mesi::variable<int[ROWS]> flag{"flag"};
ballast::mesi::variable<float[ROWS]> d{"d"};
BALLAST_HD void sometimes(ballast::mesi::thread_id lThreadId, const int* flag, float* d) {
  if (flag[lThreadId.x]) d[lThreadId.x] = 0;
}
#line 1 "irregular.mcu, launch in line 108"
namespace {
struct sometimes_108 {
  const int *flag;
  float *d;
  static constexpr char name[] = "sometimes";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict flag = this->flag;
    float *__restrict d = this->d;
    sometimes(lThreadId, flag, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(flag, "flag", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.updates_some(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto flag_here, auto d_here) {
    flag = ballast::mesi::biased(flag, flag_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(flag); f(d); }
};
}  // namespace
#line 106 "irregular.mcu"
void run() {
  fill_below(flag.update(), 3), fill(d.update());
  ballast::mesi::launch<::of_sometimes::sometimes_108>(ballast::mesi::threads(ROWS), flag.address(), d.address());
  show("sometimes", d.read());
}
}  // namespace of_sometimes

namespace of_sometimes_before {
ballast::mesi::variable<float[ROWS]> d{"d"}, r{"r"};
BALLAST_HD void sometimes_before(ballast::mesi::thread_id lThreadId, float* d, float* r) {
  double const half = lThreadId.x * 0.5;
  if (half > 3) d[lThreadId.x] = 7;
  r[lThreadId.x] = d[lThreadId.x];
  d[lThreadId.x] = 1;
}
#line 1 "irregular.mcu, launch in line 123"
namespace {
struct sometimes_before_123 {
  float *d;
  float *r;
  static constexpr char name[] = "sometimes_before";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float *__restrict d = this->d;
    float *__restrict r = this->r;
    sometimes_before(lThreadId, d, r);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(r, "r", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto d_here, auto r_here) {
    d = ballast::mesi::biased(d, d_here);
    r = ballast::mesi::biased(r, r_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(d); f(r); }
};
}  // namespace
#line 121 "irregular.mcu"
void run() {
  fill(d.update());
  ballast::mesi::launch<::of_sometimes_before::sometimes_before_123>(ballast::mesi::threads(ROWS), d.address(), r.address());
  show("sometimes_before", d.read()), show("sometimes_before", r.read());
}
}  // namespace of_sometimes_before

namespace of_search {
ballast::mesi::variable<int[ROWS][COLUMNS]> a{"a"}; ballast::mesi::variable<int[ROWS]> found{"found"}; ballast::mesi::variable<int[ROWS][COLUMNS]> seen{"seen"};
BALLAST_HD void search(ballast::mesi::thread_id lThreadId, const int a[][COLUMNS], int* found, int seen[][COLUMNS]) {
  found[lThreadId.x] = -1;
  int at = 0;
  for (int j = 0; j < COLUMNS; ++j) {
    at = j;
    if (a[lThreadId.x][j] == 5) break;
    seen[lThreadId.x][j] = 1;
  }
  found[lThreadId.x] = at;
}
#line 1 "irregular.mcu, launch in line 142"
namespace {
struct search_142 {
  const int (*a)[29];
  int *found;
  int (*seen)[29];
  static constexpr char name[] = "search";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int (*__restrict a)[29] = this->a;
    int *__restrict found = this->found;
    int (*__restrict seen)[29] = this->seen;
    search(lThreadId, a, found, seen);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.writes(found, "found", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.updates_some(seen, "seen", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto a_here, auto found_here, auto seen_here) {
    a = ballast::mesi::biased(a, a_here);
    found = ballast::mesi::biased(found, found_here);
    seen = ballast::mesi::biased(seen, seen_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); f(found); f(seen); }
};
}  // namespace
#line 140 "irregular.mcu"
void run() {
  fill_below(a.update(), 37);
  ballast::mesi::launch<::of_search::search_142>(ballast::mesi::threads(ROWS), a.address(), found.address(), seen.address());
  show_as<int>("search", found.read()), show_as<int>("search", seen.read());
}
}  // namespace of_search

namespace of_any_number {
ballast::mesi::variable<float[ROWS]> s{"s"}, d{"d"};
BALLAST_HD void any_number(ballast::mesi::thread_id lThreadId, const float* s, float* d, int n) {
  int const i = lThreadId.x;
  d[i] = s[std::max(i - 1, 0)] + s[std::min(i + 1, n - 1)];
}
#line 1 "irregular.mcu, launch in line 153"
namespace {
struct any_number_153 {
  const float *s;
  float *d;
  int n;
  static constexpr char name[] = "any_number";
  static constexpr ballast::mesi::launch_form form{256, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    any_number(lThreadId, s, d, n);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    std::int64_t const n = of.bound(this->n, "n");
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, part.begin - 1), std::min<std::int64_t>(n, part.end + 1)}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 153 "irregular.mcu"
void launch(const float* from, float* to, int n) { ballast::mesi::launch<::of_any_number::any_number_153>(ballast::mesi::threads(n), from, to, n); }
void run(int n) {
  fill(s.update());
  launch(s.address(), d.address(), n);
  show("any_number", d.read());
}
}  // namespace of_any_number

namespace of_some_of_all {
ballast::mesi::variable<float[ROWS]> s{"s"}, d{"d"};
BALLAST_HD void some_of_all(ballast::mesi::thread_id lThreadId, const float* s, float* d, unsigned n) {
  if (unsigned(lThreadId.x) >= n) return;
  d[lThreadId.x] = s[lThreadId.x];
}
#line 1 "irregular.mcu, launch in line 169"
namespace {
struct some_of_all_169 {
  const float *s;
  float *d;
  unsigned int n;
  static constexpr char name[] = "some_of_all";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const float *__restrict s = this->s;
    float *__restrict d = this->d;
    some_of_all(lThreadId, s, d, n);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    std::int64_t const n = of.bound(this->n, "n");
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, std::min<std::int64_t>(n, part.end)}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, std::min<std::int64_t>(n, part.end)}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 167 "irregular.mcu"
void run(unsigned n) {
  fill(s.update()), fill(d.update(), 2);
  ballast::mesi::launch<::of_some_of_all::some_of_all_169>(ballast::mesi::threads(ROWS), s.address(), d.address(), n);
  show("some_of_all", d.read());
}
}  // namespace of_some_of_all

namespace of_from_an_offset {
ballast::mesi::variable<float[ROWS + 8]> a{"a"}; ballast::mesi::variable<float[ROWS + 2]> d{"d"};
BALLAST_HD void from_an_offset(ballast::mesi::thread_id lThreadId, const float* s, float* d) { d[lThreadId.x + 2] = s[lThreadId.x - 3] + s[lThreadId.x]; }
#line 1 "irregular.mcu, launch in line 179"
namespace {
struct from_an_offset_179 {
  const float *s;
  float *d;
  static constexpr char name[] = "from_an_offset";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const float *__restrict s = this->s;
    float *__restrict d = this->d;
    from_an_offset(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin - 3, part.end}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin + 2, part.end + 2}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 177 "irregular.mcu"
void run() {
  fill(a.update());
  ballast::mesi::launch<::of_from_an_offset::from_an_offset_179>(ballast::mesi::threads(ROWS), a.address() + 8, d.address());
  show("from_an_offset", d.read());
}
}  // namespace of_from_an_offset

namespace of_halves_of_one {
ballast::mesi::variable<float[2 * ROWS][COLUMNS]> a{"a"};
BALLAST_HD void halves_of_one(ballast::mesi::thread_id lThreadId, float low[][COLUMNS], float high[][COLUMNS]) {
  high[lThreadId.y][lThreadId.x] = low[lThreadId.y][lThreadId.x];
}
#line 1 "irregular.mcu, launch in line 191"
namespace {
struct halves_of_one_191 {
  float (*low)[29];
  float (*high)[29];
  static constexpr char name[] = "halves_of_one";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    halves_of_one(lThreadId, low, high);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(low, "low", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.writes(high, "high", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto low_here, auto high_here) {
    low = ballast::mesi::biased(low, low_here);
    high = ballast::mesi::biased(high, high_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(low); f(high); }
};
}  // namespace
#line 189 "irregular.mcu"
void run() {
  fill(a.update());
  ballast::mesi::launch<::of_halves_of_one::halves_of_one_191>(ballast::mesi::threads(COLUMNS, ROWS), a.address(), a.address() + ROWS);
  show("halves_of_one", a.read());
}
}  // namespace of_halves_of_one

namespace of_same_twice {
ballast::mesi::variable<float[ROWS][COLUMNS]> a{"a"};
BALLAST_HD void same_twice(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  d[lThreadId.y][lThreadId.x] = 2 * s[lThreadId.y][lThreadId.x];
}
#line 1 "irregular.mcu, launch in line 203"
namespace {
struct same_twice_203 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "same_twice";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    same_twice(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 201 "irregular.mcu"
void run() {
  fill(a.update());
  ballast::mesi::launch<::of_same_twice::same_twice_203>(ballast::mesi::threads(COLUMNS, ROWS), a.address(), a.address());
  show("same_twice", a.read());
}
}  // namespace of_same_twice

namespace of_written_then_read_elsewhere {
ballast::mesi::variable<float[ROWS]> a{"a"}, sums{"sums"};
BALLAST_HD void written_then_read_elsewhere(ballast::mesi::thread_id lThreadId, const float* in, float* out) {
  out[lThreadId.x] = 3;
  float const now = in[lThreadId.x];
  if (now > 4) return;
}
#line 1 "irregular.mcu, launch in line 217"
namespace {
struct written_then_read_elsewhere_217 {
  const float *in;
  float *out;
  static constexpr char name[] = "written_then_read_elsewhere";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    written_then_read_elsewhere(lThreadId, in, out);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(in, "in", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(out, "out", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto in_here, auto out_here) {
    in = ballast::mesi::biased(in, in_here);
    out = ballast::mesi::biased(out, out_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(in); f(out); }
};
}  // namespace
#line 215 "irregular.mcu"
void run() {
  fill(a.update());
  ballast::mesi::launch<::of_written_then_read_elsewhere::written_then_read_elsewhere_217>(ballast::mesi::threads(ROWS), a.address(), a.address());
  show("written_then_read_elsewhere", a.read());
}
}  // namespace of_written_then_read_elsewhere

namespace of_pointers {
ballast::mesi::variable<float[ROWS + 2][COLUMNS]> a{"a"}, b{"b"};
BALLAST_HD void of_unknown_length(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  d[lThreadId.y][lThreadId.x] = s[lThreadId.y + 1][lThreadId.x];
}
#line 1 "irregular.mcu, launch in line 233"
namespace {
struct of_unknown_length_233 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "of_unknown_length";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    of_unknown_length(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin + 29, 29 * part.end + 29}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 227 "irregular.mcu"
BALLAST_HD void around_a_pointer(ballast::mesi::thread_id lThreadId, const float* s, float* d) { d[lThreadId.x] = s[lThreadId.x - 1] + s[lThreadId.x + 1]; }
#line 1 "irregular.mcu, launch in line 234"
namespace {
struct around_a_pointer_234 {
  const float *s;
  float *d;
  static constexpr char name[] = "around_a_pointer";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    around_a_pointer(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin - 1, part.end + 1}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 228 "irregular.mcu"
BALLAST_HD void gather_around_a_pointer(ballast::mesi::thread_id lThreadId, const float* s, float* d) {
  double const part = lThreadId.x * 0.5;
  d[lThreadId.x] = s[int(part) - 1];
}
#line 1 "irregular.mcu, launch in line 235"
namespace {
struct gather_around_a_pointer_235 {
  const float *s;
  float *d;
  static constexpr char name[] = "gather_around_a_pointer";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    gather_around_a_pointer(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads_all(s, "s"),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 232 "irregular.mcu"
void launch(float (*rows)[COLUMNS], float (*to)[COLUMNS], const float* s, float* d) {
  ballast::mesi::launch<::of_pointers::of_unknown_length_233>(ballast::mesi::threads(COLUMNS, ROWS), rows, to);
  ballast::mesi::launch<::of_pointers::around_a_pointer_234>(ballast::mesi::threads(ROWS), s, d);
  ballast::mesi::launch<::of_pointers::gather_around_a_pointer_235>(ballast::mesi::threads(ROWS), s, d);
}
void run(int n) {
  fill(a.update()), fill(b.update(), 2);
  launch(a.address() + 1, b.address(), a.address()[0] + n, b.address()[1] + n);
  show("of_pointers", a.read()), show("of_pointers", b.read());
  launch(b.address(), a.address(), b.address()[2] + n, a.address()[0]);
  show("of_pointers", a.read()), show("of_pointers", b.read());
}
}  // namespace of_pointers

int main(int n, char**) {
  of_ep::run(), of_sparse_product::run(), of_gather::run(), of_gather_in_row::run();
  of_histogram_of_rows::run(), of_undecided::run(), of_sometimes::run(), of_sometimes_before::run();
  of_search::run(), of_any_number::run(n * ROWS), of_some_of_all::run(n * 20u), of_from_an_offset::run();
  of_halves_of_one::run(), of_same_twice::run(), of_written_then_read_elsewhere::run(), of_pointers::run(n * 5);
}

BALLAST_MESI_KERNELS(::of_ep::ep_27, ::of_sparse_product::sparse_product_43, ::of_gather::gather_56, ::of_gather_in_row::gather_in_row_69, ::of_histogram_of_rows::histogram_of_rows_81, ::of_undecided::undecided_95, ::of_sometimes::sometimes_108, ::of_sometimes_before::sometimes_before_123, ::of_search::search_142, ::of_any_number::any_number_153, ::of_some_of_all::some_of_all_169, ::of_from_an_offset::from_an_offset_179, ::of_halves_of_one::halves_of_one_191, ::of_same_twice::same_twice_203, ::of_written_then_read_elsewhere::written_then_read_elsewhere_217, ::of_pointers::of_unknown_length_233, ::of_pointers::around_a_pointer_234, ::of_pointers::gather_around_a_pointer_235)
