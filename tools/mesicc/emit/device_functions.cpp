// SPDX-License-Identifier: Apache-2.0
#include "emit/device_functions.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "emit/shared_variables.hpp"
#include "source/dialect.hpp"

namespace ballast::mesicc {

class device_functions::collector : public clang::RecursiveASTVisitor<collector> {
 public:
  collector(device_functions& into, clang::SourceManager const& sources) : into_(into), sources_(sources) {}

  bool TraverseFunctionDecl(clang::FunctionDecl* function) {
    return enter(function, [&] { return Base::TraverseFunctionDecl(function); });
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl* method) {
    return enter(method, [&] { return Base::TraverseCXXMethodDecl(method); });
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (current_ == nullptr) return true;
    if (is_thread_id(reference->getDecl())) current_->hidden.thread_id = true;
    if (is_shared_variable(reference->getDecl())) note_variable(reference);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    auto const* const callee = called_by(call);
    if (current_ != nullptr && runs_on_devices(callee))
      current_->calls.push_back({call, callee->getCanonicalDecl()});
    return true;
  }

 private:
  using Base = clang::RecursiveASTVisitor<collector>;

  template <class Traverse>
  bool enter(clang::FunctionDecl* function, Traverse traverse) {
    if (!runs_on_devices(function) || !is_of_user(function->getLocation(), sources_)) return traverse();
    into_.declarations_.push_back(function);
    auto* const before = current_;
    current_ = &into_.uses_[function->getCanonicalDecl()];
    bool const goes_on = traverse();
    current_ = before;
    return goes_on;
  }

  void note_variable(clang::DeclRefExpr const* reference) {
    auto const* const variable = llvm::cast<clang::VarDecl>(reference->getDecl())->getCanonicalDecl();
    add(current_->hidden, {false, {variable}});
    current_->variables.push_back(reference);
  }

  device_functions& into_;
  clang::SourceManager const& sources_;
  uses* current_ = nullptr;
};

device_functions::device_functions(clang::ASTContext& context) {
  collector(*this, context.getSourceManager()).TraverseDecl(context.getTranslationUnitDecl());
  spread_to_callers();
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

void device_functions::spread_to_callers() {
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& [function, of] : uses_)
      for (auto const& [call, callee] : of.calls) grown = add(of.hidden, hidden_of(callee)) || grown;
  }
}

hidden_parameters const& device_functions::hidden_of(clang::FunctionDecl const* function) const {
  static hidden_parameters const none;
  auto const found = uses_.find(function->getCanonicalDecl());
  return found == uses_.end() ? none : found->second.hidden;
}

std::string as_arguments(hidden_parameters const& hidden) {
  std::string text = hidden.thread_id ? "lThreadId" : "";
  for (auto const* const variable : hidden.variables)
    text += (text.empty() ? "" : ", ") + variable->getNameAsString();
  return text;
}

std::string as_parameters(hidden_parameters const& hidden, source_rewriter const& rewriter) {
  std::string text = hidden.thread_id ? "ballast::mesi::thread_id lThreadId" : "";
  for (auto const* const variable : hidden.variables)
    text += (text.empty() ? "" : ", ") + ("std::type_identity_t<" + type_as_written(*variable, rewriter)) +
            ">& " + variable->getNameAsString();
  return text;
}

namespace {

/// Both marks together are one, and so are those of one macro.
void rewrite_marks(clang::FunctionDecl const& function, source_rewriter& rewriter) {
  std::vector<clang::SourceLocation> marked;
  auto const mark = [&](clang::Attr const* attribute) {
    if (attribute == nullptr || attribute->isImplicit() || attribute->isInherited()) return;
    auto const place = rewriter.sources().getExpansionLoc(attribute->getLocation());
    if (std::ranges::find(marked, place) != marked.end()) return;
    rewriter.replace_token(place, marked.empty() ? "BALLAST_HD" : "");
    marked.push_back(place);
  };
  mark(function.getAttr<clang::CUDAGlobalAttr>());
  mark(function.getAttr<clang::CUDADeviceAttr>());
  mark(function.getAttr<clang::CUDAHostAttr>());
}

void insert_into_list(clang::SourceLocation parenthesis, std::string const& text, bool is_alone,
                      source_rewriter& rewriter) {
  if (!text.empty()) rewriter.insert_after(parenthesis, is_alone ? text : text + ", ");
}

}  // namespace

void device_functions::rewrite(source_rewriter& rewriter) const {
  for (auto const* const function : declarations_) {
    rewrite_marks(*function, rewriter);
    auto const& hidden = hidden_of(function);
    auto text = as_parameters(hidden, rewriter);
    if (is_kernel(function) && !hidden.thread_id)  // each kernel is handed it
      text = "ballast::mesi::thread_id" + (text.empty() ? "" : ", " + text);
    insert_into_list(function->getFunctionTypeLoc().getLParenLoc(), text, function->param_empty(), rewriter);
  }
  for (auto const& [function, of] : uses_)
    for (auto const* const reference : of.variables)  // "space::a" is the parameter "a" here
      if (reference->hasQualifier())
        rewriter.replace_up_to(reference->getBeginLoc(), reference->getLocation(), "");
  for (auto const& [function, of] : uses_)
    for (auto const& [call, callee] : of.calls) {
      auto const next = clang::Lexer::findNextToken(call->getCallee()->getEndLoc(), rewriter.sources(),
                                                    rewriter.language());
      if (next)
        insert_into_list(next->getLocation(), as_arguments(hidden_of(callee)), call->getNumArgs() == 0,
                         rewriter);
    }
}

}  // namespace ballast::mesicc
