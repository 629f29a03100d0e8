// SPDX-License-Identifier: Apache-2.0
#include "source/ast_walker.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace ballast::mesicc {

class ast_walker::visitor : public clang::RecursiveASTVisitor<visitor> {
 public:
  explicit visitor(ast_walker& walker) : walker_(walker) {}

  bool shouldVisitTemplateInstantiations() const { return walker_.also_.of_templates; }
  bool shouldVisitImplicitCode() const { return walker_.also_.implicit; }

  bool TraverseDecl(clang::Decl* declaration) {
    if (declaration != nullptr && is_walked(*declaration)) walker_.walk_declaration(declaration);
    return true;
  }
  void walk_within(clang::Decl* declaration) { Base::TraverseDecl(declaration); }
  bool TraverseLambdaCapture(clang::LambdaExpr* lambda, clang::LambdaCapture const* capture,
                             clang::Expr* value) {
    return !walker_.enters_capture(lambda, capture) || Base::TraverseLambdaCapture(lambda, capture, value);
  }

  bool VisitNamedDecl(clang::NamedDecl* node) { return walker_.visit_name(node), true; }
  bool VisitVarDecl(clang::VarDecl* node) { return walker_.visit_variable(node), true; }
  bool VisitFunctionDecl(clang::FunctionDecl* node) { return walker_.visit_function(node), true; }
  bool VisitCXXDestructorDecl(clang::CXXDestructorDecl* node) { return walker_.visit_destructor(node), true; }

  bool VisitDeclRefExpr(clang::DeclRefExpr* node) { return walker_.visit_reference(node), true; }
  bool VisitMemberExpr(clang::MemberExpr* node) { return walker_.visit_member(node), true; }
  bool VisitOverloadExpr(clang::OverloadExpr* node) { return walker_.visit_overloads(node), true; }
  bool VisitCallExpr(clang::CallExpr* node) { return walker_.visit_call(node), true; }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* node) { return walker_.visit_launch(node), true; }
  bool VisitLambdaExpr(clang::LambdaExpr* node) { return walker_.visit_lambda(node), true; }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* node) { return walker_.visit_construction(node), true; }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* node) {
    return walker_.visit_temporary(node), true;
  }

  bool VisitTagTypeLoc(clang::TagTypeLoc type) { return walker_.visit_tag_type(type), true; }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) { return walker_.visit_typedef_type(type), true; }
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc type) {
    return walker_.visit_template_type(type), true;
  }
  bool VisitDecltypeTypeLoc(clang::DecltypeTypeLoc type) { return walker_.visit_decltype(type), true; }

 private:
  using Base = clang::RecursiveASTVisitor<visitor>;  // NOLINT(readability-identifier-naming): clang's way

  /// True if clang would walk a declaration, before a walker is asked. The template parameter of an `auto`
  /// parameter is implicit, but the user wrote its constraints.
  bool is_walked(clang::Decl const& declaration) const {
    return walker_.also_.implicit || !declaration.isImplicit() ||
           llvm::isa<clang::TemplateTypeParmDecl>(declaration);
  }

  ast_walker& walker_;
};

// Clang's visitor takes non-const nodes; the visits here get const ones again.

void ast_walker::walk(clang::Decl const* declaration) {
  visitor(*this).TraverseDecl(const_cast<clang::Decl*>(declaration));
}

void ast_walker::walk(clang::Stmt const* statement) {
  visitor(*this).TraverseStmt(const_cast<clang::Stmt*>(statement));
}

void ast_walker::walk_declaration(clang::Decl const* declaration) {
  visitor(*this).walk_within(const_cast<clang::Decl*>(declaration));
}

clang::FunctionDecl const* plain_function(clang::Decl const* declaration) {
  bool const is_plain =
      declaration->getKind() == clang::Decl::Function || declaration->getKind() == clang::Decl::CXXMethod;
  return is_plain ? llvm::cast<clang::FunctionDecl>(declaration) : nullptr;
}

}  // namespace ballast::mesicc
