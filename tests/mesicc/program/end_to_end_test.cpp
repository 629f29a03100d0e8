// SPDX-License-Identifier: Apache-2.0
// Programs from the dialect to their results: they check themselves, and have to print the same however they
// are cut.
#include <csignal>
#include <regex>
#include <string_view>
#include <utility>

#include "is_deep_run.hpp"
#include "mesicc_run.hpp"
#include "random_program.hpp"

namespace ballast::mesicc {
namespace {

using testing::HasSubstr;

std::string as_sequential_program(std::string const& program) {
  std::regex const launch(R"(((?:\w|::)+)<<\[([^\]]*)\]>>\()");
  return "#include \"programs/sequential.h\"\n" + std::regex_replace(program, launch, "::launch($1, {$2})(");
}

/// A program in a folder of its own, `name.mcu`, and what it prints on one core.
class built_program {
 public:
  explicit built_program(std::string name) : name_(std::move(name)) {}

  working_folder const& folder() const { return folder_; }
  void build(std::string const& options) {
    auto const made = folder_.run("run " + name_ + ".mcu --keep kept " + options, one_core, 300);
    ASSERT_EQ(made.code, 0) << made.out << made.err;
    expected_ = made.out;
    EXPECT_NE(expected_, "");
  }
  void expect_the_same_of_one_thread_after_the_other() const {
    folder_.add("sequential.cpp", as_sequential_program(folder_.text_of(name_ + ".mcu")));
    auto const line = "cd '" + folder_.path().string() +
                      "' && " CXX " -std=c++20 -O1 -march=native -I" TESTS
                      " -o sequential sequential.cpp 2>err.txt && "
                      "./sequential >out.txt";
    ASSERT_EQ(std::system(line.c_str()), 0) << folder_.text_of("err.txt");
    EXPECT_EQ(folder_.text_of("out.txt"), expected_);
  }
  void expect_the_same_with(std::string const& variables) const {
    auto const line = "cd '" + folder_.path().string() + "' && env BALLAST_DEVICES=host:1,host:1 " +
                      "BALLAST_POLICY=master_worker " + variables + " timeout 120 kept/" + name_ +
                      " >out.txt 2>err.txt";
    int const status = std::system(line.c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0) << variables << folder_.text_of("err.txt");
    EXPECT_EQ(folder_.text_of("out.txt"), expected_) << variables;
  }

