// SPDX-License-Identifier: Apache-2.0
#include "emit/translate.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>

#include "emit/assembled_source.hpp"
#include "emit/device_functions.hpp"
#include "emit/dialect.hpp"
#include "emit/host_accesses.hpp"
#include "emit/scaffold.hpp"
#include "emit/shared_variables.hpp"

namespace ballast::mesicc {
namespace {

class variable_collector : public clang::RecursiveASTVisitor<variable_collector> {
 public:
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (is_shared_variable(variable)) found.push_back(variable);
    return true;
  }
  std::vector<clang::VarDecl const*> found;
};

}  // namespace

translation translate(std::filesystem::path const& file, translation_options const& options) {
  auto const parsed = parse_for_now(file.string(), options);
  if (!parsed.unit || parsed.unit->getDiagnostics().hasErrorOccurred()) return {};
  auto& context = parsed.unit->getASTContext();
  source_rewriter rewriter(context.getSourceManager(), context.getLangOpts());
  variable_collector variables;
  variables.TraverseDecl(context.getTranslationUnitDecl());
  rewrite_declarations(variables.found, rewriter);
  device_functions(context).rewrite(rewriter);
  host_accesses(context, [](auto const&, auto const&) {}).rewrite(rewriter);
  return {true, assembled_source(context.getSourceManager(), rewriter.edits()), {}, {}};
}

}  // namespace ballast::mesicc
