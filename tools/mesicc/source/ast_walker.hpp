// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>

namespace ballast::mesicc {

/// The code to walk besides the user's own.
struct walked_code {
  bool of_templates = false;  ///< instantiations of templates
  bool implicit = false;
};

/// Clang's RecursiveASTVisitor with virtual functions. Each class derived from that visitor takes seven
/// seconds to compile, so only one class is, and this interface hides it.
class ast_walker {
 public:
  explicit ast_walker(walked_code also = {}) : also_(also) {}
  ast_walker(ast_walker const&) = delete;
  ast_walker& operator=(ast_walker const&) = delete;
  virtual ~ast_walker() = default;

  void walk(clang::Decl const* declaration);
  void walk(clang::Stmt const* statement);

 protected:
  /// Called for each declaration; visits it and everything within it. An override that does not call this
  /// skips the declaration, and may prepare before and clean up after the visit.
  virtual void walk_declaration(clang::Decl const* declaration);
  /// True if one of a lambda's captures is visited.
  virtual bool enters_capture(clang::LambdaExpr const*, clang::LambdaCapture const*) { return true; }

  // Outer nodes come first; a node that fits several of these is visited by its base classes first.
  virtual void visit_name(clang::NamedDecl const*) {}
  virtual void visit_variable(clang::VarDecl const*) {}
  virtual void visit_function(clang::FunctionDecl const*) {}
  virtual void visit_destructor(clang::CXXDestructorDecl const*) {}

  virtual void visit_reference(clang::DeclRefExpr const*) {}
  virtual void visit_member(clang::MemberExpr const*) {}
  virtual void visit_overloads(clang::OverloadExpr const*) {}
  virtual void visit_call(clang::CallExpr const*) {}
  virtual void visit_launch(clang::CUDAKernelCallExpr const*) {}
  virtual void visit_lambda(clang::LambdaExpr const*) {}
  virtual void visit_construction(clang::CXXConstructExpr const*) {}
  virtual void visit_temporary(clang::CXXBindTemporaryExpr const*) {}

  virtual void visit_tag_type(clang::TagTypeLoc) {}
  virtual void visit_typedef_type(clang::TypedefTypeLoc) {}
  virtual void visit_template_type(clang::TemplateSpecializationTypeLoc) {}
  virtual void visit_decltype(clang::DecltypeTypeLoc) {}

 private:
  class visitor;

  walked_code also_;
};

/// A function or a member function; null for everything else, including constructors, destructors and
/// conversions.
clang::FunctionDecl const* plain_function(clang::Decl const* declaration);

}  // namespace ballast::mesicc