 private:
  static constexpr char one_core[] = "env BALLAST_DEVICES=host:1";
  std::string name_;
  working_folder folder_;
  std::string expected_;
};

/// Programs below tests/mesicc.
class program_run : public testing::TestWithParam<char const*> {};

/// The checked run ends with an error where a task touches what is not in its derived ranges.
TEST_P(program_run, prints_on_any_number_of_tasks_what_a_sequential_run_prints) {
  if (!test::is_deep_run() && std::string_view(GetParam()) != "programs/hotspot")
    GTEST_SKIP() << "ballast_test_mesi_programs runs what they become; at length: BALLAST_TEST_DEEP";
  auto const source = std::filesystem::path(TESTS) / (std::string(GetParam()) + ".mcu");
  built_program program(source.stem());
  program.folder().add_sources(source);
  ASSERT_NO_FATAL_FAILURE(program.build("--flag -O1 --flag -Wall --flag -Wextra --flag -Werror"));
  program.expect_the_same_of_one_thread_after_the_other();
  for (auto const* const tasks : {"1", "2", "3", "8", "61"})
    program.expect_the_same_with(std::string("BALLAST_TASKS=") + tasks);
  program.expect_the_same_with("BALLAST_TASKS=7 BALLAST_CHECK_MAPS=1");
}

/// The same programs each time, so that a failure can be seen again; other ones with another first seed.
unsigned long first_seed() {
  auto const* const given = std::getenv("BALLAST_RANDOM_SEED");
  return given == nullptr ? 20161 : std::stoul(given);
}

TEST(random_programs, print_what_a_sequential_run_prints_within_the_derived_ranges) {
  for (int tried = 0; tried < (test::is_deep_run() ? 3 : 1) && !testing::Test::HasFailure(); ++tried) {
    auto const seed = unsigned(first_seed()) + unsigned(tried);
    SCOPED_TRACE("BALLAST_RANDOM_SEED=" + std::to_string(seed));
    built_program program("random");
    program.folder().add("random.mcu", random_program(seed, 40).text());
    ASSERT_NO_FATAL_FAILURE(program.build("--allow-unpartitioned --flag -O1"));
    program.expect_the_same_of_one_thread_after_the_other();
    program.expect_the_same_with("BALLAST_TASKS=7 BALLAST_CHECK_MAPS=1");
  }
}

INSTANTIATE_TEST_SUITE_P(mesicc, program_run,
                         testing::Values("programs/matmul", "programs/hotspot", "programs/steps",
                                         "programs/pointers", "programs/names", "programs/taken_names",
                                         "programs/corners", "programs/addresses", "programs/kept",
                                         "known_kernels/plain", "known_kernels/stencils",
                                         "known_kernels/irregular"));
INSTANTIATE_TEST_SUITE_P(mesicc_long, program_run, testing::Values("programs/ep"));

TEST(mesicc_run, hands_over_arguments_and_returns_the_exit_code_of_the_program) {
  working_folder const folder;
  folder.add("p.mcu",
             "#include <cstdio>\nint main(int n, char** a) { for (int i = 1; i < n; ++i) std::puts(a[i]); "
             "return 40 + n; }\n");
  auto const result = folder.run("run p.mcu -- 'a b' --devices");
  EXPECT_EQ(result.out, "a b\n--devices\n");
  EXPECT_EQ(result.code, 43);
}

TEST(mesicc_run, knows_macros_whose_names_ballasts_headers_use_too) {
  working_folder const folder;
  folder.add("p.mcu",
             "__global__ int a[N];\n__global__ void set(int* to) { to[lThreadId.x] = N; }\n"
             "int main() { set<<[N]>>(a); return a[N - 1]; }\n");
  EXPECT_EQ(folder.run("run p.mcu -D N=71 --flag -O0").code, 71);
}

TEST(mesicc_run, refuses_at_run_time_to_write_beyond_an_array_but_not_what_only_might) {
  working_folder const folder;
  folder.add("p.mcu",
             "#include <cstdio>\n#include <exception>\n#define I lThreadId.x\n__global__ int a[64];\n"
             "__global__ void set(int* x, int n) { if (I < n) x[I] = 5; }\n"
             "__global__ void add(int* x, int n) { if (I < n) x[I] += 5; }\n"
             "__global__ void may(int* x, int n) { if (I < n) { if (I < 64) if (x[I] == 5) x[I] = 6; } }\n"
             "void launch(int n) {\n"
             "  try { set<<[100]>>(a, n); } catch (std::exception const& e) { std::puts(e.what()); }\n"
             "  try { add<<[100]>>(a, n); } catch (std::exception const& e) { std::puts(e.what()); }\n"
             "  may<<[100]>>(a, n);\n  std::printf(\"%d\\n\", a[63]);\n}\n"
             "int main(int n, char**) {\n  for (int more = 63; more < 65; ++more) launch(n + more);\n}\n");
  auto const result = folder.run(quick_run + "p.mcu --devices host:1", "env", 120);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, testing::MatchesRegex("10\n.*x of set is elements 0 to 64 of 'a'.*\n"
                                                ".*x of add is elements 0 to 64 of 'a'.*\n10\n"));
}

TEST(mesicc_run, returns_128_and_the_signal_that_ended_the_program) {
  working_folder const folder;
  folder.add("p.mcu", "#include <csignal>\nint main() { std::raise(SIGTERM); }\n");
  EXPECT_EQ(folder.run("run p.mcu").code, 128 + 15);
}

TEST(mesicc_run, leaves_nothing_behind_but_what_is_kept) {
  working_folder const folder;
  folder.add("p.mcu", "int main() {}\n");
  EXPECT_EQ(folder.run("run p.mcu --keep kept", "env TMPDIR=.").code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "kept/p.cu"));
  for (auto const& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("mesicc-")));
}

