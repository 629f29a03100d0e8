// SPDX-License-Identifier: Apache-2.0
#include "source/dialect_files.hpp"

#include <clang/Lex/Lexer.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballast/replace_file.hpp"

namespace ballast::mesicc {
namespace {

struct code_with_launches {
  std::string text;
  std::vector<unsigned> launches;  ///< offsets of the `<<[`, ascending
};

struct token {
  unsigned offset;
  clang::tok::TokenKind kind;
};

/// The tokens of `text`, which must end with a zero after its last byte, as a std::string does.
std::vector<token> tokens_of(std::string const& text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.CPlusPlus20 = language.Bool = language.LineComment = language.RawStringLiterals = true;
  clang::Lexer lexer({}, language, text.data(), text.data(), text.data() + text.size());
  std::vector<token> found;
  clang::Token next;
  do {
    lexer.LexFromRawLexer(next);
    found.push_back({lexer.getCurrentBufferOffset() - next.getLength(), next.getKind()});
  } while (next.isNot(clang::tok::eof));
  return found;
}

bool follow_each_other(std::vector<token> const& tokens, std::size_t first, clang::tok::TokenKind a,
                       clang::tok::TokenKind b, unsigned length_of_a) {
  if (first + 1 >= tokens.size() || tokens[first].kind != a || tokens[first + 1].kind != b) return false;
  return tokens[first + 1].offset == tokens[first].offset + length_of_a;
}

std::optional<std::size_t> matching_bracket(std::vector<token> const& tokens, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < tokens.size(); ++at) {
    if (tokens[at].kind == clang::tok::semi) return std::nullopt;
    if (tokens[at].kind == clang::tok::l_square) ++depth;
    if (tokens[at].kind == clang::tok::r_square && --depth == 0) return at;
  }
  return std::nullopt;
}

/// The place of `]` in the `]>>(` that closes the `<<[` at `first`.
std::optional<std::size_t> end_of_launch(std::vector<token> const& tokens, std::size_t first) {
  if (!follow_each_other(tokens, first, clang::tok::lessless, clang::tok::l_square, 2)) return std::nullopt;
  auto const close = matching_bracket(tokens, first + 1);
  if (!close || !follow_each_other(tokens, *close, clang::tok::r_square, clang::tok::greatergreater, 1))
    return std::nullopt;
  if (*close + 2 >= tokens.size() || tokens[*close + 2].kind != clang::tok::l_paren) return std::nullopt;
  return close;
}

/// The code with `kernel<<<x, y>>>(...)` in place of `kernel<<[x, y]>>(...)`, which is as long, so that all
/// lines and columns stay right. Comments and literals stay unchanged, and so does `1 <<[] { ... }()`.
code_with_launches with_launches_of_cuda(std::string_view code) {
  code_with_launches made{std::string(code), {}};
  if (code.find("<<[") == std::string_view::npos) return made;
  auto const tokens = tokens_of(made.text);
  for (std::size_t first = 0; first < tokens.size(); ++first) {
    auto const close = end_of_launch(tokens, first);
    if (!close) continue;
    made.text[tokens[first + 1].offset] = '<';
    made.text[tokens[*close].offset] = '>';
    made.launches.push_back(tokens[first].offset);
  }
  return made;
}

// The dialect's additions to C++, as declarations in CUDA that clang reads without CUDA's own headers.
// stdlib.h comes first: the <new> of clang's CUDA wrappers needs malloc. Clang treats a launch as a call of
// cudaConfigureCall or, in a newer CUDA, __cudaPushCallConfiguration. Functions that kernels may call in CUDA
// but not in the dialect are declared, so that the error message is ours.
constexpr std::string_view prelude_text = R"(#pragma clang system_header
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

namespace vfs = llvm::vfs;
using buffer = llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>;

class dialect_file_reader : public vfs::File {
 public:
  dialect_file_reader(std::unique_ptr<vfs::File> below, std::string path, dialect_files& files)
      : below_(std::move(below)), path_(std::move(path)), files_(files) {}

  llvm::ErrorOr<vfs::Status> status() override { return below_->status(); }
  llvm::ErrorOr<std::string> getName() override { return below_->getName(); }
  std::error_code close() override { return below_->close(); }

  buffer getBuffer(llvm::Twine const& name, std::int64_t size, bool needs_end, bool is_volatile) override {
    auto read = below_->getBuffer(name, size, needs_end, is_volatile);
    if (!read) return read;
    std::string_view const text((*read)->getBufferStart(), (*read)->getBufferSize());
    auto code = with_launches_of_cuda(text);
    if (code.launches.empty()) return read;
    files_[path_] = {std::string(text), std::move(code.launches)};
    return llvm::MemoryBuffer::getMemBufferCopy(code.text, name);
  }

 private:
  std::unique_ptr<vfs::File> below_;
  std::string path_;
  dialect_files& files_;
};

/// True for a path in the system's folders. Clang finds GCC's headers by a path of its own,
/// "/usr/bin/../lib/gcc/...".
bool is_of_system(std::string const& path) {
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") ||
         path.find("/../lib/gcc/") != std::string::npos;
}

class dialect_reader : public vfs::ProxyFileSystem {
 public:
  dialect_reader(llvm::IntrusiveRefCntPtr<vfs::FileSystem> below, dialect_files& files)
      : ProxyFileSystem(std::move(below)), files_(files) {}

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(llvm::Twine const& path) override {
    auto opened = ProxyFileSystem::openFileForRead(path);
    auto const name = path.str();
    if (!opened || is_of_system(name)) return opened;
    note_read(name);
    return std::make_unique<dialect_file_reader>(std::move(*opened), name, files_);
  }

 private:
  dialect_files& files_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<vfs::FileSystem> dialect_file_system(llvm::IntrusiveRefCntPtr<vfs::FileSystem> below,
                                                              dialect_files& files) {
  auto const prelude = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  prelude->addFile(prelude_path, 0,
                   llvm::MemoryBuffer::getMemBufferCopy({prelude_text.data(), prelude_text.size()}));
  auto const all = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(
      llvm::makeIntrusiveRefCnt<dialect_reader>(std::move(below), files));
  all->pushOverlay(prelude);
  return all;
}

}  // namespace ballast::mesicc
