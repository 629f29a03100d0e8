// SPDX-License-Identifier: Apache-2.0
#include "emit/translate.hpp"

#include <clang/AST/Attr.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/CrashRecoveryContext.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analyse_launch.hpp"
#include "emit/assembled_source.hpp"
#include "emit/device_functions.hpp"
#include "emit/host_accesses.hpp"
#include "emit/launches.hpp"
#include "emit/renamed_globals.hpp"
#include "emit/shared_variables.hpp"
#include "emit/spelled_names.hpp"
#include "model/diagnostic.hpp"
#include "source/ast_walker.hpp"
#include "source/dialect.hpp"
#include "source/launch_sites.hpp"
#include "source/places.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

namespace {

/// Finds declarations with a name that the result needs for ballast.
class name_checker : public ast_walker {
 public:
  explicit name_checker(clang::SourceManager const& sources) : sources_(sources) {}

  std::vector<refused_use> found;

 private:
  void walk_declaration(clang::Decl const* declaration) override {
    bool const before = is_on_devices_;
    if (auto const* const function = plain_function(declaration)) is_on_devices_ = runs_on_devices(function);
    ast_walker::walk_declaration(declaration);
    is_on_devices_ = before;
  }
  void visit_name(clang::NamedDecl const* declared) override {
    if (!declared->getDeclName().isIdentifier() || !is_of_user(declared->getLocation(), sources_)) return;
    auto const name = declared->getName();
    bool const is_known_everywhere = !declared->getDeclContext()->isFunctionOrMethod();
    bool const takes_ballasts_place =
        name == "ballast" && is_known_everywhere && !isa<clang::NamespaceDecl>(declared);
    if (name == "lThreadId" || takes_ballasts_place)
      found.push_back({clang::SourceRange(declared->getLocation()),
                       "'" + name.str() + "' is a name that the translated program needs; use another one"});
  }
  /// Refuses decltype of a shared variable in code that devices run, where the variable is a reference in the
  /// result.
  void visit_decltype(clang::DecltypeTypeLoc type) override {
    auto const* const named = dyn_cast<clang::DeclRefExpr>(type.getUnderlyingExpr());
    if (is_on_devices_ && named != nullptr && is_shared_variable(named->getDecl()))
      found.push_back({named->getSourceRange(), "'decltype(" + named->getDecl()->getNameAsString() +
                                                    ")' of a __global__ variable is not supported; write "
                                                    "the type"});
  }

  bool is_on_devices_ = false;
  clang::SourceManager const& sources_;
};

class form_checker {
 public:
  explicit form_checker(program const& parsed) : parsed_(parsed), sources_(parsed.sources()) {}

  void check(clang::VarDecl const& variable) {
    auto const name = "the __global__ variable '" + variable.getNameAsString() + "' ";
    if (auto const* const type = defined_with(variable))
      fail(clang::SourceRange(type->getLocation()),
           name + "is declared together with its type; define the type before it");
    for (auto const* const attribute : variable.attrs())
      if (!attribute->isImplicit() && !attribute->isInherited() && !isa<clang::AnnotateAttr>(attribute))
        fail(attribute->getRange(), name + "has an attribute, which mesicc cannot rewrite");
  }
  /// Refuses a variable of an unnamed namespace whose name also means something outside of it: at its
  /// launches, `::a` must be the variable.
  void check_is_reachable(clang::VarDecl const& variable) {
    clang::DeclContext const* space = variable.getDeclContext()->getRedeclContext();
    if (!space->isNamespace() || !llvm::cast<clang::NamespaceDecl>(space)->isAnonymousNamespace()) return;
    while (isa<clang::NamespaceDecl>(space) &&
           llvm::cast<clang::NamespaceDecl>(space)->isAnonymousNamespace())
      space = space->getParent()->getRedeclContext();
    if (space->lookup(variable.getDeclName()).empty()) return;
    fail(clang::SourceRange(variable.getLocation()),
         "the __global__ variable '" + variable.getNameAsString() +
             "' is in a namespace without a name, and what is around it has the same name");
  }
  void check(clang::CUDAKernelCallExpr const& launch) {
    for (unsigned i = 0; i < launch.getNumArgs(); ++i) {
      auto const* const argument = launch.getArg(i);
      if (isa<clang::CXXDefaultArgExpr>(argument))
        return fail({launch.getBeginLoc(), launch.getEndLoc()},
                    "a launch has to give all arguments; '" +
                        called_by(&launch)->getParamDecl(i)->getNameAsString() + "' is left out here");
      auto const where = argument->getSourceRange();
      if (*sources_.getCharacterData(sources_.getSpellingLoc(where.getBegin())) == '{')
        fail(where, "an argument of a launch cannot be in braces alone; write its type before them");
    }
  }
  void fail(clang::SourceRange where, std::string message) {
    found.push_back({severity::error,
                     place_of(where, sources_, parsed_.context().getLangOpts()),
                     std::move(message),
                     {}});
  }
  std::vector<diagnostic> found;

