// SPDX-License-Identifier: Apache-2.0
#include "emit/launching_functions.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "source/ast_walker.hpp"
#include "source/dialect.hpp"

namespace ballast::mesicc {

/// Collects all host functions that the user wrote: with bodies, and without.
class launching_functions::collector : public ast_walker {
 public:
  /// Constructors with member initialisers are implicit code.
  explicit collector(launching_functions& into)
      : ast_walker({.of_templates = true, .implicit = true}), into_(into) {}

 private:
  void visit_function(clang::FunctionDecl const* function) override {
    if (runs_on_devices(function) || !is_of_user(function->getLocation(), into_.sources_)) return;
    if (function->doesThisDeclarationHaveABody())
      into_.bodies_[canonical(function)].push_back(function->getBody());
    if (auto const* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function))
      for (auto const* const initialiser : constructor->inits())
        into_.bodies_[canonical(function)].push_back(initialiser->getInit());
    bool const is_elsewhere = !function->hasBody() && !function->isImplicit() && !function->isDeleted();
    if (is_elsewhere && !function->isDefaulted()) into_.launching_.insert(canonical(function));
  }
  void visit_lambda(clang::LambdaExpr const* lambda) override {
    into_.bodies_[canonical(lambda->getCallOperator())].push_back(lambda->getBody());
  }

  launching_functions& into_;
};

launching_functions::launching_functions(clang::ASTContext& context) : sources_(context.getSourceManager()) {
  collector(*this).walk(context.getTranslationUnitDecl());
  for (bool grown = true; grown;) {
    grown = false;
    for (auto const& [function, parts] : bodies_)
      if (!launching_.contains(function) &&
          std::ranges::any_of(parts, [&](auto const* part) { return may_launch_within(part, {}); }))
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

/// A call through a pointer, a virtual member, or a std::function.
bool launching_functions::is_call_of_unknown(clang::Stmt const* statement) const {
  auto const* const call = llvm::dyn_cast<clang::CallExpr>(statement);
  if (call == nullptr) return false;
  if (call->isTypeDependent()) return true;
  auto const* const callee = called_by(call);
  if (callee == nullptr)
    return !llvm::isa<clang::CXXPseudoDestructorExpr>(call->getCallee()->IgnoreParenImpCasts());
  auto const* const method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method == nullptr) return false;
  if (is_of_user(method->getLocation(), sources_)) return method->isVirtual();
  auto const* const of = method->getParent()->getIdentifier();
  return of != nullptr && (of->getName() == "function" || of->getName() == "move_only_function");
}

/// True if the library makes, destroys or calls user code through this type.
bool launching_functions::may_launch_by(clang::QualType type) const {
  type = type.getNonReferenceType();
  if (type->isFunctionPointerType()) return true;
  auto const* const record = type->getAsCXXRecordDecl();
  if (record == nullptr) return false;
  if (is_of_user(record->getLocation(), sources_))
    return std::ranges::any_of(record->methods(), [&](auto const* method) { return may_launch(method); });
  auto const* const name = record->getIdentifier();
  if (name != nullptr && (name->getName() == "function" || name->getName() == "move_only_function"))
    return true;
  auto const* const made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  return made != nullptr && std::ranges::any_of(made->getTemplateArgs().asArray(), [&](auto const& argument) {
           return may_launch_by(argument);
         });
}

bool launching_functions::may_launch_by(clang::TemplateArgument const& argument) const {
  if (argument.getKind() == clang::TemplateArgument::Type) return may_launch_by(argument.getAsType());
  return argument.getKind() == clang::TemplateArgument::Pack &&
         std::ranges::any_of(argument.pack_elements(), [&](auto const& one) { return may_launch_by(one); });
}

bool launching_functions::hands_launching_to_library(clang::Stmt const* statement) const {
  auto const* const call = llvm::dyn_cast<clang::CallExpr>(statement);
  auto const* const callee = call == nullptr ? nullptr : called_by(call);
  if (callee == nullptr || is_of_user(callee->getLocation(), sources_)) return false;
  for (auto const* const argument : call->arguments()) {
    auto const* const bare = argument->IgnoreParenImpCasts();
    bool const is_a_name = llvm::isa<clang::DeclRefExpr>(bare) && bare->getType()->isFunctionType();
    if (!is_a_name && may_launch_by(argument->getType()))
      return true;  // a name's target is examined where the name stands
  }
  auto const* const arguments = callee->getTemplateSpecializationArgs();
  return arguments != nullptr && std::ranges::any_of(arguments->asArray(), [&](auto const& argument) {
           return argument.getKind() == clang::TemplateArgument::Type &&
                  argument.getAsType()->isRecordType() && may_launch_by(argument);
         });
}

bool launching_functions::destructor_may_launch(clang::QualType type) const {
  while (auto const* const array = llvm::dyn_cast<clang::ArrayType>(type.getTypePtr()))
    type = array->getElementType();
  auto const* const record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return false;
  if (!is_of_user(record->getLocation(), sources_)) return !record->isLambda() && may_launch_by(type);
  if (auto const* const destructor = record->getDestructor(); destructor != nullptr && may_launch(destructor))
    return true;
  return std::ranges::any_of(record->fields(),
                             [&](auto const* field) { return destructor_may_launch(field->getType()); }) ||
         std::ranges::any_of(record->bases(),
                             [&](auto const& base) { return destructor_may_launch(base.getType()); });
}

bool launching_functions::destroys_or_makes_launching(clang::Stmt const* statement) const {
  if (auto const* const group = llvm::dyn_cast<clang::DeclStmt>(statement))
    for (auto const* const declared : group->decls())
      if (auto const* const variable = llvm::dyn_cast<clang::VarDecl>(declared);
          variable != nullptr && !variable->getType()->isReferenceType() &&
          !variable->getType()->isDependentType() && destructor_may_launch(variable->getType()))
        return true;
  if (auto const* const temporary = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(statement))
    return destructor_may_launch(temporary->getType());
  if (auto const* const destroyed = llvm::dyn_cast<clang::CXXDeleteExpr>(statement))
    return destroyed->getDestroyedType().isNull() || destructor_may_launch(destroyed->getDestroyedType());
  return false;
}

bool launching_functions::launches(clang::Stmt const* statement) const {
  if (llvm::isa<clang::CUDAKernelCallExpr>(statement) || is_call_of_unknown(statement)) return true;
  if (destroys_or_makes_launching(statement) || hands_launching_to_library(statement)) return true;
  auto const* const function = named_by(statement);
  return function != nullptr && may_launch(function);
}

bool launching_functions::may_launch_within(clang::Stmt const* scope, clang::SourceLocation begin) const {
  if (scope == nullptr) return false;
  if (auto const* const given = llvm::dyn_cast<clang::CXXDefaultArgExpr>(scope))  // written elsewhere
    return may_launch_within(given->getExpr(), {});
  if (auto const* const given = llvm::dyn_cast<clang::CXXDefaultInitExpr>(scope))
    return may_launch_within(given->getExpr(), {});
  bool const is_late_enough =
      begin.isInvalid() || !sources_.isBeforeInTranslationUnit(scope->getEndLoc(), begin);
  if (!is_late_enough) return false;
  if (launches(scope)) return true;
  for (auto const* const child : scope->children())
    if (may_launch_within(child, begin)) return true;
  return false;
}

}  // namespace ballast::mesicc
