// SPDX-License-Identifier: Apache-2.0
#include "emit/host_accesses.hpp"

#include <clang/AST/ParentMapContext.h>

#include <algorithm>

#include "source/ast_walker.hpp"
#include "source/dialect.hpp"

namespace ballast::mesicc {

namespace {

bool is_called_there(clang::DeclRefExpr const* closure, clang::ASTContext& context) {
  clang::Expr const* inner = closure;
  for (;;) {
    auto const parents = context.getParents(*inner);
    auto const* const outer = parents.empty() ? nullptr : parents[0].get<clang::Expr>();
    if (auto const* const call = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(outer))
      return call->getOperator() == clang::OO_Call && call->getArg(0) == inner;
    if (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(outer) == false) return false;
    inner = outer;
  }
}

class closure_uses : public ast_walker {
 public:
  closure_uses(clang::VarDecl const* closure, clang::ASTContext& context)
      : closure_(closure), context_(context) {}

  bool are_calls = true;

 private:
  void visit_reference(clang::DeclRefExpr const* reference) override {
    are_calls = are_calls && (reference->getDecl() != closure_ || is_called_there(reference, context_));
  }

  clang::VarDecl const* closure_;
  clang::ASTContext& context_;
};

/// True if a lambda lives no longer than the block around it: it is called there, by its local name, or is a
/// call's argument.
bool is_only_called(clang::LambdaExpr const& lambda, clang::ASTContext& context) {
  clang::Expr const* inner = &lambda;
  for (;;) {
    auto const parents = context.getParents(*inner);
    if (parents.empty()) return false;
    if (auto const* const variable = parents[0].get<clang::VarDecl>()) {
      auto const* const block = variable->getType()->getAsCXXRecordDecl() != lambda.getLambdaClass()
                                    ? nullptr
                                    : llvm::dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
      if (block == nullptr || variable->isStaticLocal() || !block->hasBody()) return false;
      closure_uses uses(variable, context);
      uses.walk(block->getBody());
      return uses.are_calls;
    }
    auto const* const outer = parents[0].get<clang::Expr>();
    if (llvm::isa_and_nonnull<clang::CallExpr>(outer)) return true;
    bool const is_around =
        outer != nullptr && outer->getType()->getAsCXXRecordDecl() == lambda.getLambdaClass();
    if (!is_around) return false;
    inner = outer;
  }
}

}  // namespace

/// Collects references in the user's host code.
class host_accesses::collector : public ast_walker {
 public:
  /// Instances of templates tell more than the templates.
  explicit collector(host_accesses& into) : ast_walker({.of_templates = true}), into_(into) {}

 private:
  void walk_declaration(clang::Decl const* declaration) override {
    bool const is_around =
        llvm::isa<clang::TranslationUnitDecl, clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration);
    if (!is_around && !is_of_user(declaration->getLocation(), sources())) return;
    auto const* const function = plain_function(declaration);
    if (runs_on_devices(function)) return;
    bool const before = is_in_template_;
    is_in_template_ = before || is_template(function);
    ast_walker::walk_declaration(declaration);
    is_in_template_ = before;
  }
  bool enters_capture(clang::LambdaExpr const* lambda, clang::LambdaCapture const* capture) override {
    return lambda->isInitCapture(capture);
  }

  void visit_lambda(clang::LambdaExpr const* lambda) override {
    bool const stays = is_only_called(*lambda, into_.context_);
    for (auto const& capture : lambda->captures())  // those of [=] too
      if (capture.capturesVariable() && (capture.isExplicit() || !stays))
        if (auto const* const variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar()))
          into_.captured_[variable] = true;
  }
  void visit_reference(clang::DeclRefExpr const* reference) override {
    auto const* const variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr) return;
    if (is_shared_variable(variable))
      (is_in_template_ ? into_.in_templates_ : into_.of_variables_).push_back(reference);
    else if (!is_in_template_ && variable->isLocalVarDeclOrParm() &&
             is_of_user(reference->getLocation(), sources()))
      into_.of_locals_[variable].push_back(reference);
  }
  void visit_function(clang::FunctionDecl const* function) override {
    bool const launches = function->doesThisDeclarationHaveABody() && into_.launching_.may_launch(function);
    if (!launches || is_in_template_ || function->isMain() || !is_of_user(function->getLocation(), sources()))
      return;
    into_.parameters_.insert(into_.parameters_.end(), function->param_begin(), function->param_end());
  }

  clang::SourceManager const& sources() const { return into_.context_.getSourceManager(); }

  /// True if it is a template whose instances are visible. A generic lambda is the only one without any
  /// visible instance.
  static bool is_template(clang::FunctionDecl const* function) {
    auto const* const method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
    bool const is_lambda = method != nullptr && method->getParent()->isLambda();
    return function != nullptr && function->isTemplated() && !is_lambda;
  }

  host_accesses& into_;
  bool is_in_template_ = false;
};