TEST(mesicc_run, hands_signals_on_to_the_program_and_leaves_no_folder_behind) {
  working_folder const folder;
  folder.add("p.mcu",
             "#include <csignal>\n#include <unistd.h>\n#include <cstdlib>\n"
             "int main(int, char** words) { kill(getppid(), std::atoi(words[1])); for (;;) pause(); }\n");
  for (int const number : {SIGTERM, SIGHUP, SIGINT})
    EXPECT_EQ(folder.run("run p.mcu -- " + std::to_string(number), "env TMPDIR=.").code, 128 + number);
  for (auto const& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("mesicc-")));
}

TEST(mesicc_run, says_when_the_result_does_not_compile) {
  working_folder const folder;
  folder.add("p.mcu", "int main() {}\n");
  auto const result = folder.run("run p.mcu --flag --no-such-flag");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("mesicc: the translated program does not compile"));
}

TEST(mesicc_run, knows_files_whose_names_hold_quotes_and_ends_of_lines) {
  working_folder const folder;
  folder.add("a\n\t\"b\\n.mcu",
             "#include <cstring>\n__global__ int a[3];\n__global__ void k(int* x) { x[lThreadId.x] = 1; }\n"
             "int main() { k<<[3]>>(a); return std::strcmp(__FILE__, \"a\\n\\t\\\"b\\\\n.mcu\") == 0 ? 7 : "
             "a[0]; }\n");
  auto const result = folder.run(quick_run + "'a\n\t\"b\\n.mcu' --devices host:1", "env", 120);
  EXPECT_EQ(result.code, 7) << result.err;
}

/// Some of the headers are named by their paths, others stand in the result.
working_folder const& with_program_in(std::string const& folder, working_folder const& all) {
  all.add(folder + "/p.mcu",
          "#include <cstring>\n#include \"h.h\"\n#include \"a.h\"\n"
          "int main() { fill<<[size]>>(a); return std::strstr(path(), \"/a.h\") != nullptr ? a[1] + size : "
          "0; }\n");
  all.add(folder + "/h.h", "#pragma once\n#include \"size.h\"\n");
  all.add(folder + "/size.h", "#pragma once\nconstexpr int size = 4;\n");
  all.add(folder + "/a.h",
          "#pragma once\n#include \"h.h\"\n__global__ int a[size];\n"
          "__global__ inline void fill(int* x) { x[lThreadId.x] = size; }\n"
          "inline char const* path() { return __FILE__; }\n");
  return all;
}

TEST(mesicc_run, finds_headers_in_folders_whose_names_hold_quotes_and_backslashes) {
  for (std::string const name : {"a \"quote\"", "back\\slash\\n", "it's >"}) {
    working_folder const all;
    auto const quoted = name == "it's >" ? "\"it's >/p.mcu\"" : "'" + name + "/p.mcu'";
    auto const result = with_program_in(name, all).run(quick_run + quoted + " --devices host:1", "env", 120);
    EXPECT_EQ(result.code, 8) << name << result.err;
  }
}

TEST(mesicc_run, refuses_headers_in_folders_that_no_include_can_name) {
  for (std::string const name : {"an\nend", "\"<both>\""}) {
    working_folder const all;
    auto const result = with_program_in(name, all).run("run '" + name + "/p.mcu'");
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err,
                HasSubstr("/p.mcu:2:1: error: the result cannot include 'h.h', because its folder's name "
                          "holds an end of line, or '\"' and '>'\n"));
  }
}

