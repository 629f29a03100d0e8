// SPDX-License-Identifier: Apache-2.0
#include "source/prelude.hpp"

namespace ballast::mesicc {
namespace {

// stdlib.h comes first: the <new> of clang's CUDA wrappers needs malloc. Clang takes a launch for a call of
// cudaConfigureCall or, of a newer CUDA, __cudaPushCallConfiguration. What kernels of CUDA call and those of
// the dialect must not is declared, so that the message about it is ours.
constexpr std::string_view text = R"(#pragma clang system_header
#define __global__ __attribute__((annotate("mesi.global"))) __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#include <stdlib.h>
#include <__clang_cuda_math_forward_declares.h>

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};
struct uint3 { unsigned x, y, z; };
extern "C" int cudaConfigureCall(dim3, dim3 = dim3(), unsigned long = 0, void* = 0);
extern "C" int __cudaPushCallConfiguration(dim3, dim3 = dim3(), unsigned long = 0, void* = 0);
extern "C" int cudaLaunchKernel(void const*, dim3, dim3, void**, unsigned long, void*);

struct __mesi_thread_id { int x, y, z; };
extern __device__ const __mesi_thread_id lThreadId;

extern __device__ const uint3 threadIdx, blockIdx;
extern __device__ const dim3 blockDim, gridDim;
extern __device__ const int warpSize;
extern "C" {
__device__ void __syncthreads();
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __syncwarp(unsigned = 0xffffffffu);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
__device__ int printf(char const*, ...);
}
#define MESI_ATOMIC(name) template <class T, class V> __device__ T name(T*, V)
MESI_ATOMIC(atomicAdd); MESI_ATOMIC(atomicSub); MESI_ATOMIC(atomicExch); MESI_ATOMIC(atomicMin);
MESI_ATOMIC(atomicMax); MESI_ATOMIC(atomicInc); MESI_ATOMIC(atomicDec); MESI_ATOMIC(atomicAnd);
MESI_ATOMIC(atomicOr); MESI_ATOMIC(atomicXor);
#undef MESI_ATOMIC
template <class T, class C, class V> __device__ T atomicCAS(T*, C, V);
template <class T> __device__ T __ldg(T const*);

extern "C" {
#define MESI_MATH_1(name) __device__ float name##f(float)
MESI_MATH_1(sqrt); MESI_MATH_1(rsqrt); MESI_MATH_1(cbrt); MESI_MATH_1(exp); MESI_MATH_1(exp2);
MESI_MATH_1(expm1); MESI_MATH_1(log); MESI_MATH_1(log2); MESI_MATH_1(log10); MESI_MATH_1(log1p);
MESI_MATH_1(sin); MESI_MATH_1(cos); MESI_MATH_1(tan); MESI_MATH_1(asin); MESI_MATH_1(acos);
MESI_MATH_1(atan); MESI_MATH_1(sinh); MESI_MATH_1(cosh); MESI_MATH_1(tanh); MESI_MATH_1(fabs);
MESI_MATH_1(floor); MESI_MATH_1(ceil); MESI_MATH_1(trunc); MESI_MATH_1(round); MESI_MATH_1(rint);
MESI_MATH_1(erf); MESI_MATH_1(erfc);
#undef MESI_MATH_1
#define MESI_MATH_2(name) __device__ float name##f(float, float)
MESI_MATH_2(fmin); MESI_MATH_2(fmax); MESI_MATH_2(pow); MESI_MATH_2(atan2); MESI_MATH_2(fmod);
MESI_MATH_2(hypot); MESI_MATH_2(copysign);
#undef MESI_MATH_2
__device__ float fmaf(float, float, float);
}
__device__ float rsqrt(float);
__device__ double rsqrt(double);
#define MESI_MIN_MAX(type) __device__ type min(type, type); __device__ type max(type, type)
MESI_MIN_MAX(int); MESI_MIN_MAX(unsigned); MESI_MIN_MAX(long); MESI_MIN_MAX(unsigned long);
MESI_MIN_MAX(long long); MESI_MIN_MAX(unsigned long long); MESI_MIN_MAX(float); MESI_MIN_MAX(double);
#undef MESI_MIN_MAX
)";

}  // namespace

std::string_view prelude_text() { return text; }

}  // namespace ballast::mesicc
