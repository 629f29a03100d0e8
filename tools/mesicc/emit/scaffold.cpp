// SPDX-License-Identifier: Apache-2.0
#include "emit/scaffold.hpp"

#include <clang/Frontend/ASTUnit.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Tooling.h>

#include <fstream>
#include <iterator>

namespace ballast::mesicc {
namespace {
constexpr char prelude[] = R"(
#pragma clang system_header
#define __global__ __attribute__((annotate("mesi.global"))) __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#include <stdlib.h>
#include <__clang_cuda_math_forward_declares.h>
struct dim3 { unsigned x, y, z; constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {} };
extern "C" int cudaConfigureCall(dim3, dim3 = dim3(), unsigned long = 0, void* = 0);
extern "C" int __cudaPushCallConfiguration(dim3, dim3 = dim3(), unsigned long = 0, void* = 0);
extern "C" int cudaLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
struct __mesi_ltid { int x, y; };
extern __device__ const __mesi_ltid lThreadId;
)";

std::set<unsigned> replace_launch_tokens(std::string& code) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus20 = true;
  clang::Lexer lexer(clang::SourceLocation(), language, code.data(), code.data(), code.data() + code.size());
  std::set<unsigned> found;
  std::vector<std::pair<unsigned, clang::tok::TokenKind>> tokens;
  clang::Token token;
  do {
    lexer.LexFromRawLexer(token);
    tokens.emplace_back(lexer.getCurrentBufferOffset() - token.getLength(), token.getKind());
  } while (token.isNot(clang::tok::eof));
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].second != clang::tok::lessless || tokens[i + 1].second != clang::tok::l_square) continue;
    int depth = 0;
    for (std::size_t j = i + 1; j + 2 < tokens.size(); ++j) {
      if (tokens[j].second == clang::tok::l_square) ++depth;
      if (tokens[j].second != clang::tok::r_square || --depth > 0) continue;
      if (tokens[j + 1].second != clang::tok::greatergreater || tokens[j + 2].second != clang::tok::l_paren)
        break;
      code[tokens[i + 1].first] = '<';
      code[tokens[j].first] = '>';
      found.insert(tokens[i].first);
      break;
    }
  }
  return found;
}
}  // namespace

scaffold parse_for_now(std::string const& file, translation_options const& options) {
  std::ifstream stream(file, std::ios::binary);
  scaffold made;
  made.original.assign(std::istreambuf_iterator<char>(stream), {});
  auto code = made.original;
  made.launches = replace_launch_tokens(code);
  std::vector<std::string> arguments{"-x",
                                     "cuda",
                                     "--cuda-host-only",
                                     "-nocudainc",
                                     "-nocudalib",
                                     "-Wno-unknown-cuda-version",
                                     "-Wno-ignored-attributes",
                                     "-std=" + options.standard,
                                     "-resource-dir=/usr/lib/llvm-19/lib/clang/19",
                                     "-include",
                                     "/mesi/prelude.h"};
  for (auto const& folder : options.include_folders) arguments.push_back("-I" + folder);
  for (auto const& macro : options.definitions) arguments.push_back("-D" + macro);
  made.unit = clang::tooling::buildASTFromCodeWithArgs(
      code, arguments, file, "mesicc", std::make_shared<clang::PCHContainerOperations>(),
      clang::tooling::getClangStripDependencyFileAdjuster(), {{"/mesi/prelude.h", prelude}});
  return made;
}
}  // namespace ballast::mesicc
