// SPDX-License-Identifier: Apache-2.0
// What the user sees of a program that is wrong. Each message by itself is tested beside the part that says
// it.
#include <algorithm>
#include <vector>

#include "mesicc_run.hpp"

namespace ballast::mesicc {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

outcome complaint_about(std::string const& source, std::string const& options = "") {
  working_folder const folder;
  folder.add("p.mcu", source);
  auto const result = folder.run("p.mcu -o p.cu " + options);
  EXPECT_EQ(std::filesystem::exists(folder.path() / "p.cu"), result.code == 0);
  return result;
}

std::string const scatter =
    "__global__ int to[100], index[100];\n"
    "__global__ void scatter(int* x, const int* ix) { x[ix[lThreadId.x]] = 1; }\n"
    "int main() {\n"
    "  scatter<<[100]>>(to, index);\n"
    "}\n";

TEST(mesicc_diagnostics, have_place_line_mark_and_notes) {
  auto const result = complaint_about(scatter);
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(
      result.err,
      StartsWith(
          "p.mcu:2:50: error: cannot partition kernel 'scatter': the index of this write to 'x' is not an "
          "affine function of lThreadId, loop counters and arguments of the launch\n"
          "    2 | __global__ void scatter(int* x, const int* ix) { x[ix[lThreadId.x]] = 1; }\n"
          "      |                                                  ^"));
  EXPECT_THAT(result.err, HasSubstr("p.mcu:2:52: note: it depends on a value that is read from memory\n"));
  EXPECT_THAT(
      result.err,
      HasSubstr("p.mcu:4:3: note: with --allow-unpartitioned this launch runs as one task, on one device\n"
                "    4 |   scatter<<[100]>>(to, index);\n"));
}

TEST(mesicc_diagnostics, are_warnings_where_launches_may_run_on_one_device) {
  auto const result = complaint_about(scatter, "--allow-unpartitioned");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, StartsWith("p.mcu:2:50: warning: cannot partition kernel 'scatter'"));
}

TEST(mesicc_diagnostics, show_launches_as_they_were_written_where_clang_complains) {
  auto const result =
      complaint_about("__global__ float a[4];\n__global__ void k(int* x) {}\nint main() { k<<[4]>>(a); }\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, StartsWith("p.mcu:3:23: error: "));
  EXPECT_THAT(result.err, HasSubstr("    3 | int main() { k<<[4]>>(a); }\n"));
}

TEST(mesicc_diagnostics, name_the_header_that_is_wrong) {
  working_folder const folder;
  folder.add("h.h", "\n__global__ int a = 3;\n");
  folder.add("p.mcu", "#include \"h.h\"\nint main() {}\n");
  EXPECT_THAT(folder.run("p.mcu").err,
              HasSubstr("h.h:2:20: error: the __global__ variable 'a' cannot have an initialiser"));
}

/// Each in a function of a namespace of its own, with variables of its own.
struct warned {
  std::string line;
  int column;
  std::string message;
};

TEST(mesicc_diagnostics, warn_of_each_address_that_escapes) {
  std::vector<warned> const all{
      {"return a;", 8, "address of 'a' is returned"},
      {"kept = a;", 8, "address of 'a' is stored in a variable that is not local"},
      {"b.p = a;", 7, "address of 'a' is stored in a variable that is not local"},
      {"static float* s = a;", 19, "address of 'a' is stored in a variable that is not local"},
      {"box c{a};", 7, "address of 'a' is stored in an object"},
      {"struct with { float* p = a; }; with w; w.p[0] = 1;", 26, "address of 'a' is stored in a member"},
      {"float*& r = kept; r = a;", 23, "address of 'a' is stored through a reference"},
      {"auto& [u, v] = twos[0]; u = 1;", 16, "address of 'twos' is bound to several names"},
      {"std::span<float> s(a);", 20, "address of 'a' may be held by an object"},
      {"auto s = std::ref(a);", 19, "address of 'a' may be held by what the call returns"},
      {"std::vector<float*> v; v.push_back(a);", 36, "address of 'a' may be stored by the call"},
      {"std::thread(fill, a).join();", 19, "address of 'a' is handed to another thread"},
      {"auto n = reinterpret_cast<unsigned long>(&a);", 43, "address of 'a' is turned into a number"},
      {"fill(reinterpret_cast<box*>(a) + 1);", 29, "address of 'a' is handed over as another type"},
      {"throw &a[1];", 8, "address of 'a' is used in an expression that is not followed"},
      {"a[launched()] = 1;", 1, "address of 'a' is used while a launch may come"},
      {"float* q = a; float** h = &q; h[0][0] = 1;", 28, "pointer 'q' has its address taken"},
      {"float* q = a; take(q);", 20, "pointer 'q' is handed over by reference"},
      {"float* two[2]; float* q = a; std::swap(q, two[0]);", 40,
       "pointer 'q' is swapped with something else than a variable"}};
  std::string const start =
      "struct box { float* p; }; struct pair { int u, v; };\n__global__ float a[8]; __global__ pair "
      "twos[3];\n"
      "float* kept; void take(float*& p) { p[0] = 1; } void fill(void* p) { static_cast<float*>(p)[0] = 1; "
      "}\n"
      "__device__ void set(float* x) { x[lThreadId.x] = 1; } __global__ void k(float* x) { set(x); }\n"
      "int launched() { k<<[8]>>(a); return 0; }\nfloat* f(box& b) {\n";
  std::string source = "#include <span>\n#include <thread>\n#include <vector>\n";
  for (auto const& each : all)
    source += "namespace of_" + std::to_string(&each - all.data()) + " { " + start + each.line +
              "\nreturn nullptr;\n}}\n";
  auto const result = complaint_about(source);
  EXPECT_EQ(result.code, 0) << result.err;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const place = "\np.mcu:" + std::to_string(10 + 9 * i) + ":";
    auto const text = "\n" + result.err;
    auto const first = std::min(text.find(place), text.size());
    EXPECT_THAT(text.substr(first),
                StartsWith(place + std::to_string(all[i].column) + ": warning: the " + all[i].message +
                           ", where it cannot be followed; from here on each launch that uses "
                           "the variable is waited for\n"))
        << all[i].line;
  }
}

