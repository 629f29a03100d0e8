// SPDX-License-Identifier: Apache-2.0
// Refusals of what few programs have.
#include <gtest/gtest.h>

#include "described_source.hpp"

namespace ballast::mesicc {
namespace {

/// A kernel whose body is line 2, launched with a[10].
std::string of_body(std::string const& body) {
  return complaints_about(
      "struct pair { int x, y; };\n__global__ void k(int* x, pair* p, int n) { " + body +
      " }\n__global__ int a[10]; __global__ pair b[10];\nint main(int n, char**) { k<<[10]>>(a, b, n); }\n");
}

TEST(refused_corners, of_kernels_in_expressions) {
  EXPECT_EQ(of_body("x[n ?: 2] = 1;"), "2:47+6 error: '?:' without a middle is not supported in a kernel\n");
  EXPECT_EQ(of_body("for (auto& [u, v] : *(pair(*)[10])p) u = 1;"),
            "2:56+1 error: structured bindings are not supported in a kernel\n");
  EXPECT_EQ(of_body("auto [u, v] = p[0]; x[u] = v;"),
            "2:50+1 error: structured bindings are not supported in a kernel\n2:59+1 error: mesicc does not "
            "understand how 'p' is used here\n");
  EXPECT_EQ(of_body("int* q; for (int i = 0; i < 3; ++i) { q[0] = 1; q = x; }"),
            "2:83+8 error: cannot tell which array this reaches: its address changes in a loop\n");
  EXPECT_EQ(of_body("int* q[2] = {x, x}; q[1][0] = 1;"),
            "2:58+1 error: the address of 'x' is used in an expression that is not followed, so that "
            "accesses by it cannot be seen\n2:61+1 error: the address of 'x' is used in an expression that "
            "is not followed, so that accesses by it cannot be seen\n");
  EXPECT_EQ(of_body("struct { int* m; } s; s.m[0] = 1;"),
            "2:67+10 error: cannot tell which array this reaches: its address is read from memory\n");
}

TEST(refused_corners, of_what_devices_cannot_do) {
  EXPECT_EQ(of_body("int* y = &p[0].x; y[2] = 1;"),
            "2:63+8 error: cannot tell which array this reaches: its address is that of a member, from which "
            "steps lead to other elements\n");
  EXPECT_EQ(of_body("int* y = &p[0].x; *y = 1; if consteval { x[0] = 2; } else { x[1] = sizeof(x); }"), "");
  EXPECT_EQ(of_body("int j = 0; x[j + 0 * sizeof(int[n++])] = 1;"),
            "2:66+16 error: a size that is not constant is not supported in a kernel\n");
  EXPECT_EQ(of_body("int j = 0; int y[j++ + 1]; x[j] = 1;"),
            "2:60+1 error: 'y' has a size that is not constant, which is not supported in a kernel\n");
  EXPECT_EQ(of_body("x[({ n; })] = 1;"),
            "2:47+8 error: statements in an expression are not supported in a kernel\n");
  EXPECT_EQ(of_body("x[0] = __atomic_load_n(&x[1], 5);"),
            "2:52+25 error: atomic operations are not supported (assumption A3): no thread may rely on what "
            "others do in the same launch\n");
  EXPECT_EQ(of_body("switch (n) case 1: x[0] = 1;"),
            "2:45+27 error: this statement is not supported in a kernel\n");
  EXPECT_EQ(of_body("x[n] = [](int i) { return i; }(n);"),
            "2:52+23 error: a lambda is not supported in a kernel\n");
  EXPECT_EQ(complaints_about("constexpr int below(int i, int n) { return i < n ? i : throw i; }\n"
                             "__global__ void k(int* x) { x[below(1, lThreadId.x)] = 1; }\n"
                             "__global__ int a[3];\nint main() { k<<[3]>>(a); }\n"),
            "1:56+7 error: exceptions are not supported in a kernel\n");
  EXPECT_EQ(complaints_about("__device__ int& first(int* y) { for (int i = 0; i < 9; ++i) if (y[i]) return "
                             "y[i]; return y[0]; }\n"
                             "__global__ void k(int* x) { first(x) = 1; }\n"
                             "__global__ int a[3];\nint main() { k<<[3]>>(a); }\n"),
            "2:29+12 error: cannot tell which array this reaches: its address is returned from a loop\n");
}

TEST(refused_corners, of_calls_in_kernels) {
  auto const with = [](std::string const& functions, std::string const& body) {
    return complaints_about(functions + "\n__global__ void k(int* x) { " + body +
                            " }\n__global__ int a[10];\nint main() { k<<[10]>>(a); }\n");
  };
  EXPECT_EQ(with("__device__ int f(int a, int b) { return a + b; }", "int j = 0; x[f(j++, j)] = 1;"),
            "2:44+3 error: 'j' changes in one argument of a call and is used in another one, and which comes "
            "first is not known\n");
  EXPECT_EQ(with("struct s { __device__ virtual int f() { return 1; } };", "s one; x[one.f()] = 1;"),
            "2:38+7 error: 's::f' is virtual, which is not supported in a kernel\n");
  EXPECT_EQ(with("__device__ int f(int a, ...) { return a; }", "x[f(1, 2)] = 1;"),
            "2:31+7 error: 'f' is called too deeply, or takes any arguments, which are not supported in a "
            "kernel\n");
  EXPECT_EQ(
      with("template <int n> __device__ int f() { if constexpr (n == 0) return 0; else return f<n - 1>(); }",
           "x[f<20>()] = 1;"),
      "1:83+10 error: 'f' is called too deeply, or takes any arguments, which are not supported in a "
      "kernel\n");
  EXPECT_EQ(with("__global__ void other(int* x) {}", "other<<[10]>>(x);"),
            "2:29+16 error: a kernel cannot launch a kernel\n");
}

TEST(refused_corners, of_host_code_that_kernels_call) {
  auto const with = [](std::string const& functions, std::string const& body) {
    return complaints_about("__global__ int a[10];\n" + functions + "\n__global__ void k(int* x) { " + body +
                            " }\nint main() { k<<[10]>>(a); }\n");
  };
  EXPECT_EQ(
      with("constexpr int f(int i) { return i < 0 ? a[0] : i; }", "x[0] = f(3);"),
      "2:41+1 error: 'a' is a __global__ variable, which a function that a kernel calls can use if it is "
      "__device__\n");
  EXPECT_EQ(
      with("struct s { int v; constexpr s(int i) : v(i < 0 ? a[0] : i) {} };", "s one(3); x[0] = one.v;"),
      "2:50+1 error: 'a' is a __global__ variable, which a function that a kernel calls can use if it is "
      "__device__\n");
  EXPECT_EQ(
      with("struct s { int v = 0; constexpr ~s() { if (v > 3) a[0] = 1; } };", "s one; x[0] = one.v;"),
      "2:51+1 error: 'a' is a __global__ variable, which a function that a kernel calls can use if it is "
      "__device__\n");
  EXPECT_EQ(
      with("constexpr int g(int i) { return i < 0 ? a[0] : i; } struct s { int v = g(3); };",
           "s one{}; x[0] = one.v;"),
      "2:41+1 error: 'a' is a __global__ variable, which a function that a kernel calls can use if it is "
      "__device__\n");
  EXPECT_EQ(with("constexpr int f(int i) { return a[i]; }", "x[0] = 1;"), "");
}

/// Which of them it is, the launch finds out.
TEST(refused_corners, do_not_hold_pointers_in_an_array) {
  EXPECT_EQ(
      complaints_about(
          "__global__ int a[10], b[10];\n__global__ void k(int* x, int* y) { x[lThreadId.x] = "
          "y[lThreadId.x]; }\n"
          "int main(int n, char**) { int* both[2] = {a, b}; k<<[10]>>(both[n % 2], both[1 - n % 2]); }\n"),
      "");
  EXPECT_EQ(complaints_about("struct base { int w; __device__ void add(int k) { w += k; } }; struct more : "
                             "base { __device__ void twice() { add(w); w += 1; } };\n"
                             "__global__ more a[10];\n__global__ void k(more* x) { x[lThreadId.x].twice(); "
                             "}\nint main() { k<<[10]>>(a); }\n"),
            "");
}

/// f1 calls f0 three times, f2 calls f1 three times, and so on.
TEST(refused_corners, of_calls_without_end) {
  std::string calls = "__device__ int f0(int i) { return i; }\n";
  for (int i = 1; i < 12; ++i) {
    auto const inner = "f" + std::to_string(i - 1) + "(i)";
    calls += "__device__ int f" + std::to_string(i) + "(int i) { return " + inner + " + " + inner + " + " +
             inner + "; }\n";
  }
  auto const with = [&](std::string const& call) {
    return complaints_about("__global__ int a[10];\n" + calls + "__global__ void k(int* x) { x[0] = " + call +
                            "; }\nint main() { k<<[10]>>(a); }\n");
  };
  EXPECT_EQ(with("f7(1)"), "");
  EXPECT_EQ(with("f11(1)"),
            "3:43+5 error: the functions that this kernel calls call others too often to be looked at\n");
}

TEST(refused_corners, of_code_that_depends_on_the_compiler) {
  auto const with = [](std::string const& code, std::string const& body) {
    return complaints_about("__global__ int a[10];\n" + code + "\n__global__ void k(int* x) {\n" + body +
                            "\n}\nint main() { k<<[10]>>(a); }\n");
  };
  EXPECT_EQ(
      with("", "#ifdef __CUDA_ARCH__\nx[1] = 1;\n#endif"),
      "4:8+13 error: what kernels do cannot depend on '__CUDA_ARCH__': mesicc would see other code than "
      "the compilers of the result\n");
  EXPECT_EQ(with("__device__ inline int f() {\n#if 1 && !defined(__clang_major__)\nreturn 1;\n#endif\nreturn "
                 "2; }",
                 "x[1] = f();"),
            "3:19+15 error: what kernels do cannot depend on '__clang_major__': mesicc would see other code "
            "than the compilers of the result\n");
  EXPECT_EQ(with("#if 0\n#elif defined(__NVCC__)\n#endif", ""),
            "3:15+8 warning: mesicc reads this as clang does; the compilers of the result may see '__NVCC__' "
            "in another way\n");
  for (auto const* const name : {"__AVX2__", "__OPTIMIZE__", "__GNUC__", "_OPENMP", "NDEBUG", "BALLAST_HD"})
    EXPECT_NE(with(std::string("#ifdef ") + name + "\n#endif", ""), "") << name;
  EXPECT_EQ(with("#ifdef __linux__\n#endif", ""), "");
  EXPECT_EQ(with("#if 1  // __clang__\n#define F __clang__\n#endif", ""), "");
}

TEST(refused_corners, of_declarations) {
  EXPECT_EQ(
      complaints_about("struct base { int x; }; struct derived : base { int y; };\n__global__ derived a[3];\n"
                       "__global__ void k(base* x) { x[0].x = 1; }\nint main() { k<<[1]>>(a); }\n"),
      "4:23+1 error: 'a' holds elements of type 'derived', but 'x' points to 'base'\n");
  EXPECT_EQ(complaints_about("__global__ void k(int&) {}\nint main() {}\n"),
            "1:23+1 error: a parameter of a kernel is a reference; hand over a pointer or a value\n");
  EXPECT_EQ(complaints_about("__global__ void k(int n, int (*x)[n]) {}\nint main() {}\n"),
            "1:32+1 error: the kernel's parameter 'x' points to arrays whose sizes are not constant\n");
  EXPECT_EQ(complaints_about("__global__ thread_local int a[3];\nint main() {}\n"),
            "1:29+1 error: the __global__ variable 'a' is thread_local\n");
  EXPECT_EQ(complaints_about("__global__ volatile int a[3];\nint main() {}\n"),
            "1:25+1 error: the __global__ variable 'a' is volatile\n");
  EXPECT_EQ(
      complaints_about("__global__ constexpr int a[3] = {};\nint main() {}\n"),
      "1:26+1 error: the __global__ variable 'a' is const; kernels read constexpr variables as they are\n");
  EXPECT_EQ(complaints_about("template <class T> __global__ T a[3];\nint main() {}\n"),
            "1:33+1 error: the __global__ variable 'a' is a template\n");
  EXPECT_EQ(complaints_about("__global__ void k(int* x, ...) {}\nint main() {}\n"),
            "1:17+1 error: the kernel 'k' takes any number of arguments\n");
  EXPECT_EQ(complaints_about("#include <string>\n__global__ void k(std::string s) {}\nint main() {}\n"),
            "2:31+1 error: the kernel's parameter 's' holds a pointer, which leads nowhere on a device\n");
  EXPECT_EQ(complaints_about("__global__ void k(void f(int)) {}\nint main() {}\n"),
            "1:24+1 error: the kernel's parameter 'f' is a function, which a device cannot call\n");
  EXPECT_EQ(complaints_about("__global__ void k(int (*x)[]) {}\nint main() {}\n"),
            "1:25+1 error: the kernel's parameter 'x' points to elements of an unknown type\n");
  EXPECT_EQ(complaints_about("#define K __global__ void k(int* x) { x[0] = 1; }\nK\n__global__ int "
                             "a[3];\nint main() { k<<[1]>>(a); }\n"),
            "2:1+1 error: the kernel 'k' is made by a macro, which mesicc cannot rewrite\n");
}

}  // namespace
}  // namespace ballast::mesicc
