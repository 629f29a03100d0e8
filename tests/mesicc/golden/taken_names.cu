#include <ballast/mesi/mesi.cuh>
#line 1 "taken_names.mcu"
// Names that the C library has too, and that no header included here declares. Each step checks itself.
#include <cstdio>
constexpr int n = 20;
extern ballast::mesi::variable<int[n]> wait_of_program;
BALLAST_HD inline int waited(int i) { return i + n; }
ballast::mesi::variable<int[n]> time_of_program{"time"}, link_of_program{"link"};
ballast::mesi::variable<float> y1_of_program{"y1"};
ballast::mesi::variable<int[n]> wait_of_program{"wait"};
static ballast::mesi::variable<int[n]> pipe_of_program{"pipe"};
namespace { ballast::mesi::variable<int[n]> read_of_program{"read"}; int write_of_program = 3; }
constexpr int gamma_of_program = 5;
int signal_of_program = 7, alarm_of_program;
ballast::mesi::variable<int[5][2]> sized{"sized"}, alike{"alike"}; ballast::mesi::variable<int[4]> rows{"rows"};
static int index_of_program[4] = {4, 3, 2, 1};
enum { nice_of_program, sync_of_program };
enum class step { pause, sleep = 2 };
namespace space { ballast::mesi::variable<int[n]> time{"time"}; constexpr int sleep = 30; }
namespace other { using ::time_of_program; using ::gamma_of_program; }
struct names { int read, gamma; };
int failures = 0;
#define CHECK(condition) do { if (!(condition)) ++failures, std::printf("line %d: %s\n", __LINE__, #condition); } while (0)
#define SUM_OF(what) (what[0] + what[1])
#define SIGNAL signal_of_program

