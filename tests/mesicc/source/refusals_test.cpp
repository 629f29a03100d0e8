// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "described_source.hpp"

namespace ballast::mesicc {
namespace {

/// A kernel whose body is line 2, launched with a[10].
std::string refusal_of_body(std::string const& body) {
  return complaints_about("__global__ float a[10];\n" + body + "\nint main() { k<<[10]>>(a); }\n");
}
/// Line 2 of a main() over a[10] and the kernel k(float*, int).
std::string refusal_in_main(std::string const& line) {
  return complaints_about(
      "__global__ float a[10]; __global__ void k(float* x, int n) { x[lThreadId.x] = n; } int main() {\n" +
      line + "\n}\n");
}

TEST(refusals, of_barriers_fences_and_atomics) {
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { __syncthreads(); }"),
            "2:31+15 error: '__syncthreads' is not supported: threads of the dialect form no blocks that "
            "could wait\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { __threadfence(); }"),
            "2:31+15 error: '__threadfence' is not supported (assumption A3): no thread may see what others "
            "write in the "
            "same launch\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { atomicAdd(&x[0], 1.f); }"),
            "2:31+21 error: 'atomicAdd' is not supported (assumption A3): no thread may write what others "
            "write in the "
            "same launch\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { __sync_fetch_and_add((int*)x, 1); }"),
            "2:31+32 error: '__sync_fetch_and_add_4' is not supported (assumption A3): no thread may write "
            "what others "
            "write in the same launch\n");
}

TEST(refusals, of_what_cuda_tells_its_threads) {
  EXPECT_EQ(
      refusal_of_body("__global__ void k(float* x) { x[threadIdx.x] = 0; }"),
      "2:33+9 error: 'threadIdx' is CUDA's; threads of the dialect have lThreadId.x and lThreadId.y only\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { x[lThreadId.z] = 0; }"),
            "2:33+11 error: 'lThreadId.z' does not exist: launches have at most two dimensions\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { __shared__ float s[3]; s[0] = 0; }"),
            "2:48+1 error: 's' is __shared__, which the dialect does not have: threads share nothing but "
            "__global__ "
            "variables\n");
}

TEST(refusals, of_statements_and_expressions) {
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { goto end; end: x[0] = 1; }"),
            "2:31+8 error: goto and labels are not supported in a kernel\n"
            "2:41+13 error: goto and labels are not supported in a kernel\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { auto f = [](int i) { return i; }; x[f(1)] = 0; }"),
            "2:40+23 error: a lambda is not supported in a kernel\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { static int n; x[0] = 0; }"),
            "2:42+1 error: 'n' is static, which is not supported in a kernel\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { delete new int; }"),
            "2:31+14 error: new and delete are not supported in a kernel\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { asm(\"nop\"); }"),
            "2:31+10 error: assembly is not supported in a kernel\n");
}

TEST(refusals, of_addresses_that_cannot_be_followed) {
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { float** p = &x; (*p)[3] = 1; }"),
            "2:26+1 error: the pointer 'x' cannot be followed, because its own address is taken or something "
            "refers to "
            "it\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { float* volatile p = x; p[3] = 1; }"),
            "2:47+1 error: the pointer 'p' cannot be followed, because it is volatile\n");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { char* c = (char*)x; c[0] = 1; }"),
            "2:41+8 error: the address of 'x' is cast to a pointer to something else, so that accesses by it "
            "cannot be "
            "seen\n");
  EXPECT_EQ(refusal_of_body("struct box { float* p; }; __global__ void k(float* x) { box b{x}; b.p[0] = 1; }")
                .substr(0, 80),
            "2:63+1 error: the address of 'x' is used in an expression that is not followed, ");
  EXPECT_EQ(refusal_of_body("__global__ void k(float* x) { float* p; p[0] = 1; }"),
            "2:41+8 error: cannot tell which array this reaches: its address has no value yet\n");
  EXPECT_EQ(refusal_of_body("__device__ void f(float*); __global__ void k(float* x) { f(x); }"),
            "2:58+4 error: 'f' is called in a kernel and has no body in this file\n  2:17+1 note: it is "
            "declared here\n");
}

