// SPDX-License-Identifier: Apache-2.0
#include "source/conditional_code.hpp"

#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <string>

#include "source/dialect.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {
namespace {

/// What compilers say of themselves, of devices and of their flags.
bool asks_for_compiler(llvm::StringRef name) {
  constexpr llvm::StringLiteral beginnings[] = {"__clang",    "__CUDA",  "__NVCC",   "__GNUC_",
                                                "__AVX",      "__SSE",   "__FMA",    "__BMI",
                                                "__OPTIMIZE", "__FAST_", "__FINITE", "BALLAST_"};
  constexpr llvm::StringLiteral names[] = {"_REENTRANT", "_OPENMP", "NDEBUG"};
  return llvm::any_of(beginnings, [&](auto const& begin) { return name.starts_with(begin); }) ||
         llvm::is_contained(names, name);
}

bool is_condition(llvm::StringRef directive) {
  return directive.starts_with("if") || directive.starts_with("elif");
}

/// The names in the conditions of a file.
std::vector<clang::Token> names_in_conditions(clang::FileID file, program const& parsed) {
  clang::Lexer lexer(file, parsed.sources().getBufferOrFake(file), parsed.sources(),
                     parsed.context().getLangOpts());
  std::vector<clang::Token> found;
  bool is_directive = false, is_in_condition = false;
  clang::Token next;
  for (lexer.LexFromRawLexer(next); next.isNot(clang::tok::eof); lexer.LexFromRawLexer(next)) {
    if (next.isAtStartOfLine()) {
      is_in_condition = false;
      is_directive = next.is(clang::tok::hash);
      continue;
    }
    if (next.is(clang::tok::raw_identifier) && is_directive) {
      is_in_condition = is_condition(next.getRawIdentifier());
    } else if (next.is(clang::tok::raw_identifier) && is_in_condition) {
      found.push_back(next);
    }
    is_directive = false;
  }
  return found;
}

bool contains(clang::FunctionDecl const* function, clang::SourceLocation place,
              clang::SourceManager const& sources) {
  auto const range = sources.getExpansionRange(function->getSourceRange());
  return sources.isPointWithin(place, range.getBegin(), range.getEnd());
}

std::vector<clang::FileID> files_of_user(clang::SourceManager const& sources) {
  std::vector<clang::FileID> files;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    auto const& entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile()) continue;
    auto const file = sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (is_of_user(sources.getLocForStartOfFile(file), sources)) files.push_back(file);
  }
  return files;
}

}  // namespace

void find_conditions_on_compilers(program const& parsed,
                                  std::vector<clang::FunctionDecl const*> const& of_kernels,
                                  std::vector<diagnostic>& found) {
  auto const& sources = parsed.sources();
  for (auto const file : files_of_user(sources)) {
    for (auto const& name : names_in_conditions(file, parsed)) {
      if (!asks_for_compiler(name.getRawIdentifier())) continue;
      auto const place = name.getLocation();
      bool const in_kernel =
          llvm::any_of(of_kernels, [&](auto const* one) { return contains(one, place, sources); });
      auto const where = place_of(clang::SourceRange(place, place), sources, parsed.context().getLangOpts());
      auto const spelt = "'" + name.getRawIdentifier().str() + "'";
      found.push_back({in_kernel ? severity::error : severity::warning,
                       where,
                       in_kernel ? "what kernels do cannot depend on " + spelt +
                                       ": mesicc would see other code than the compilers of the result"
                                 : "mesicc reads this as clang does; the compilers of the result may see " +
                                       spelt + " in another way",
                       {}});
    }
  }
}

}  // namespace ballast::mesicc
