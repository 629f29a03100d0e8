// SPDX-License-Identifier: Apache-2.0
#include "emit/macro_checks.hpp"

#include <clang/Lex/Preprocessor.h>

#include <set>

#include "emit/spelled_names.hpp"
#include "source/dialect.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {
namespace {

/// Written where variables, functions and launches are, and by BALLAST_MESI_KERNELS at the file's end.
std::set<std::string> const words_anywhere{"ballast", "mesi",   "variable",  "thread_id", "launch", "threads",
                                           "address", "read",   "update",    "open",      "host",   "std",
                                           "static",  "extern", "lThreadId", "BALLAST_HD"};
constexpr char text_at_end[] =
    "BALLAST_MESI_KERNELS() namespace template <class... Launch> struct ballast_mesi_list kernels() { static "
    "const job_kernels list(list_kernels<thread_blocks>()); return list; } kernel_registration "
    "ballast_mesi_registration();";

class macro_checker {
 public:
  explicit macro_checker(program const& parsed)
      : preprocessor_(parsed.unit->getPreprocessor()), sources_(parsed.sources()) {}

  /// At any time.
  void check_words_anywhere() {
    for (auto const& [name, state] : preprocessor_.macros()) {
      if (!words_anywhere.contains(name->getName().str())) continue;
      for (auto const* change = preprocessor_.getLocalMacroDirectiveHistory(name); change != nullptr;
           change = change->getPrevious())
        if (auto const* const defined = llvm::dyn_cast<clang::DefMacroDirective>(change))
          refuse(name->getName().str(), *defined->getInfo());
    }
  }
  /// As they are there.
  void check_text(std::string const& text, clang::SourceLocation where) {
    for (auto const& [word, is_called] : words_of(text)) {
      auto* const name = preprocessor_.getIdentifierInfo(word);
      if (!name->hadMacroDefinition()) continue;
      auto const* const macro = preprocessor_.getMacroDefinitionAtLoc(name, where).getMacroInfo();
      if (macro != nullptr && (is_called || !macro->isFunctionLike())) refuse(word, *macro);
    }
  }
  std::vector<diagnostic> found;

 private:
  void refuse(std::string const& name, clang::MacroInfo const& macro) {
    auto const where = macro.getDefinitionLoc();
    bool const is_in_file = is_of_user(where, sources_);
    if (!is_in_file && !sources_.isWrittenInCommandLineFile(where)) return;
    if (!refused_.insert(name).second) return;
    found.push_back({severity::error,
                     is_in_file ? place_of(where, sources_) : place{},
                     "the macro '" + name + "' has a name that the translated program needs; use another one",
                     {}});
  }

  clang::Preprocessor& preprocessor_;
  clang::SourceManager const& sources_;
  std::set<std::string> refused_;
};

}  // namespace

std::vector<diagnostic> macros_in_the_way(program const& parsed, rewritten_launches const& launches) {
  macro_checker checker(parsed);
  auto const& sources = parsed.sources();
  checker.check_words_anywhere();
  for (auto const& [where, text] : launches.structs) checker.check_text(text, where);
  if (!launches.names.empty())
    checker.check_text(text_at_end, sources.getLocForEndOfFile(sources.getMainFileID()));
  return std::move(checker.found);
}

}  // namespace ballast::mesicc