TEST(refusals, of_calls) {
  EXPECT_EQ(refusal_of_body("__device__ int f(int n) { return n < 1 ? 0 : f(n - 1); } __global__ void "
                            "k(float* x) { x[f(3)] = 1; }"),
            "2:46+8 error: 'f' calls itself, which is not supported in a kernel\n");
  EXPECT_EQ(
      refusal_of_body("typedef int (*f)(int); __global__ void k(float* x) { f g = nullptr; x[g(1)] = 1; }"),
      "2:71+4 error: a call of what is no named function is not supported in a kernel\n");
}

TEST(refusals, of_variables_that_a_kernel_cannot_reach) {
  EXPECT_EQ(refusal_of_body("int n; __global__ void k(float* x) { x[n] = 1; }"),
            "2:40+1 error: 'n' is a variable of the host; a kernel reaches __global__ variables, constexpr "
            "ones and its "
            "arguments\n");
  EXPECT_EQ(refusal_of_body("__constant__ int n; __global__ void k(float* x) { x[n] = 1; }"),
            "2:53+1 error: 'n' is in one device's memory; make it a __global__ variable, or an argument of "
            "the kernel\n");
}

TEST(refusals, of_shared_variables) {
  EXPECT_EQ(complaints_about("__global__ int a = 3;"),
            "1:20+1 error: the __global__ variable 'a' cannot have an initialiser; assign to it in main()\n");
  EXPECT_EQ(complaints_about("__global__ int a[2] = {1, 2};"),
            "1:23+6 error: the __global__ variable 'a' cannot have an initialiser; assign to it in main()\n");
  EXPECT_EQ(complaints_about("__global__ int* a[3];"),
            "1:17+1 error: the __global__ variable 'a' holds pointers or references, which lead nowhere on a "
            "device\n");
  EXPECT_EQ(complaints_about("struct s { s(); ~s(); int n; }; __global__ s a[3];"),
            "1:46+1 error: the __global__ variable 'a' holds elements of type 's', which is not trivially "
            "copyable\n");
  EXPECT_EQ(complaints_about("extern __global__ int a[];"),
            "1:23+1 error: the __global__ variable 'a' needs all of its sizes, also where it is extern\n");
  EXPECT_EQ(
      complaints_about("__global__ const int a[3] = {};"),
      "1:22+1 error: the __global__ variable 'a' is const; kernels read constexpr variables as they are\n");
  EXPECT_EQ(complaints_about("#define ARRAY(n) __global__ int n[3]\nARRAY(a);"),
            "2:1+8 error: the __global__ variable 'a' is defined by a macro, which mesicc cannot rewrite\n");
  EXPECT_EQ(complaints_about("int main() { static __global__ int a[3]; }"),
            "1:36+1 error: the __global__ variable 'a' has to be outside of functions and classes\n");
  EXPECT_EQ(
      complaints_about("struct point { float x = 1, y = 2; }; __global__ point a[3];"),
      "1:56+1 error: the __global__ variable 'a' has elements with a constructor; they begin as zeros\n");
  EXPECT_EQ(complaints_about(
                "struct point { float x, y; }; __global__ point a[3]; extern __global__ double b[2][3];"),
            "");
}

TEST(refusals, of_kernels) {
  EXPECT_EQ(complaints_about("template <class T> __global__ void k(T* x) { *x = 1; }"),
            "1:36+1 error: the kernel 'k' is a template, which is not supported\n");
  EXPECT_EQ(complaints_about("__global__ void k(float& x) { x = 1; }"),
            "1:26+1 error: the kernel's parameter 'x' is a reference; hand over a pointer or a value\n");
  EXPECT_EQ(complaints_about("__global__ void k(float** x) { **x = 1; }"),
            "1:27+1 error: the kernel's parameter 'x' points to pointers, which lead nowhere on a device\n");
  EXPECT_EQ(complaints_about("struct box { int* p; }; __global__ void k(box x) { *x.p = 1; }"),
            "1:47+1 error: the kernel's parameter 'x' holds a pointer, which leads nowhere on a device\n");
  EXPECT_EQ(complaints_about("__global__ void k(void* x) {}"),
            "1:25+1 error: the kernel's parameter 'x' points to elements of an unknown type\n");
  EXPECT_EQ(complaints_about("struct s { static __global__ void k(int* x) { *x = 1; } };"),
            "1:35+1 error: the kernel 'k' is a member of a class, which is not supported\n");
}