host_accesses::host_accesses(clang::ASTContext& context, escape_listener listener)
    : context_(context), launching_(context), listener_(std::move(listener)) {
  collector(*this).walk(context.getTranslationUnitDecl());
  find_followed();
}

namespace {

bool leads_somewhere(clang::QualType type) {
  return type->isAnyPointerType() || type->isReferenceType() || type->isDependentType() ||
         type->isUndeducedType();
}

clang::QualType element_of(clang::QualType type, clang::ASTContext& context) {
  if (type->isReferenceType() || type->isAnyPointerType()) type = type->getPointeeType();
  return context.getBaseElementType(type).getCanonicalType().getUnqualifiedType();
}

}  // namespace

/// True if the parameter may lead to elements of a shared variable: a caller in another file may pass one, if
/// the types fit.
bool host_accesses::may_be_given_elements(clang::ParmVarDecl const& parameter) const {
  if (!leads_somewhere(parameter.getType())) return false;
  auto const element = element_of(parameter.getType(), context_);
  return element->isVoidType() || std::ranges::any_of(of_variables_, [&](auto const* reference) {
           return element_of(reference->getDecl()->getType(), context_) == element;
         });
}

void host_accesses::hold(clang::VarDecl const* variable) {
  if (!leads_somewhere(variable->getType()) || !holding_.emplace(variable, is_followed(*variable)).second)
    return;
  for (auto const* const reference : of_locals_[variable])
    for (auto const& flow : flows_of(*reference, context_)) hold(flow);
}

void host_accesses::hold(value_flow const& flow) {
  if (flow.is == value_flow::kind::copied) hold(flow.into);
  for (auto const* const parameter : flow.also) hold(parameter);
}

void host_accesses::find_followed() {
  for (auto const* const parameter : parameters_)
    if (may_be_given_elements(*parameter)) hold(parameter);
  for (auto const* const reference : of_variables_)
    for (auto const& flow : flows_of(*reference, context_)) hold(flow);
}

/// True if a launch may come between the launches that the access waits for and the end of the access.
bool host_accesses::may_be_overtaken(value_flow const& flow) const {
  return std::ranges::any_of(flow.beside,
                             [&](auto const* one) { return launching_.may_launch_within(one, {}); });
}

host_accesses::form host_accesses::opened_if_overtaken(clang::DeclRefExpr const& reference,
                                                       value_flow const& flow, form is) const {
  if (is <= form::address || !may_be_overtaken(flow)) return is;
  listener_(reference, "is used while a launch may come");
  return form::open;
}

clang::Stmt const* host_accesses::scope_of(clang::VarDecl const& variable) const {
  if (llvm::isa<clang::ParmVarDecl>(variable)) {
    auto const* const function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
    return function == nullptr ? nullptr : function->getBody();
  }
  auto const declared = context_.getParents(variable);
  auto const* const statement = declared.empty() ? nullptr : declared[0].get<clang::Stmt>();
  if (statement == nullptr) return nullptr;
  auto const around = context_.getParents(*statement);
  return around.empty() ? nullptr : around[0].get<clang::Stmt>();
}

/// True if a launch may come between the assignment of the variable's value and its use.
bool host_accesses::is_followed(clang::VarDecl const& variable) const {
  if (captured_.contains(&variable) || variable.isInitCapture()) return true;
  auto const* const scope = scope_of(variable);
  return scope == nullptr || launching_.may_launch_within(scope, variable.getLocation());
}

host_accesses::form host_accesses::form_of_copy(value_flow const& flow, form of_address) const {
  auto const held = holding_.find(flow.into);
  if (held != holding_.end() && held->second) return of_address;
  bool const reads = flow.only_read || leads_to_const(flow.into->getType(), context_);
  return reads ? form::read : form::update;
}