BALLAST_HD int of_pipe(int (&pipe)[20], int i) { return pipe[i] + gamma_of_program; }
template <class T> BALLAST_HD T of_link(int (&link)[20], T i) { return link[i] + gamma_of_program; }
BALLAST_HD void fill(ballast::mesi::thread_id lThreadId, int* time, int by) { time[lThreadId.x] = by * lThreadId.x; }
#line 1 "taken_names.mcu, launch in line 39"
namespace {
struct fill_39 {
  int *time;
  int by;
  static constexpr char name[] = "fill";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict time = this->time;
    fill(lThreadId, time, by);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(time, "time", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto time_here) {
    time = ballast::mesi::biased(time, time_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(time); }
};
}  // namespace
#line 1 "taken_names.mcu, launch in line 40"
namespace {
struct fill_40 {
  int *time;
  int by;
  static constexpr char name[] = "fill";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict time = this->time;
    fill(lThreadId, time, by);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(time, "time", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto time_here) {
    time = ballast::mesi::biased(time, time_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(time); }
};
}  // namespace
#line 1 "taken_names.mcu, launch in line 50"
namespace {
struct fill_50 {
  int *time;
  int by;
  static constexpr char name[] = "fill";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict time = this->time;
    fill(lThreadId, time, by);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(time, "time", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto time_here) {
    time = ballast::mesi::biased(time, time_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(time); }
};
}  // namespace
#line 28 "taken_names.mcu"
BALLAST_HD void named(ballast::mesi::thread_id lThreadId, int (&link)[20], int (&pipe)[20], int (&read)[20], int (&shared_time)[20]) { link[lThreadId.x] = shared_time[lThreadId.x] + read[lThreadId.x] + of_pipe(pipe, lThreadId.x) + sync_of_program; }
#line 1 "taken_names.mcu, launch in line 41"
namespace {
struct named_41 {
  int (*link)[20];
  int (*pipe)[20];
  int (*read)[20];
  int (*shared_time)[20];
  static constexpr char name[] = "named";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    named(lThreadId, *link, *pipe, *read, *shared_time);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(shared_time, "time", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(read, "read", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(pipe, "pipe", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(link, "link", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto shared_time_here, auto read_here, auto pipe_here, auto link_here) {
    shared_time = ballast::mesi::biased(shared_time, shared_time_here);
    read = ballast::mesi::biased(read, read_here);
    pipe = ballast::mesi::biased(pipe, pipe_here);
    link = ballast::mesi::biased(link, link_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(shared_time); f(read); f(pipe); f(link); }
};
}  // namespace
#line 29 "taken_names.mcu"
BALLAST_HD void hidden(ballast::mesi::thread_id lThreadId, int (&link)[20], int (&shared_space_time)[20], int (&shared_time)[20], int* to) {
  int time = 1;
  to[lThreadId.x] = time + shared_time[lThreadId.x] + of_link(link, int(lThreadId.x)) + shared_space_time[lThreadId.x];
}
#line 1 "taken_names.mcu, launch in line 45"
namespace {
struct hidden_45 {
  int (*link)[20];
  int (*shared_space_time)[20];
  int (*shared_time)[20];
  int *to;
  static constexpr char name[] = "hidden";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict to = this->to;
    hidden(lThreadId, *link, *shared_space_time, *shared_time, to);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(to, "to", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_time, "time", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(link, "link", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(shared_space_time, "time", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto to_here, auto shared_time_here, auto link_here, auto shared_space_time_here) {
    to = ballast::mesi::biased(to, to_here);
    shared_time = ballast::mesi::biased(shared_time, shared_time_here);
    link = ballast::mesi::biased(link, link_here);
    shared_space_time = ballast::mesi::biased(shared_space_time, shared_space_time_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(to); f(shared_time); f(link); f(shared_space_time); }
};
}  // namespace
#line 33 "taken_names.mcu"
BALLAST_HD void of_header(ballast::mesi::thread_id lThreadId, int (&wait)[20]) { wait[lThreadId.x] = waited(lThreadId.x); }
#line 1 "taken_names.mcu, launch in line 52"
namespace {
struct of_header_52 {
  int (*wait)[20];
  static constexpr char name[] = "of_header";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    of_header(lThreadId, *wait);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(wait, "wait", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto wait_here) {
    wait = ballast::mesi::biased(wait, wait_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(wait); }
};
}  // namespace
#line 34 "taken_names.mcu"
template <class T> T twice(T i) { return 2 * link_of_program.update()[i] + alarm_of_program; }
int by_value(int link) { return link + index_of_program[3]; }

int main() {
  for (int i = 0; i < n; ++i) read_of_program.update()[i] = i, space::time.update()[i] = 100;
  ballast::mesi::launch<fill_39>(ballast::mesi::threads(n), time_of_program.address(), 2);
  ballast::mesi::launch<fill_40>(ballast::mesi::threads(n), pipe_of_program.address(), gamma_of_program);
  ballast::mesi::launch<named_41>(ballast::mesi::threads(n), &::link_of_program.address(), &::pipe_of_program.address(), &::read_of_program.address(), &::time_of_program.address());
  CHECK(link_of_program.read()[3] == 6 + 3 + 15 + 5 + 1 && SUM_OF(link_of_program.read()) == 6 + 14);
  y1_of_program.update() = 2.5f, alarm_of_program = int(y1_of_program.read());
  CHECK(alarm_of_program == 2 && twice(3) == 62 && y1_of_program.read() > 2);
  ballast::mesi::launch<hidden_45>(ballast::mesi::threads(n), &::link_of_program.address(), &::space::time.address(), &::time_of_program.address(), pipe_of_program.address());
  CHECK(pipe_of_program.read()[3] == 1 + 6 + 35 + 100 && other::time_of_program.read()[3] == 6 && other::gamma_of_program == 5);
  sized.update()[gamma_of_program - 1][1] = 8, alike.update()[0][0] = sizeof(rows.address()) / sizeof(int);
  CHECK(sized.read()[4][1] + alike.read()[0][0] == 12 && sizeof(sized.address()) == 10 * sizeof(int));
  int* p = pipe_of_program.address();
  ballast::mesi::launch<fill_50>(ballast::mesi::threads(n), p, 9);
  CHECK(ballast::mesi::host(p)[2] == 18 && sizeof(time_of_program.address()) == n * sizeof(int));
  ballast::mesi::launch<of_header_52>(ballast::mesi::threads(n), &::wait_of_program.address());
  CHECK(wait_of_program.read()[4] == 4 + n && SIGNAL == 7 && write_of_program == 3 && by_value(8) == 9);
  names const members{1, 2};
  auto const sum = [&] { int time = 4; return time + index_of_program[0] + ::time_of_program.read()[1]; };
  CHECK(members.read + members.gamma == 3 && sum() == 10 && nice_of_program == 0);
  CHECK(int(step::sleep) == 2 && space::sleep == 30);
  for (int& e : time_of_program.update()) e = signal_of_program;
  CHECK(time_of_program.read()[0] == 7);
  std::printf("%d failures\n", failures);
  return failures != 0;
}

BALLAST_MESI_KERNELS(fill_39, fill_40, named_41, hidden_45, fill_50, of_header_52)