 private:
  clang::TagDecl const* defined_with(clang::VarDecl const& variable) const {
    auto const* const type = variable.getASTContext().getBaseElementType(variable.getType())->getAsTagDecl();
    auto const* const definition = type == nullptr ? nullptr : type->getDefinition();
    bool const is_within =
        definition != nullptr && definition->isEmbeddedInDeclarator() &&
        sources_.isBeforeInTranslationUnit(variable.getBeginLoc(), definition->getEndLoc()) &&
        sources_.isBeforeInTranslationUnit(definition->getEndLoc(), variable.getLocation());
    return is_within ? definition : nullptr;
  }

  program const& parsed_;
  clang::SourceManager const& sources_;
};

/// Code that is legal in the dialect, but has a form that cannot be rewritten: an error for each.
std::vector<diagnostic> refused_forms(program const& parsed, device_functions const& functions,
                                      std::vector<clang::VarDecl const*> const& variables,
                                      std::vector<planned_launch> const& launches) {
  form_checker checker(parsed);
  name_checker names(parsed.sources());
  names.walk(parsed.context().getTranslationUnitDecl());
  for (auto const& [where, message] : names.found) checker.fail(where, message);
  for (auto const& [where, message] : functions.refused_uses()) checker.fail(where, message);
  for (auto const* const variable : variables) checker.check(*variable);
  for (auto const& launch : launches) {
    checker.check(*launch.site.call);
    for (auto const* const variable : functions.hidden_of(launch.site.kernel).variables)
      checker.check_is_reachable(*variable);
  }
  return std::move(checker.found);
}

/// Words that are written wherever variables, functions and launches are.
std::set<std::string> const words_anywhere{"ballast", "mesi",   "variable",  "thread_id", "launch", "threads",
                                           "address", "read",   "update",    "open",      "host",   "std",
                                           "static",  "extern", "lThreadId", "BALLAST_HD"};
/// The text of BALLAST_MESI_KERNELS at the file's end.
constexpr char text_at_end[] =
    "BALLAST_MESI_KERNELS() namespace template <class... Launch> struct ballast_mesi_list kernels() { static "
    "const kernel_set set(compile_kernels<for_jobs, thread_blocks>()); return set; } kernel_registration "
    "ballast_mesi_registration();";

class macro_checker {
 public:
  explicit macro_checker(program const& parsed)
      : preprocessor_(parsed.unit->getPreprocessor()), sources_(parsed.sources()) {}

  /// Refuses macros with a name in words_anywhere, wherever the program defines them.
  void check_words_anywhere() {
    for (auto const& [name, state] : preprocessor_.macros()) {
      if (!words_anywhere.contains(name->getName().str())) continue;
      for (auto const* change = preprocessor_.getLocalMacroDirectiveHistory(name); change != nullptr;
           change = change->getPrevious())
        if (auto const* const defined = llvm::dyn_cast<clang::DefMacroDirective>(change))
          refuse(name->getName().str(), *defined->getInfo());
    }
  }
  /// Refuses the macros that would change `text` with the definitions in force at `where`.
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

/// An error for each user macro that would change the text written into the program.
std::vector<diagnostic> macros_in_the_way(program const& parsed, rewritten_launches const& launches) {
  macro_checker checker(parsed);
  auto const& sources = parsed.sources();
  checker.check_words_anywhere();
  for (auto const& [where, text] : launches.structs) checker.check_text(text, where);
  if (!launches.names.empty())
    checker.check_text(text_at_end, sources.getLocForEndOfFile(sources.getMainFileID()));
  return std::move(checker.found);
}

class variable_collector : public ast_walker {
 public:
  std::vector<clang::VarDecl const*> found;

