// SPDX-License-Identifier: Apache-2.0
#include "emit/translate.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>

#include "emit/assembled_source.hpp"
#include "emit/device_functions.hpp"
#include "emit/dialect.hpp"
#include "emit/host_accesses.hpp"
#include "emit/launches.hpp"
#include "emit/scaffold.hpp"
#include "emit/shared_variables.hpp"

namespace ballast::mesicc {
namespace {

class collector : public clang::RecursiveASTVisitor<collector> {
 public:
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (is_shared_variable(variable)) variables.push_back(variable);
    return true;
  }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) {
    calls.push_back(call);
    return true;
  }
  std::vector<clang::VarDecl const*> variables;
  std::vector<clang::CUDAKernelCallExpr const*> calls;
};

planned_launch plan_for_now(clang::CUDAKernelCallExpr const* call, clang::SourceManager const& sources) {
  planned_launch launch{call, {}, {}};
  launch.model.kernel = called_by(call)->getNameAsString();
  launch.model.where.line = sources.getSpellingLineNumber(call->getBeginLoc());
  launch.model.dimensions = 2;
  launch.plan.partitioned = false;
  for (auto const* const parameter : called_by(call)->parameters()) {
    if (!parameter->getType()->isPointerType()) continue;
    launch.model.arrays.push_back(
        {.parameter = parameter->getNameAsString(), .variable = "", .element_type = ""});
    launch.plan.arrays.emplace_back();
    launch.plan.arrays.back().reads_all = launch.plan.arrays.back().writes_all = true;
  }
  return launch;
}

}  // namespace

translation translate(std::filesystem::path const& file, translation_options const& options) {
  auto const parsed = parse_for_now(file.string(), options);
  if (!parsed.unit || parsed.unit->getDiagnostics().hasErrorOccurred()) return {};
  auto& context = parsed.unit->getASTContext();
  source_rewriter rewriter(context.getSourceManager(), context.getLangOpts());
  collector found;
  found.TraverseDecl(context.getTranslationUnitDecl());
  std::vector<planned_launch> launches;
  for (auto const* const call : found.calls)
    launches.push_back(plan_for_now(call, context.getSourceManager()));
  rewrite_declarations(found.variables, rewriter);
  device_functions const functions(context);
  functions.rewrite(rewriter);
  auto const structs = rewrite_launches(launches, functions, rewriter);
  host_accesses(context, [](auto const&, auto const&) {}).rewrite(rewriter);
  auto text = assembled_source(context.getSourceManager(), rewriter.edits());
  if (!rewriter.edits().empty()) text = "#include <ballast/mesi/mesi.cuh>\n" + text;
  std::string list;
  for (auto const& name : structs) list += (list.empty() ? "" : ", ") + name;
  if (!list.empty()) text += "\nBALLAST_MESI_KERNELS(" + list + ")\n";
  return {true, text, {}, {}};
}

}  // namespace ballast::mesicc
