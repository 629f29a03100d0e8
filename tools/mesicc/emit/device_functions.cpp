// SPDX-License-Identifier: Apache-2.0
// Which functions run on devices, and what they use. device_functions_text.cpp changes their text.
#include "emit/device_functions.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "emit/spelled_names.hpp"
#include "source/ast_walker.hpp"
#include "source/dialect.hpp"

namespace ballast::mesicc {
namespace {

/// The function as it is written, of what templates make.
clang::FunctionDecl const* key_of(clang::FunctionDecl const* function) {
  if (auto const* const pattern = function->getTemplateInstantiationPattern()) function = pattern;
  if (auto const* made_from = function->getDescribedFunctionTemplate()) {
    while (auto const* const outer = made_from->getInstantiatedFromMemberTemplate()) made_from = outer;
    function = made_from->getTemplatedDecl();
  }
  return function->getCanonicalDecl();
}

}  // namespace

class device_functions::collector : public ast_walker {
 public:
  collector(device_functions& into, clang::SourceManager const& sources)
      : ast_walker({.of_templates = true}), into_(into), sources_(sources) {}

 private:
  void walk_declaration(clang::Decl const* declaration) override {
    auto const* const function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (function == nullptr || llvm::isa<clang::CXXDeductionGuideDecl>(function) ||
        !record_function(*function))
      return ast_walker::walk_declaration(declaration);
    auto* const before = current_;
    auto const* const body_before = body_;
    current_ = &into_.uses_[key_of(function)];
    body_ = function->doesThisDeclarationHaveABody() ? function->getBody() : nullptr;
    ast_walker::walk_declaration(declaration);
    current_ = before;
    body_ = body_before;
  }

  void visit_name(clang::NamedDecl const* declared) override { record_name(*declared); }
  void visit_tag_type(clang::TagTypeLoc type) override { record_name(*type.getDecl()); }
  void visit_typedef_type(clang::TypedefTypeLoc type) override { record_name(*type.getTypedefNameDecl()); }
  void visit_template_type(clang::TemplateSpecializationTypeLoc type) override {
    auto const* const made_from = type.getTypePtr()->getTemplateName().getAsTemplateDecl();
    if (made_from != nullptr) record_name(*made_from);
  }
  void visit_overloads(clang::OverloadExpr const* named) override {
    if (current_ != nullptr) current_->names.insert(named->getName().getAsString());
  }
  void visit_member(clang::MemberExpr const* member) override {
    if (member->isImplicitAccess()) record_name(*member->getMemberDecl());
    record_value(*member, member->getMemberDecl());
  }
  void visit_reference(clang::DeclRefExpr const* reference) override {
    record_value(*reference, reference->getDecl());
    if (current_ == nullptr) return;
    bool const of_thread = is_thread_id(reference->getDecl());
    if (!of_thread && !is_shared_variable(reference->getDecl())) return record_name(*reference->getDecl());
    if (!is_in_body(reference->getLocation())) into_.in_heads_.push_back(reference);
    if (of_thread) current_->hidden.thread_id = true;
    if (!of_thread) record_variable(reference);
  }
  void visit_call(clang::CallExpr const* call) override {
    auto const* const callee = called_by(call);
    bool const by_name = !llvm::isa<clang::CXXOperatorCallExpr>(call) &&
                         llvm::dyn_cast_or_null<clang::CXXConversionDecl>(callee) == nullptr;
    if (!by_name || current_ == nullptr || !runs_on_devices(callee) || !is_in_body(call->getBeginLoc()))
      return;
    called_.insert(call->getCallee()->IgnoreParenImpCasts());
    current_->calls.push_back({call, key_of(callee)});
  }

  /// Whether it is one of those whose uses are wanted.
  bool record_function(clang::FunctionDecl const& function) {
    if (!is_of_user(function.getLocation(), sources_)) return false;
    if (!runs_on_devices(&function)) {
      if (function.hasAttr<clang::CUDAHostAttr>()) into_.of_host_.push_back(&function);
      return false;
    }
    auto const made_by = function.getTemplateSpecializationKind();
    if (made_by == clang::TSK_ExplicitInstantiationDefinition ||
        made_by == clang::TSK_ExplicitInstantiationDeclaration)
      into_.instantiated_by_hand_.insert(function.getPointOfInstantiation());
    if (key_of(&function) == function.getCanonicalDecl()) into_.declarations_.push_back(&function);
    return true;
  }

  bool is_in_body(clang::SourceLocation place) const {
    return body_ != nullptr &&
           !sources_.isBeforeInTranslationUnit(sources_.getExpansionLoc(place),
                                               sources_.getExpansionLoc(body_->getBeginLoc()));
  }
  void record_name(clang::NamedDecl const& named) {
    if (current_ != nullptr && named.getDeclName().isIdentifier())
      current_->names.insert(named.getNameAsString());
  }
  void record_value(clang::Expr const& reference, clang::ValueDecl const* named) {
    auto const* const function = llvm::dyn_cast<clang::FunctionDecl>(named);
    if (function == nullptr || is_kernel(function) || !runs_on_devices(function)) return;
    if (!called_.contains(&reference))
      into_.values_.push_back({reference.getSourceRange(), key_of(function)});
  }
  void record_variable(clang::DeclRefExpr const* reference) {
    auto const* const variable = llvm::cast<clang::VarDecl>(reference->getDecl())->getCanonicalDecl();
    add(current_->hidden, {false, {variable}});
    current_->variables.push_back(reference);
  }

  device_functions& into_;
  clang::SourceManager const& sources_;
  uses* current_ = nullptr;
  clang::Stmt const* body_ = nullptr;
  std::set<clang::Expr const*> called_;
};

device_functions::device_functions(clang::ASTContext& context) {
  collector(*this, context.getSourceManager()).walk(context.getTranslationUnitDecl());
  spread_to_callers();
  choose_names(context);
}

bool device_functions::add(hidden_parameters& to, hidden_parameters const& more) {
  bool grown = more.thread_id && !to.thread_id;
  to.thread_id = to.thread_id || more.thread_id;
  for (auto const* const variable : more.variables) {
    if (std::ranges::find(to.variables, variable) != to.variables.end()) continue;
    to.variables.push_back(variable);
    grown = true;
  }
  return grown;
}

/// Files that share a header have to agree on the order.
void device_functions::spread_to_callers() {
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& [function, of] : uses_)
      for (auto const& [call, callee] : of.calls) grown = add(of.hidden, hidden_of(callee)) || grown;
  }
  for (auto& [function, of] : uses_)
    std::ranges::sort(of.hidden.variables, {},
                      [](auto const* variable) { return qualified_name(*variable); });
}

hidden_parameters const& device_functions::hidden_of(clang::FunctionDecl const* function) const {
  static hidden_parameters const none;
  auto const found = uses_.find(key_of(function));
  return found == uses_.end() ? none : found->second.hidden;
}

}  // namespace ballast::mesicc
