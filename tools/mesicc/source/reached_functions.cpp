// SPDX-License-Identifier: Apache-2.0
#include "source/reached_functions.hpp"

#include <set>

#include "source/ast_walker.hpp"
#include "source/dialect.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {
namespace {

class kernel_finder : public ast_walker {
 public:
  std::vector<clang::FunctionDecl const*> found;

 private:
  void visit_function(clang::FunctionDecl const* function) override {
    if (is_kernel(function) && function->doesThisDeclarationHaveABody()) found.push_back(function);
  }
};

class call_follower : public ast_walker {
 public:
  call_follower() : ast_walker({.of_templates = true, .implicit = true}) {}

  void reach(clang::FunctionDecl const* function) {
    clang::FunctionDecl const* body = nullptr;
    if (function == nullptr || !function->hasBody(body)) return;
    if (reached_.insert(body).second) found.push_back(body);
  }
  std::vector<clang::FunctionDecl const*> found;

 private:
  void visit_reference(clang::DeclRefExpr const* reference) override {
    reach(llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()));
  }
  void visit_member(clang::MemberExpr const* member) override {
    reach(llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl()));
  }
  void visit_construction(clang::CXXConstructExpr const* made) override { reach(made->getConstructor()); }
  void visit_temporary(clang::CXXBindTemporaryExpr const* bound) override {
    reach(bound->getTemporary()->getDestructor());
  }
  void visit_variable(clang::VarDecl const* variable) override { reach_destructor(variable->getType()); }
  void visit_destructor(clang::CXXDestructorDecl const* destructor) override {
    for (auto const& base : destructor->getParent()->bases()) reach_destructor(base.getType());
    for (auto const* const member : destructor->getParent()->fields()) reach_destructor(member->getType());
  }
  void reach_destructor(clang::QualType type) {
    auto const* const record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (record != nullptr && record->hasDefinition()) reach(record->getDestructor());
  }

  std::set<clang::FunctionDecl const*> reached_;
};

class shared_name_finder : public ast_walker {
 public:
  shared_name_finder() : ast_walker({.implicit = true}) {}

  std::vector<clang::DeclRefExpr const*> found;

 private:
  void visit_reference(clang::DeclRefExpr const* reference) override {
    if (is_shared_variable(reference->getDecl())) found.push_back(reference);
  }
};

}  // namespace

std::vector<clang::FunctionDecl const*> functions_of_kernels(program const& parsed) {
  kernel_finder kernels;
  kernels.walk(parsed.context().getTranslationUnitDecl());
  call_follower follower;
  for (auto const* const kernel : kernels.found) follower.reach(kernel);
  for (std::size_t next = 0; next < follower.found.size(); ++next)  // which adds those that it calls
    follower.walk(follower.found[next]);
  return std::move(follower.found);
}

void refuse_shared_variables_of_host_code(program const& parsed,
                                          std::vector<clang::FunctionDecl const*> const& of_kernels,
                                          std::vector<diagnostic>& found) {
  for (auto const* const function : of_kernels) {
    if (runs_on_devices(function)) continue;
    shared_name_finder names;
    names.walk(function);
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