struct refused {
  std::string source;
  int line, column;
  std::string message;
};

void expect_errors(std::vector<refused> const& all) {
  for (auto const& [source, line, column, message] : all) {
    auto const result = complaint_about(source);
    EXPECT_EQ(result.code, 1) << source;
    EXPECT_THAT(result.err, StartsWith("p.mcu:" + std::to_string(line) + ":" + std::to_string(column) +
                                       ": error: " + message))
        << source;
  }
}

TEST(mesicc_diagnostics, refuse_launches_and_variables_of_a_form_that_cannot_be_rewritten) {
  std::string const kernel =
      "__global__ int a[9];\n__global__ void k(int* p, int n = 5) { p[lThreadId.x] = n; }\n";
  std::string const pair =
      "__global__ int a[9];\nstruct s { int v, bits : 3; };\n__global__ void k(int* p, s x) { p[x.v] = 1; "
      "}\n";
  std::string const hidden =
      "namespace { __global__ int b[3]; __global__ void k(int* x) { x[0] = b[0]; } }\n";
  expect_errors(
      {{kernel + "int main() { k<<[9]>>(a); }", 3, 14, "a launch has to give all arguments; 'n' is left out"},
       {pair + "int main() { k<<[1]>>(a, {3, 1}); }", 4, 26,
        "an argument of a launch cannot be in braces alone"},
       {"__global__ struct s { int v; } g[16];\nint main() {}", 1, 19,
        "the __global__ variable 'g' is declared together with its type"},
       {"alignas(16) __global__ int g[16];\nint main() {}", 1, 1,
        "the __global__ variable 'g' has an attribute"},
       {hidden + "int b, c;\n__global__ int a[3];\nint main() { k<<[1]>>(a); }", 1, 28,
        "the __global__ variable 'b' is in a namespace without a name"}});
}

