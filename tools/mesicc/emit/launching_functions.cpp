// SPDX-License-Identifier: Apache-2.0
#include "emit/launching_functions.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include "source/dialect.hpp"

namespace ballast::mesicc {

/// All functions of the host that the user wrote: with bodies, and without.
class launching_functions::collector : public clang::RecursiveASTVisitor<collector> {
 public:
  explicit collector(launching_functions& into) : into_(into) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (runs_on_devices(function) || !is_of_user(function->getLocation(), into_.sources_)) return true;
    if (function->doesThisDeclarationHaveABody()) into_.bodies_[canonical(function)] = function->getBody();
    bool const is_elsewhere = !function->hasBody() && !function->isImplicit() && !function->isDeleted();
    if (is_elsewhere && !function->isDefaulted()) into_.launching_.insert(canonical(function));
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    into_.bodies_[canonical(lambda->getCallOperator())] = lambda->getBody();
    return true;
  }

 private:
  launching_functions& into_;
};

launching_functions::launching_functions(clang::ASTContext& context) : sources_(context.getSourceManager()) {
  collector(*this).TraverseDecl(context.getTranslationUnitDecl());
  for (bool grown = true; grown;) {
    grown = false;
    for (auto const& [function, body] : bodies_)
      if (!launching_.contains(function) && may_launch_within(body, {}))
        grown = launching_.insert(function).second;
  }
}

namespace {

clang::FunctionDecl const* call_operator_of(clang::QualType type) {
  auto const* const record = type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->isLambda() ? record->getLambdaCallOperator() : nullptr;
}

}  // namespace

clang::FunctionDecl const* launching_functions::named_by(clang::Stmt const* statement) const {
  if (auto const* const reference = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
    if (auto const* const function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
      return function;
    return call_operator_of(reference->getType());
  }
  if (auto const* const member = llvm::dyn_cast<clang::MemberExpr>(statement)) {
    auto const* const function = llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl());
    return function != nullptr ? function : call_operator_of(member->getType());
  }
  if (auto const* const made = llvm::dyn_cast<clang::CXXConstructExpr>(statement))
    return made->getConstructor();
  return nullptr;
}

/// Through a pointer, a virtual member, or a std::function.
bool launching_functions::is_call_of_unknown(clang::Stmt const* statement) const {
  auto const* const call = llvm::dyn_cast<clang::CallExpr>(statement);
  if (call == nullptr || call->isTypeDependent()) return false;
  auto const* const callee = called_by(call);
  if (callee == nullptr)
    return !llvm::isa<clang::CXXPseudoDestructorExpr>(call->getCallee()->IgnoreParenImpCasts());
  auto const* const method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method == nullptr) return false;
  if (is_of_user(method->getLocation(), sources_)) return method->isVirtual();
  auto const* const of = method->getParent()->getIdentifier();
  return of != nullptr && (of->getName() == "function" || of->getName() == "move_only_function");
}

bool launching_functions::launches(clang::Stmt const* statement) const {
  if (llvm::isa<clang::CUDAKernelCallExpr>(statement) || is_call_of_unknown(statement)) return true;
  auto const* const function = named_by(statement);
  return function != nullptr && may_launch(function);
}

bool launching_functions::may_launch_within(clang::Stmt const* scope, clang::SourceLocation begin) const {
  if (scope == nullptr) return false;
  bool const is_late_enough =
      begin.isInvalid() || !sources_.isBeforeInTranslationUnit(scope->getEndLoc(), begin);
  if (!is_late_enough) return false;
  if (launches(scope)) return true;
  for (auto const* const child : scope->children())
    if (may_launch_within(child, begin)) return true;
  return false;
}

}  // namespace ballast::mesicc
