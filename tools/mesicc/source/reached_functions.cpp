// SPDX-License-Identifier: Apache-2.0
#include "source/reached_functions.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include <set>

#include "source/dialect.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {
namespace {

class kernel_finder : public clang::RecursiveASTVisitor<kernel_finder> {
 public:
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (is_kernel(function) && function->doesThisDeclarationHaveABody()) found.push_back(function);
    return true;
  }
  std::vector<clang::FunctionDecl*> found;
};

class call_follower : public clang::RecursiveASTVisitor<call_follower> {
 public:
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitTemplateInstantiations() const { return true; }

  void reach(clang::FunctionDecl const* function) {
    clang::FunctionDecl const* body = nullptr;
    if (function == nullptr || !function->hasBody(body)) return;
    if (reached_.insert(body).second) found.push_back(body);
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    return reach(llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl())), true;
  }
  bool VisitMemberExpr(clang::MemberExpr* member) {
    return reach(llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl())), true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) { return reach(made->getConstructor()), true; }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* bound) {
    return reach(bound->getTemporary()->getDestructor()), true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) { return reach_destructor(variable->getType()), true; }
  bool VisitCXXDestructorDecl(clang::CXXDestructorDecl* destructor) {
    for (auto const& base : destructor->getParent()->bases()) reach_destructor(base.getType());
    for (auto const* const member : destructor->getParent()->fields()) reach_destructor(member->getType());
    return true;
  }

  std::vector<clang::FunctionDecl const*> found;

 private:
  void reach_destructor(clang::QualType type) {
    auto const* const record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (record != nullptr && record->hasDefinition()) reach(record->getDestructor());
  }

  std::set<clang::FunctionDecl const*> reached_;
};

class shared_name_finder : public clang::RecursiveASTVisitor<shared_name_finder> {
 public:
  bool shouldVisitImplicitCode() const { return true; }
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (is_shared_variable(reference->getDecl())) found.push_back(reference);
    return true;
  }
  std::vector<clang::DeclRefExpr const*> found;
};

}  // namespace

std::vector<clang::FunctionDecl const*> functions_of_kernels(program const& parsed) {
  kernel_finder kernels;
  kernels.TraverseDecl(parsed.context().getTranslationUnitDecl());
  call_follower follower;
  for (auto* const kernel : kernels.found) follower.reach(kernel);
  for (std::size_t next = 0; next < follower.found.size(); ++next)  // which adds those that it calls
    follower.TraverseDecl(const_cast<clang::FunctionDecl*>(follower.found[next]));
  return std::move(follower.found);
}

void refuse_shared_variables_of_host_code(program const& parsed,
                                          std::vector<clang::FunctionDecl const*> const& of_kernels,
                                          std::vector<diagnostic>& found) {
  for (auto const* const function : of_kernels) {
    if (runs_on_devices(function)) continue;
    shared_name_finder names;
    names.TraverseDecl(const_cast<clang::FunctionDecl*>(function));
    for (auto const* const name : names.found) {
      auto const where = place_of(name->getSourceRange(), parsed.sources(), parsed.context().getLangOpts());
      found.push_back({severity::error,
                       where,
                       "'" + name->getDecl()->getNameAsString() +
                           "' is a __global__ variable, which a function that a kernel calls can use if it "
                           "is __device__",
                       {}});
    }
  }
}

}  // namespace ballast::mesicc