TEST(mesicc_diagnostics, refuse_uses_that_cannot_be_handed_over) {
  std::string const start = "__global__ int a[9];\n";
  std::string const thread = "__device__ int g() { return lThreadId.x; }\n";
  expect_errors(
      {{start + "__device__ int f(int i = lThreadId.x) { return i; }", 2, 26,
        "'lThreadId' can be used in the body of a function only"},
       {start + "__device__ int f(int i = a[2]) { return i; }", 2, 26,
        "'a' can be used in the body of a function only"},
       {thread + "__device__ int f(int i = g()) { return i; }", 2, 26, "'g' uses lThreadId or __global__"},
       {start + "__host__ __device__ int f() { return a[0]; }\nint main() { return f(); }", 3, 21,
        "'f' uses lThreadId or __global__ variables, so that it can only be called"},
       {start + "struct s { __device__ int operator+(int i) { return a[i]; } };", 2, 27,
        "an operator, a constructor or a destructor cannot use"},
       {start + "template <class T> __device__ T f(T x) { return x; }\n"
                "template <> __device__ int f(int x) { return a[x]; }",
        3, 28, "a specialisation of a template cannot use"},
       {"template <class T> __device__ T f(T x) { return x; }\ntemplate __device__ int f<int>(int);", 2, 25,
        "an explicit instantiation of a __device__ template is not supported"},
       {"__global__ void k(int* lThreadId) { lThreadId[0] = 1; }", 1, 24,
        "'lThreadId' is a name that the translated program needs"},
       {"__global__ int s;\n__device__ int f() { decltype(s) copy = s; return copy += 1; }", 2, 31,
        "'decltype(s)' of a __global__ variable is not supported"},
       {start + "__device__ int g(int i) { return a[i]; }\n__device__ long g(long i) { return i; }\n"
                "template <class T> __device__ T f(T i) { return g(i); }\n"
                "__global__ void k(int* y) { y[lThreadId.x] = f(1) + int(f(2L)); }",
        4, 50, "mesicc cannot rewrite this, because macros make it, or templates"},
       {"namespace my { struct ballast {}; }", 1, 23,
        "'ballast' is a name that the translated program needs"},
       {"__global__ int time[9];\nint time_of_program;\n", 1, 16,
        "'time_of_program' is a name that the translated program needs for 'time'"},
       {start + "int time[3];\n#define FIRST time[0]\nint f(int* time) { return FIRST; }\n"
                "int main() { return FIRST; }",
        5, 21, "mesicc cannot rewrite this, because macros make it"},
       {start +
            "#define FIRST a[0]\n__global__ void k(int* p) { p[0] = FIRST; }\nint main() { return FIRST; }",
        4, 21, "mesicc cannot rewrite this, because macros make it"}});
}

TEST(mesicc_diagnostics, refuse_macros_that_would_change_the_result) {
  std::string const rest =
      "__global__ int a[9];\n__global__ void k(int* p) { p[lThreadId.x] = 1; }\nint main() { k<<[9]>>(a); "
      "}\n";
  expect_errors({{"#define F 9.8f\n" + rest, 1, 9, "the macro 'F' has a name that the translated program"},
                 {"\n#define threads 3\n#undef threads\n" + rest, 2, 9, "the macro 'threads' has a name"},
                 {rest + "#define kernels 3\n", 4, 9, "the macro 'kernels' has a name"}});
  auto const of_command_line = complaint_about(rest, "-D part=3");
  EXPECT_EQ(of_command_line.code, 1);
  EXPECT_THAT(of_command_line.err, StartsWith("mesicc: error: the macro 'part' has a name"));
  for (auto const* const harmless : {"#define max(a, b) 3\n", "#define F 3\n#undef F\n", "#define line 3\n"})
    EXPECT_EQ(complaint_about(harmless + rest).code, 0) << harmless;
}

TEST(mesicc_diagnostics, say_where_macros_are_in_the_way) {
  auto const result = complaint_about(
      "__global__ int ab[3];\n#define JOIN(x, y) x##y\nint main() { return JOIN(a, b)[0]; }\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err,
              StartsWith("p.mcu:3:21: error: mesicc cannot rewrite this, because macros make it"));
}

TEST(mesicc_diagnostics, tell_of_a_compiler_that_breaks_down) {
  auto const result = complaint_about("#pragma clang __debug crash\nint main() {}\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, EndsWith("p.mcu: error: the compiler within mesicc broke down over this file\n"));
}

TEST(mesicc_malformed_files, are_translated_or_refused_with_a_reason) {
  for (std::string const text : {"",
                                 "\n",
                                 "// no end of line",
                                 "/* no end",
                                 "\"no end",
                                 "R\"(no end",
                                 "#include",
                                 "#include \"",
                                 "<<[",
                                 "]>>(",
                                 "k<<[1]>>();",
                                 "__global__",
                                 "__global__ int",
                                 "__global__ int a[",
                                 "int main() {",
                                 "}",
                                 "\xef\xbb\xbfint main() {}",
                                 "\x80\xff\xfe",
                                 "#line 5 \"x\"\nint",
                                 "#define __global__\n__global__ int a;",
                                 "int a = 1 <<[]{ return 1; }();"}) {
    auto const result = complaint_about(text);
    EXPECT_TRUE(result.code == 0 || result.code == 1) << text << ": " << result.code;
    if (result.code == 1) { EXPECT_THAT(result.err, HasSubstr("error: ")) << text; }
  }
}

TEST(mesicc_malformed_files, may_hold_nothing_and_anything) {
  auto const zeros = std::string(1000, '\0');
  EXPECT_LE(complaint_about(zeros).code, 1);
  EXPECT_LE(complaint_about("int main() {" + zeros + "}").code, 1);
  EXPECT_LE(complaint_about(std::string(100000, '(')).code, 1);
  EXPECT_LE(complaint_about(std::string(100000, '[')).code, 1);
}

}  // namespace
}  // namespace ballast::mesicc