TEST(refusals, of_launches) {
  EXPECT_EQ(refusal_in_main("k<<<10, 1>>>(a, 1);"),
            "2:1+18 error: a launch is written kernel<<[x, y]>>(...); blocks are chosen by mesicc\n");
  EXPECT_EQ(refusal_in_main("k<<[1, 2, 3]>>(a, 1);"),
            "2:11+1 error: a launch has one or two extents: kernel<<[x, y]>>(...)\n");
  EXPECT_EQ(refusal_in_main("k<<[-3]>>(a, 1);"), "2:5+2 error: a launch cannot have -3 threads\n");
  EXPECT_EQ(refusal_in_main("k<<[3]>>(nullptr, 1);"),
            "2:10+7 error: a kernel cannot be given a null pointer\n");
  EXPECT_EQ(refusal_in_main("float b[3]; k<<[3]>>(b, 1);"),
            "2:22+1 error: 'b' is not a __global__ variable, so that no kernel can reach it\n"
            "  2:7+1 note: it is declared here\n");
  EXPECT_EQ(refusal_in_main("auto f = k; f<<[3]>>(a, 1);"),
            "2:10+1 error: a kernel can only be launched; 'k' is used as a value here\n"
            "2:13+14 error: a launch by a pointer to a kernel is not supported\n");
  EXPECT_EQ(refusal_in_main("int i = lThreadId.x;"),
            "2:9+9 error: 'lThreadId' is known in kernels and __device__ functions only\n");
}

TEST(refusals, of_launches_by_macros_and_in_templates) {
  EXPECT_EQ(complaints_about("__global__ int a[3]; __global__ void k(int* x) { x[lThreadId.x] = 1; "
                             "}\n#define RUN(n) k<<[n]>>(a)\n"
                             "int main() { RUN(3); }"),
            "3:14+6 error: a launch by a macro is not supported\n");
  EXPECT_EQ(complaints_about("__global__ int a[3]; __global__ void k(int* x) { x[lThreadId.x] = 1; }\n"
                             "template <class T> void run(T n) { k<<[n]>>(a); }\nint main() { run(3); }"),
            "2:36+11 error: a launch in a template is not supported\n");
  EXPECT_EQ(complaints_about("__global__ int a[3]; __global__ void k(int* x);\nint main() { k<<[3]>>(a); }"),
            "2:14+1 error: the kernel 'k' has no body in this file, which a launch needs\n"
            "  1:38+1 note: it is declared here\n");
}

TEST(refusals, of_clang_keep_the_user_s_lines_and_columns) {
  EXPECT_EQ(
      complaints_about(
          "__global__ float a[4];\n__global__ void k(float (*x)[8]) {}\nint main() { k<<[4]>>(a); }"),
      "3:23 error: cannot initialize a parameter of type 'float (*)[8]' with an lvalue of type 'float[4]'\n"
      "  2:27 note: passing argument to parameter 'x' here\n");
  EXPECT_EQ(complaints_about("int main() {\n  return 1 +; }"), "2:13 error: expected expression\n");
}

TEST(refusals, say_an_error_once_for_all_launches) {
  EXPECT_EQ(complaints_about("__global__ float a[4];\n__global__ void k(float* x) { __syncthreads(); }\nint "
                             "main() { k<<[4]>>(a); k<<[4]>>(a); }"),
            "2:31+15 error: '__syncthreads' is not supported: threads of the dialect form no blocks that "
            "could wait\n");
}

}  // namespace
}  // namespace ballast::mesicc