TEST(mesicc_run, shares_variables_among_files) {
  working_folder const folder;
  folder.add("shared.h",
             "#pragma once\nconstexpr int n = 100;\nextern __global__ int numbers[n];\nint "
             "sum();\n__device__ inline int twice(int x) { return 2 * x; }\n");
  folder.add("a.mcu",
             "#include \"shared.h\"\n__global__ int numbers[n];\n__global__ void fill(int* a) { "
             "a[lThreadId.x] = twice(lThreadId.x); }\n"
             "int main() { fill<<[n]>>(numbers); return sum() == 9900 + 100 ? 0 : 1; }\n");
  folder.add("b.mcu",
             "#include \"shared.h\"\n__global__ void more(int* a) { a[lThreadId.x] += 1; }\n"
             "int sum() { more<<[n]>>(numbers); int s = 0; for (int x : numbers) s += x; return s; }\n");
  auto const result = folder.run(quick_run + "a.mcu b.mcu --devices host:1", "env", 120);
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST(mesicc_run, shares_variables_whose_names_the_c_library_has_among_files) {
  working_folder const folder;
  folder.add("shared.h", "#pragma once\nextern __global__ int time[9];\nextern int pipe;\nint more();\n");
  folder.add(
      "a.mcu",
      "#include \"shared.h\"\n__global__ int time[9];\n__global__ void fill(int* a) { a[lThreadId.x] = 2; }\n"
      "int main() { fill<<[9]>>(time); return more() + time[0] + pipe; }\n");
  folder.add("b.mcu",
             "#include \"shared.h\"\nint pipe = 5;\nextern char** environ;\n__global__ void add() { "
             "time[lThreadId.x] += 1; }\n"
             "int more() { add<<[9]>>(); return environ != nullptr ? 10 * time[8] : 0; }\n");
  auto const result = folder.run(quick_run + "a.mcu b.mcu --devices host:1", "env", 120);
  EXPECT_EQ(result.code, 30 + 3 + 5) << result.err;
}

TEST(mesicc_run, finds_the_headers_that_it_has_analysed) {
  working_folder const folder;
  std::string const main =
      "#include \"k.h\"\n#include \"time.h\"\n#include <ctime>\n__global__ int a[SIZE];\n";
  folder.add("one/k.h", "#define SIZE 8\n");
  folder.add("one/time.h", "#pragma once\nconstexpr int own = 1;\n");
  folder.add("one/k.mcu", main + "int other();\nint main() { return SIZE + other() + own; }\n");
  folder.add("two/k.h", "#define SIZE 16\n");
  folder.add("two/time.h", "#pragma once\n");
  folder.add("two/k.mcu",
             "#define MINE \"k.h\"\n#include MINE\n#include <k2.h>\nint other() { return SIZE + more; }\n");
  folder.add("two/k2.h", "constexpr int more = 100;\n");
  folder.add("three/k2.h", "constexpr int more = 32;\n");
  folder.add("kept/k.h", "#define SIZE 64\n");
  auto const result = folder.run("run one/k.mcu two/k.mcu -I three --keep kept --flag -O0",
                                 "env BALLAST_DEVICES=host:1", 120);
  EXPECT_EQ(result.code, 8 + 16 + 32 + 1) << result.err;
}

TEST(mesicc_run, includes_each_header_where_the_preprocessor_did) {
  working_folder const folder;
  folder.add("shared.h",
             "#pragma once\n#include \"sub/size.h\"\n__global__ int a[n];\n"
             "__global__ inline void set(int* x) { x[lThreadId.x] = once(); }\n"
             "inline const char* text() { return R\"(\n#pragma once\n#include \"shared.h\"\n)\"; }\n");
  folder.add("sub/size.h",
             "#pragma once\n#include \"shared.h\"\nconstexpr int n = 9;\n__device__ inline int once() { "
             "return 3; }\n");
  folder.add("sub/shared.h", "#pragma once\nconstexpr int of_sub = 4;\n");
  folder.add("again.h", "#pragma once\n#include \"shared.h\"\nconstexpr int again = 5;\n");
  folder.add("list.h", "ENTRY(a[1])\n");
  folder.add("p.mcu",
             "#include <cstring>\n/* before */ #include \"shared.h\" // behind\n#include \"shared.h\"\n"
             "#  include \\\n  \"again.h\"\n#include \"sub/shared.h\" /* a comment\n*/\n"
             "int main() {\n  set<<[n]>>(a);\n  int sum = of_sub + again;\n#define ENTRY(x) sum += x;\n"
             "#include \"list.h\"\n#undef ENTRY\n#define ENTRY(x) sum += 1;\n#include \"list.h\"\n"
             "  sum += std::strcmp(text(), \"\\n#pragma once\\n#include \\\"shared.h\\\"\\n\") == 0;\n"
             "  return sum == 14 ? __LINE__ : sum;\n}\n");
  auto const result =
      folder.run(quick_run + "p.mcu --flag -Wall --flag -Werror", "env BALLAST_DEVICES=host:1", 120);
  EXPECT_EQ(result.code, 17) << result.out << result.err;
}

}  // namespace
}  // namespace ballast::mesicc
