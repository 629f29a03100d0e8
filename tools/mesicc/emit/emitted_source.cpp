// SPDX-License-Identifier: Apache-2.0
#include "emit/emitted_source.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "emit/assembled_source.hpp"
#include "emit/device_functions.hpp"
#include "emit/host_accesses.hpp"
#include "emit/macro_checks.hpp"
#include "emit/refused_forms.hpp"
#include "emit/renamed_globals.hpp"
#include "emit/shared_variables.hpp"
#include "source/ast_walker.hpp"
#include "source/dialect.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {
namespace {

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

/// What includes no header of ballast keeps its names.
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

/// The names of the launches' structs at the end give their kernels to the program's scheduler.
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

}  // namespace

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
  std::set<std::pair<clang::SourceLocation, std::string>> told;  // templates are made several times
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

}  // namespace ballast::mesicc