host_accesses::form host_accesses::form_of_variable(clang::DeclRefExpr const& reference) {
  auto is = form::untouched;
  for (auto const& flow : flows_of(reference, context_)) is = std::max(is, form_of_variable(reference, flow));
  return is;
}

host_accesses::form host_accesses::form_of_variable(clang::DeclRefExpr const& reference,
                                                    value_flow const& flow) const {
  if (flow.is != value_flow::kind::escapes) return opened_if_overtaken(reference, flow, form_of_access(flow));
  listener_(reference, flow.why);
  return form::open;
}

host_accesses::form host_accesses::form_of_access(value_flow const& flow) const {
  using kind = value_flow::kind;
  auto const before = flow.on_the_way == kind::read     ? form::read
                      : flow.on_the_way == kind::update ? form::update
                                                        : form::address;
  switch (flow.is) {
    case kind::type:
      return form::declared;
    case kind::read:
      return std::max(before, form::read);
    case kind::update:
      return form::update;
    case kind::copied:
      return std::max(before, form_of_copy(flow, form::address));
    default:
      return before;
  }
}

host_accesses::form host_accesses::form_of_pointer(clang::DeclRefExpr const& reference) {
  auto is = form::untouched;
  for (auto const& flow : flows_of(reference, context_)) is = std::max(is, form_of_pointer(reference, flow));
  return is;
}

host_accesses::form host_accesses::form_of_pointer(clang::DeclRefExpr const& reference,
                                                   value_flow const& flow) const {
  using kind = value_flow::kind;
  auto const& variable = *llvm::cast<clang::VarDecl>(reference.getDecl());
  if (flow.is == kind::escapes) {
    listener_(reference, flow.why);
    return form::open;
  }
  if (!holding_.at(&variable)) return form::untouched;
  if (flow.on_the_way != kind::none || flow.is == kind::read || flow.is == kind::update)
    return opened_if_overtaken(reference, flow, form::host);
  if (flow.is != kind::copied) return form::untouched;
  if (form_of_copy(flow, form::untouched) == form::untouched) return form::untouched;
  return opened_if_overtaken(reference, flow, form::host);
}

/// Records the form of an access. If a macro uses a token several times, the form must be right for all uses.
void host_accesses::note(clang::DeclRefExpr const& reference, form is, source_rewriter const& rewriter) {
  auto const written = rewriter.sources().getSpellingLoc(reference.getLocation());
  auto& known =
      forms_.try_emplace(written, clang::SourceRange(reference.getBeginLoc(), reference.getLocation()), is)
          .first->second;
  auto const least = std::min(known.second, is), most = std::max(known.second, is);
  // a pointer that is passed on may be written through
  known.second = least == form::address && most == form::read ? form::update : most;
}

/// Records accesses in templates without instances, such as branches that `if constexpr` discards, as
/// updates.
void host_accesses::record_in_templates(source_rewriter const& rewriter) {
  for (auto const* const reference : in_templates_) {
    auto const written = rewriter.sources().getSpellingLoc(reference->getLocation());
    if (!forms_.contains(written)) note(*reference, form::update, rewriter);
  }
}

void host_accesses::rewrite(source_rewriter& rewriter) {
  for (auto const* const reference : of_variables_) note(*reference, form_of_variable(*reference), rewriter);
  record_in_templates(rewriter);
  for (auto const& [variable, followed] : holding_)
    for (auto const* const reference : of_locals_[variable])
      note(*reference, form_of_pointer(*reference), rewriter);
  auto const wrap = [&](clang::SourceRange range, char const* function) {
    rewriter.insert_before(range.getBegin(), std::string("ballast::mesi::") + function + "(");
    rewriter.insert_after(range.getEnd(), ")");
  };
  for (auto const& [written, noted] : forms_) switch (auto const& [place, is] = noted; is) {
      case form::untouched:
        break;
      case form::declared:
        rewriter.insert_after(place.getEnd(), ".declared");
        break;
      case form::address:
        rewriter.insert_after(place.getEnd(), ".address()");
        break;
      case form::read:
        rewriter.insert_after(place.getEnd(), ".read()");
        break;
      case form::update:
        rewriter.insert_after(place.getEnd(), ".update()");
        break;
      case form::host:
        wrap(place, "host");
        break;
      case form::open:
        wrap(place, "open");
        break;
    }
}

}  // namespace ballast::mesicc
