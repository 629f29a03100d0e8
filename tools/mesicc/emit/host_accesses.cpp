// SPDX-License-Identifier: Apache-2.0
#include "emit/host_accesses.hpp"

#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

#include "source/dialect.hpp"

namespace ballast::mesicc {

/// References in code of the host that the user wrote.
class host_accesses::collector : public clang::RecursiveASTVisitor<collector> {
 public:
  explicit collector(host_accesses& into) : into_(into) {}

  bool TraverseFunctionDecl(clang::FunctionDecl* function) {
    return runs_on_devices(function) || Base::TraverseFunctionDecl(function);
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl* method) {
    return runs_on_devices(method) || Base::TraverseCXXMethodDecl(method);
  }
  bool TraverseLambdaCapture(clang::LambdaExpr* lambda, clang::LambdaCapture const* capture,
                             clang::Expr* value) {
    if (capture->capturesVariable())
      if (auto const* const variable = llvm::dyn_cast<clang::VarDecl>(capture->getCapturedVar()))
        into_.captured_[variable] = true;
    return !lambda->isInitCapture(capture) || Base::TraverseLambdaCapture(lambda, capture, value);
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    auto const* const variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr) return true;
    if (is_shared_variable(variable))
      into_.of_variables_.push_back(reference);
    else if (variable->isLocalVarDeclOrParm() && is_of_user(reference->getLocation(), sources()))
      into_.of_locals_[variable].push_back(reference);
    return true;
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    bool const launches = function->doesThisDeclarationHaveABody() && into_.launching_.may_launch(function);
    if (!launches || function->isMain() || !is_of_user(function->getLocation(), sources())) return true;
    into_.parameters_.insert(into_.parameters_.end(), function->param_begin(), function->param_end());
    return true;
  }

 private:
  using Base = clang::RecursiveASTVisitor<collector>;
  clang::SourceManager const& sources() const { return into_.context_.getSourceManager(); }
  host_accesses& into_;
};

host_accesses::host_accesses(clang::ASTContext& context, escape_listener listener)
    : context_(context), launching_(context), listener_(std::move(listener)) {
  collector(*this).TraverseDecl(context.getTranslationUnitDecl());
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

/// A caller in another file may hand it over, if the types fit.
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
  for (auto const* const reference : of_locals_[variable]) { hold(flow_of(*reference, context_)); }
}

void host_accesses::hold(value_flow const& flow) {
  if (flow.is == value_flow::kind::copied) hold(flow.into);
  for (auto const* const parameter : flow.also) hold(parameter);
}

void host_accesses::find_followed() {
  for (auto const* const parameter : parameters_)
    if (may_be_given_elements(*parameter)) hold(parameter);
  for (auto const* const reference : of_variables_) hold(flow_of(*reference, context_));
}

/// Whether a launch may come after what the access waits for and before its end.
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

/// Whether a launch may come between where it gets its value and where it is used.
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
  auto const flow = flow_of(reference, context_);
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
  using kind = value_flow::kind;
  auto const& variable = *llvm::cast<clang::VarDecl>(reference.getDecl());
  auto const flow = flow_of(reference, context_);
  if (flow.is == kind::escapes) {
    listener_(reference, flow.why);
    return form::open;
  }
  if (!holding_.at(&variable)) return form::untouched;
  if (flow.on_the_way != kind::none || flow.is == kind::read || flow.is == kind::update)
    return opened_if_overtaken(reference, flow, form::host);
  if (flow.is != kind::copied) return form::untouched;
  return form_of_copy(flow, form::untouched) == form::untouched ? form::untouched : form::host;
}

/// Where macros use a token several times, the form that is right for all.
void host_accesses::note(clang::DeclRefExpr const& reference, form is, source_rewriter const& rewriter) {
  auto const written = rewriter.sources().getSpellingLoc(reference.getLocation());
  auto& known =
      forms_.try_emplace(written, clang::SourceRange(reference.getBeginLoc(), reference.getLocation()), is)
          .first->second;
  known.second = std::max(known.second, is);
}

void host_accesses::rewrite(source_rewriter& rewriter) {
  for (auto const* const reference : of_variables_) note(*reference, form_of_variable(*reference), rewriter);
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