 private:
  void visit_variable(clang::VarDecl const* variable) override {
    if (is_shared_variable(variable)) found.push_back(variable);
  }
};

std::vector<clang::VarDecl const*> shared_variables_of(clang::ASTContext& context) {
  variable_collector collector;
  collector.walk(context.getTranslationUnitDecl());
  return std::move(collector.found);
}

diagnostic warning_of_escape(clang::DeclRefExpr const& reference, std::string const& why,
                             program const& parsed) {
  auto const where = place_of(reference.getSourceRange(), parsed.sources(), parsed.context().getLangOpts());
  bool const is_pointer = reference.getType()->isAnyPointerType();
  auto const name = "'" + reference.getDecl()->getNameAsString() + "'";
  return {severity::warning,
          where,
          (is_pointer ? "the pointer " : "the address of ") + name + " " + why +
              ", where it cannot be followed; from here on each launch that uses the " +
              "variable is waited for",
          {}};
}

diagnostic error_of_failure(clang::SourceLocation where, program const& parsed) {
  return {severity::error,
          place_of(where, parsed.sources()),
          "mesicc cannot rewrite this, because macros make it, or templates; write it out",
          {}};
}

/// A result that includes no header of ballast keeps its names.
void rename(renamed_globals const& renamed, program const& parsed, source_rewriter& rewriter,
            std::vector<diagnostic>& found) {
  for (auto const* const declared : renamed.without_a_name())
    found.push_back({severity::error,
                     place_of(clang::SourceRange(declared->getLocation()), parsed.sources(),
                              parsed.context().getLangOpts()),
                     "'" + renamed.name_of(*declared) +
                         "' is a name that the translated program needs for '" + declared->getNameAsString() +
                         "', which the C library has too; use another one",
                     {}});
  renamed.rewrite(rewriter);
}

/// Adds the list of the launches' structs at the end of the text. It passes their kernels to the program's
/// scheduler.
std::string with_lists(std::string text, std::vector<std::string> const& structs) {
  std::string list;
  for (auto const& name : structs) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? text : text + "\nBALLAST_MESI_KERNELS(" + list + ")\n";
}

std::string as_directives(std::vector<std::string> const& definitions) {
  std::string text;
  for (auto const& definition : definitions) {
    auto const equals = definition.find('=');
    auto const value = equals == std::string::npos ? "1" : definition.substr(equals + 1);
    text += "#define " + definition.substr(0, equals) + " " + value + "\n";
  }
  return text;
}

/// A checked program, rewritten to ballast's variables, accesses and launches. Adds a warning for each
/// address that escapes from view, and an error where the text cannot be changed. The result defines the
/// options' macros itself, after ballast's headers.
std::string emitted_source(program const& parsed, std::vector<planned_launch> const& launches,
                           translation_options const& options, std::vector<diagnostic>& found) {
  auto& context = parsed.context();
  source_rewriter rewriter(context.getSourceManager(), context.getLangOpts());
  auto const variables = shared_variables_of(context);
  device_functions const functions(context);
  auto refused = refused_forms(parsed, functions, variables, launches);
  if (!refused.empty()) return found.insert(found.end(), refused.begin(), refused.end()), std::string();
  renamed_globals const renamed(context);
  rewrite_declarations(variables, renamed, rewriter);
  functions.rewrite(rewriter);
  auto const rewritten = rewrite_launches(launches, functions, renamed, rewriter);
  std::ranges::move(macros_in_the_way(parsed, rewritten), std::back_inserter(found));
  std::set<std::pair<clang::SourceLocation, std::string>> told;  // templates are instantiated several times
  host_accesses(context, [&](auto const& reference, auto const& why) {
    if (told.emplace(reference.getLocation(), why).second)
      found.push_back(warning_of_escape(reference, why, parsed));
  }).rewrite(rewriter);
  if (!rewriter.edits().empty()) rename(renamed, parsed, rewriter, found);
  for (auto const& place : rewriter.failures()) found.push_back(error_of_failure(place, parsed));
  auto const text =
      as_directives(options.definitions) +
      assembled_source(parsed.unit->getPreprocessor(), rewriter.edits(), options.headers_by_path, found);
  return rewriter.edits().empty() ? text
                                  : "#include <ballast/mesi/mesi.cuh>\n" + with_lists(text, rewritten.names);
}

bool is_error(diagnostic const& one) { return one.level == severity::error; }

void append(std::vector<diagnostic>& to, std::vector<diagnostic> more) {
  std::ranges::move(more, std::back_inserter(to));
}

/// Adds the analysis of a launch; adds nothing to `launches` if it was refused.
void plan(launch_site site, analysis_options const& options, translation& made,
          std::vector<planned_launch>& launches) {
  auto analysis = analyse(site.model, options);
  append(made.diagnostics, std::move(analysis.diagnostics));
  if (!analysis.plan) return;
  made.explanation += analysis.plan->explanation;
  launches.push_back({std::move(site), std::move(*analysis.plan)});
}

translation translate_here(std::filesystem::path const& file, translation_options const& options) {
  auto const parsed = parse_program(file, {options.include_folders, options.definitions});
  translation made{.diagnostics = parsed.diagnostics};
  if (parsed.has_errors()) return made;
  auto found = launches_of(parsed);
  append(made.diagnostics, std::move(found.diagnostics));
  if (made.has_errors()) return made;
  std::vector<planned_launch> launches;
  for (auto& site : found.sites) plan(std::move(site), {options.allow_unpartitioned}, made, launches);
  if (!made.has_errors()) made.source = emitted_source(parsed, launches, options, made.diagnostics);
  if (made.has_errors()) made.source.clear();
  return made;
}

}  // namespace

bool translation::has_errors() const { return std::ranges::any_of(diagnostics, is_error); }

/// Translates on a thread with a large stack: clang, and the code that walks its trees, recurse as deeply as
/// the program nests. Clang can crash on some input, which becomes an error.
translation translate(std::filesystem::path const& file, translation_options const& options) {
  constexpr unsigned stack_bytes = 512u << 20;
  translation made;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext on_thread;
  if (on_thread.RunSafelyOnThread([&] { made = translate_here(file, options); }, stack_bytes)) return made;
  diagnostic broken;
  broken.where.file = file.string();
  broken.message = "the compiler within mesicc broke down over this file";
  made = {};
  made.diagnostics.push_back(std::move(broken));
  return made;
}

}  // namespace ballast::mesicc
