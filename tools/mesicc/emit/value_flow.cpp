// SPDX-License-Identifier: Apache-2.0
#include "emit/value_flow.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/Type.h>

#include <algorithm>
#include <optional>

#include "source/dialect.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;
using llvm::isa_and_nonnull;

namespace {

bool may_carry_an_address(clang::QualType type);

/// True if an object of this class of the standard library may hold an address that its user gave it. The
/// arguments of a template show what it holds, but classes that take over objects may hold anything.
bool may_carry_an_address_for_users(clang::CXXRecordDecl const& of_library) {
  auto const name = of_library.getIdentifier() == nullptr ? llvm::StringRef() : of_library.getName();
  constexpr llvm::StringLiteral hold_anything[] = {
      "unique_ptr", "shared_ptr", "weak_ptr", "any", "future", "promise", "shared_future", "packaged_task"};
  if (llvm::is_contained(hold_anything, name)) return true;
  auto const* const made = dyn_cast<clang::ClassTemplateSpecializationDecl>(&of_library);
  if (made == nullptr) return false;
  auto const carries = [](clang::TemplateArgument const& one) {
    return one.getKind() == clang::TemplateArgument::Type && may_carry_an_address(one.getAsType());
  };
  return std::ranges::any_of(made->getTemplateArgs().asArray(), [&](auto const& one) {
    if (one.getKind() != clang::TemplateArgument::Pack) return carries(one);
    return std::ranges::any_of(one.pack_elements(), carries);
  });
}

/// True if a value of this type may hold an address that it does not own.
bool may_carry_an_address(clang::QualType type) {
  if (type.isNull() || type->isDependentType()) return true;
  if (type->isAnyPointerType() || type->isReferenceType() || type->isMemberPointerType()) return true;
  auto const* const record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return false;
  bool const owns = !record->getDefinition()->hasTrivialDestructor();
  if (owns && record->isInStdNamespace()) return may_carry_an_address_for_users(*record);
  for (auto const& base : record->bases())
    if (may_carry_an_address(base.getType())) return true;
  for (auto const* const field : record->fields())
    if (may_carry_an_address(field->getType())) return true;
  return false;
}

/// std::thread and std::jthread: a thread may use its arguments at any time.
bool is_thread(clang::QualType type) {
  auto const* const record = type->getAsCXXRecordDecl();
  return record != nullptr && record->isInStdNamespace() &&
         (record->getName() == "thread" || record->getName() == "jthread");
}

using kind = value_flow::kind;

/// The parameter for an argument: of the called function, or of a lambda as it is written; null if unknown.
clang::ParmVarDecl const* parameter_of(clang::FunctionDecl const* callee, unsigned argument) {
  if (callee == nullptr) return nullptr;
  auto const* const method = dyn_cast<clang::CXXMethodDecl>(callee);
  bool const is_lambda = method != nullptr && method->getParent()->isLambda();
  if (auto const* const pattern = callee->getTemplateInstantiationPattern(); is_lambda && pattern != nullptr)
    callee = pattern;
  clang::FunctionDecl const* with_body = nullptr;
  if (!callee->hasBody(with_body) || argument >= with_body->getNumParams()) return nullptr;
  return with_body->getParamDecl(argument);
}

bool is_named_in_std(clang::FunctionDecl const* function, llvm::StringRef name) {
  return function != nullptr && function->isInStdNamespace() && function->getDeclName().isIdentifier() &&
         function->getName() == name;
}

class follower {
 public:
  /// If an expression has several parents, takes the one of this number: see flows_of().
  follower(clang::DeclRefExpr const& reference, clang::ASTContext& context, std::size_t parent)
      : context_(context), at_(&reference), parent_(parent) {}

  std::size_t max_parents() const { return max_parents_; }

  value_flow follow() {
    for (;;) {
      auto const parents = context_.getParents(*at_);
      if (parents.empty()) return end(kind::none);
      max_parents_ = std::max<std::size_t>(max_parents_, parents.size());
      auto const& outer = parents[std::min<std::size_t>(parent_, parents.size() - 1)];
      auto const* const statement = outer.get<clang::Stmt>();
      auto const found = statement != nullptr ? at_statement(*statement) : at_declaration(outer);
      if (found) return *found;
    }
  }

 private:
  using step = std::optional<value_flow>;  ///< nothing: continue with at_, one expression further out

  step go_on(clang::Expr const& outer) {
    at_ = &outer;
    return std::nullopt;
  }
  value_flow end(kind is) const { return {is, nullptr, false, on_the_way_, {}, false, also_, beside_}; }
  value_flow copied(clang::VarDecl const* into) const {
    return {kind::copied, into, false, on_the_way_, {}, false, also_, beside_};
  }
  value_flow escapes(std::string why) const {
    return {kind::escapes, nullptr, false, on_the_way_, std::move(why), false, also_, beside_};
  }
  /// The end of a flow in a template. An instance shows more; but the instances of a lambda with `auto` are
  /// not visible.
  value_flow end_in_template() const {
    bool const is_element = at_->getType()->isArithmeticType();
    auto flow =
        is_element ? end(kind::update) : escapes("is used in a way that hangs on a template's argument");
    flow.is_of_template = true;
    return flow;
  }
  kind access_through(clang::QualType type) const {
    return leads_to_const(type, context_) ? kind::read : kind::update;
  }

  bool is_pointer() const { return at_->getType()->isAnyPointerType(); }
  bool is_elements() const { return at_->isGLValue(); }
  bool is_plain_value() const { return !is_elements() && !is_pointer() && !at_->isTypeDependent(); }
  /// True if the present expression is a pointer variable itself, not an element that happens to be a
  /// pointer.
  bool is_pointer_variable() const {
    auto const* const reference = dyn_cast<clang::DeclRefExpr>(at_->IgnoreParens());
    return reference != nullptr && reference->getType()->isAnyPointerType();
  }

  step at_statement(clang::Stmt const& outer) {
    if (auto const* const expression = dyn_cast<clang::Expr>(&outer)) return at_expression(*expression);
    if (isa<clang::ReturnStmt>(&outer)) return at_return();
    return end(kind::none);  // a statement of its own, or a condition
  }

  /// True if the result of an assignment is used beyond being read, compared or discarded.
  bool is_kept(clang::Expr const& assignment) const {
    clang::Expr const* inner = &assignment;
    for (;;) {
      auto const parents = context_.getParents(*inner);
      auto const* const outer = parents.empty() ? nullptr : parents[0].get<clang::Stmt>();
      if (outer == nullptr || isa<clang::ReturnStmt>(outer)) return !parents.empty();
      auto const* const expression = dyn_cast<clang::Expr>(outer);
      if (expression == nullptr || ends_there(*inner, *expression)) return false;
      if (!passes_on(*inner, *expression)) return true;
      inner = expression;
    }
  }
  bool ends_there(clang::Expr const& inner, clang::Expr const& outer) const {
    if (auto const* const binary = dyn_cast<clang::BinaryOperator>(&outer)) {
      bool const is_left = binary->getLHS() == &inner;
      return binary->isComparisonOp() || (is_left && binary->getOpcode() == clang::BO_Comma) ||
             (is_left && binary->isAssignmentOp() && !is_pointer());
    }
    auto const* const cast = dyn_cast<clang::CastExpr>(&outer);
    if (cast == nullptr) return false;
    bool const is_read = cast->getCastKind() == clang::CK_LValueToRValue;
    return cast->getCastKind() == clang::CK_ToVoid || cast->getCastKind() == clang::CK_PointerToBoolean ||
           (is_read && !outer.getType()->isAnyPointerType());
  }
  static bool passes_on(clang::Expr const& inner, clang::Expr const& outer) {
    if (auto const* const binary = dyn_cast<clang::BinaryOperator>(&outer))
      return binary->getOpcode() == clang::BO_Comma && binary->getRHS() == &inner;
    auto const* const cast = dyn_cast<clang::CastExpr>(&outer);
    return isa<clang::ParenExpr, clang::FullExpr>(&outer) ||
           (cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue);
  }

  step at_return() { return is_plain_value() ? step(end(kind::read)) : escapes("is returned"); }

  step at_expression(clang::Expr const& outer) {
    if (auto const* const cast = dyn_cast<clang::CastExpr>(&outer)) return at_cast(*cast);
    if (auto const* const unary = dyn_cast<clang::UnaryOperator>(&outer)) return at_unary(*unary);
    if (auto const* const binary = dyn_cast<clang::BinaryOperator>(&outer)) return at_binary(*binary);
    if (auto const* const launch = dyn_cast<clang::CUDAKernelCallExpr>(&outer)) return at_launch(*launch);
    if (auto const* const call = dyn_cast<clang::CallExpr>(&outer)) return at_call(*call);
    if (auto const* const made = dyn_cast<clang::CXXConstructExpr>(&outer)) return at_construction(*made);
    if (auto const* const member = dyn_cast<clang::MemberExpr>(&outer)) return at_member(*member);
    return at_plain_expression(outer);
  }

  step at_plain_expression(clang::Expr const& outer) {
    if (auto const* const choice = dyn_cast<clang::AbstractConditionalOperator>(&outer))
      if (at_ == choice->getCond()) return end(is_elements() ? kind::update : kind::none);
    if (auto const* const item = dyn_cast<clang::ArraySubscriptExpr>(&outer))
      beside_.push_back(item->getLHS() == at_ ? item->getRHS() : item->getLHS());
    if (isa<clang::ParenExpr, clang::ArraySubscriptExpr, clang::FullExpr, clang::MaterializeTemporaryExpr,
            clang::CXXBindTemporaryExpr, clang::AbstractConditionalOperator>(outer))
      return go_on(outer);
    if (isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::CXXTypeidExpr>(outer))
      return end(kind::none);
    if (auto const* const list = dyn_cast<clang::InitListExpr>(&outer))
      return is_copied_into(*list) ? end(kind::read) : escapes("is stored in an object");
    if (isa<clang::ArrayInitLoopExpr>(outer)) return end(kind::read);  // auto [x, y] = array
    if (isa<clang::LambdaExpr>(outer)) return end(kind::none);         // the uses in its body are seen there
    if (outer.isTypeDependent() || outer.isValueDependent()) return end_in_template();
    return escapes("is used in an expression that is not followed");
  }

  /// True if the list copies the named value, which its written form does not show.
  bool is_copied_into(clang::InitListExpr const& list) const {
    if (is_plain_value()) return true;
    auto const* const meant = list.isSemanticForm() ? &list : list.getSemanticForm();
    return at_->getType()->isArithmeticType() && meant != nullptr && !may_carry_an_address(meant->getType());
  }

  step at_declaration(clang::DynTypedNode const& outer) {
    if (auto const* const variable = outer.get<clang::VarDecl>()) return at_initialisation(*variable);
    if (outer.get<clang::TypeLoc>() != nullptr) return end(kind::type);
    bool const is_member =
        outer.get<clang::FieldDecl>() != nullptr || outer.get<clang::CXXCtorInitializer>() != nullptr;
    bool const is_initialiser = is_member || outer.get<clang::CXXConstructorDecl>() != nullptr;
    if (is_initialiser && !is_plain_value()) return escapes("is stored in a member");
    return end(kind::update);
  }

  step at_initialisation(clang::VarDecl const& variable) {
    if (is_plain_value()) return end(kind::read);
    if (variable.isImplicit()) return at_range_of_loop(variable);
    if (isa<clang::DecompositionDecl>(variable)) return escapes("is bound to several names");
    auto const type = variable.getType();
    if (!type->isReferenceType() && !type->isAnyPointerType() && !type->isDependentType() &&
        !type->isUndeducedType())
      return escapes("is stored in an object");
    if (!variable.isLocalVarDecl() || variable.isStaticLocal())
      return escapes("is stored in a variable that is not local");
    return copied(&variable);
  }

  /// Follows the range of a loop, `for (auto& element : a)`: the user's variable replaces the hidden one.
  step at_range_of_loop(clang::VarDecl const& range) {
    auto const statement = context_.getParents(range);
    auto const loop = statement.empty() ? clang::DynTypedNodeList(llvm::ArrayRef<clang::DynTypedNode>())
                                        : context_.getParents(statement[0]);
    auto const* const of = loop.empty() ? nullptr : loop[0].get<clang::CXXForRangeStmt>();
    if (of == nullptr) return end(kind::update);
    bool const by_reference = of->getLoopVariable()->getType()->isReferenceType();
    if (by_reference && isa<clang::DecompositionDecl>(of->getLoopVariable()))
      return escapes("is bound to several names");
    if (!by_reference) beside_.push_back(of->getBody());
    auto flow = copied(of->getLoopVariable());
    flow.only_read = !by_reference;
    return flow;
  }

  step at_cast(clang::CastExpr const& cast) {
    switch (cast.getCastKind()) {
      case clang::CK_LValueToRValue:
        return at_->getType()->isAnyPointerType() ? go_on(cast) : step(end(kind::read));
      case clang::CK_PointerToBoolean:
      case clang::CK_ToVoid:
        return end(kind::none);
      case clang::CK_PointerToIntegral:
        return escapes("is turned into a number");
      case clang::CK_BitCast:
        has_another_type_ = has_another_type_ || !cast.getType()->isVoidPointerType();
        return go_on(cast);
      default:
        return go_on(cast);
    }
  }

  step at_unary(clang::UnaryOperator const& unary) {
    if (unary.isIncrementDecrementOp()) return is_pointer_variable() ? go_on(unary) : at_change(unary);
    bool const takes_address = unary.getOpcode() == clang::UO_AddrOf;
    if (takes_address && is_pointer_variable()) return escapes("has its address taken");
    return takes_address || unary.getOpcode() == clang::UO_Deref ? go_on(unary) : step(end(kind::none));
  }

  /// Ends at a change of elements by an operator that returns a reference to them, which may be kept.
  step at_change(clang::Expr const& by) {
    return is_kept(by) ? escapes("is bound to a reference") : end(kind::update);
  }

  step at_binary(clang::BinaryOperator const& binary) {
    bool const is_left = binary.getLHS() == at_;
    if (binary.isPtrMemOp() && is_left) return go_on(binary);
    if (binary.getOpcode() == clang::BO_Comma) return is_left ? step(end(kind::none)) : go_on(binary);
    if (binary.isAssignmentOp() && is_left) return is_pointer_variable() ? go_on(binary) : at_change(binary);
    if (binary.getOpcode() == clang::BO_Assign) return at_source_of_assignment(binary);
    bool const may_be_pointer = binary.isTypeDependent() && (is_pointer() || at_->getType()->isArrayType());
    if (!binary.getType()->isAnyPointerType() && !may_be_pointer)
      return end(is_elements() ? kind::update : kind::none);  // in templates elements are read without an
                                                              // explicit node
    beside_.push_back(is_left ? binary.getRHS() : binary.getLHS());
    return go_on(binary);
  }

  step at_source_of_assignment(clang::BinaryOperator const& assignment) {
    if (is_plain_value()) return end(kind::read);
    auto const* const target = dyn_cast<clang::DeclRefExpr>(assignment.getLHS()->IgnoreParens());
    auto const* const variable = target == nullptr ? nullptr : dyn_cast<clang::VarDecl>(target->getDecl());
    bool const is_local =
        variable != nullptr && variable->isLocalVarDeclOrParm() && !variable->isStaticLocal();
    if (is_local && variable->getType()->isReferenceType()) return escapes("is stored through a reference");
    if (!is_local) return escapes("is stored in a variable that is not local");
    return is_kept(assignment) ? escapes("is stored in several variables at once") : copied(variable);
  }

  step at_launch(clang::CUDAKernelCallExpr const& launch) {
    bool const is_argument = llvm::is_contained(launch.arguments(), at_);
    return end(is_argument && is_pointer() ? kind::launch : kind::read);
  }

  step at_call(clang::CallExpr const& call) {
    if (call.isTypeDependent()) return end_in_template();
    auto const* const callee = called_by(&call);
    if (call.getCallee() == at_) {  // a member function of an element
      record_others(call);
      beside_.push_back(&call);
      return at_result_of(call);
    }
    if (is_named_in_std(callee, "swap") && is_pointer_variable()) return at_swap(call);
    if (is_plain_value()) return end(kind::read);
    if (is_elements() && is_pointer_variable()) return escapes("is handed over by reference");
    record_on_the_way(callee, argument_number(call));
    record_others(call);
    if (is_named_in_std(callee, "async")) return escapes("is handed to another thread");
    if (may_be_stored_by(callee) || is_unknown_to_users(callee, argument_number(call)))
      return escapes("may be stored by the call");
    if (auto const* const parameter = parameter_of_user(callee, argument_number(call)))
      also_.push_back(parameter);
    if (may_carry_an_address(call.getType()) || call.isGLValue()) return at_result_of(call);
    return at_end_of_call(call);
  }

  template <class Call>
  unsigned place_among_arguments(Call const& call) const {
    return unsigned(std::find(call.arg_begin(), call.arg_end(), at_) - call.arg_begin());
  }
  unsigned argument_number(clang::CallExpr const& call) {
    unsigned const number = place_among_arguments(call);
    bool const is_member =
        isa<clang::CXXOperatorCallExpr>(call) && isa_and_nonnull<clang::CXXMethodDecl>(called_by(&call));
    is_object_ = is_member && number == 0;
    return is_member && number > 0 ? number - 1 : number;
  }

  /// Records what may run beside the access: other arguments may be evaluated later, and a library function
  /// may call its arguments.
  void record_others(clang::CallExpr const& call) {
    auto const* const operation = dyn_cast<clang::CXXOperatorCallExpr>(&call);
    bool const is_in_order = operation != nullptr && operation->isAssignmentOp();
    for (auto const* const argument : call.arguments())
      if (argument != at_ && !is_in_order) beside_.push_back(argument);
    if (!is_users(called_by(&call))) beside_.push_back(&call);
  }
  bool is_users(clang::FunctionDecl const* callee) const {
    return callee != nullptr && is_of_user(callee->getLocation(), context_.getSourceManager());
  }
  /// True for functions like std::exchange, and for a container of pointers.
  bool may_be_stored_by(clang::FunctionDecl const* callee) const {
    if (callee == nullptr || is_users(callee)) return false;
    auto const* const method = dyn_cast<clang::CXXMethodDecl>(callee);
    if (method != nullptr && method->isInstance() && !method->isConst() &&
        may_carry_an_address(context_.getRecordType(method->getParent())))
      return true;
    return std::ranges::any_of(callee->parameters(), [](auto const* parameter) {
      auto const type = parameter->getType();
      return type->isLValueReferenceType() && type->getPointeeType()->isAnyPointerType() &&
             !type->getPointeeType().isConstQualified();
    });
  }
  /// True if a function of the user may do something unknown with the argument: an override may do anything,
  /// as may a function with an argument that only its va_arg sees.
  bool is_unknown_to_users(clang::FunctionDecl const* callee, unsigned argument) const {
    if (!is_users(callee) || is_object_) return false;
    auto const* const method = dyn_cast<clang::CXXMethodDecl>(callee);
    return (method != nullptr && method->isVirtual()) ||
           (callee->isVariadic() && argument >= callee->getNumParams());
  }
  clang::ParmVarDecl const* parameter_of_user(clang::FunctionDecl const* callee, unsigned argument) const {
    return is_users(callee) ? parameter_of(callee, argument) : nullptr;
  }

  void record_on_the_way(clang::FunctionDecl const* callee, unsigned argument) {
    auto const* const method =
        isa_and_nonnull<clang::CXXMethodDecl>(callee) ? llvm::cast<clang::CXXMethodDecl>(callee) : nullptr;
    if (method != nullptr && is_object_) {
      argument_access_ = method->isConst() ? kind::read : kind::update;
      return;
    }
    auto type = at_->getType();
    if (is_elements() && callee != nullptr && argument < callee->getNumParams())
      type = callee->getParamDecl(argument)->getType();
    argument_access_ = access_through(type);
  }

  /// Follows the result of a call if it may lead to elements. The access is at the call.
  step at_result_of(clang::CallExpr const& call) {
    auto const result = call.getType();
    on_the_way_ = std::max(on_the_way_, argument_access_);
    auto const target = result->isAnyPointerType() ? result->getPointeeType() : result;
    bool const is_like_it = same_elements(result) || result->isVoidPointerType() || target->isScalarType() ||
                            target->isArrayType();
    if ((call.isGLValue() || result->isAnyPointerType()) && is_like_it) return go_on(call);
    if (result->getAsCXXRecordDecl() != nullptr && !call.isGLValue() && may_carry_an_address(result))
      return escapes("may be held by what the call returns");
    return end(argument_access_);
  }
  bool same_elements(clang::QualType result) const {
    auto const element = [&](clang::QualType type) {
      if (type->isAnyPointerType()) type = type->getPointeeType();
      return context_.getBaseElementType(type).getCanonicalType().getUnqualifiedType();
    };
    return element(result) == element(at_->getType());
  }

  step at_end_of_call(clang::CallExpr const& call) {
    auto const* const callee = called_by(&call);
    auto const* const parameter = parameter_of_user(callee, argument_number(call));
    if (is_users(callee) && has_another_type_) return escapes("is handed over as another type");
    return parameter != nullptr && !is_object_ ? copied(parameter) : end(argument_access_);
  }

  step at_swap(clang::CallExpr const& call) {
    auto const* const other = call.getArg(call.getArg(0) == at_ ? 1 : 0);
    auto const* const reference = dyn_cast<clang::DeclRefExpr>(other->IgnoreParenImpCasts());
    auto const* const variable =
        reference == nullptr ? nullptr : dyn_cast<clang::VarDecl>(reference->getDecl());
    return variable == nullptr ? escapes("is swapped with something else than a variable") : copied(variable);
  }

  step at_member(clang::MemberExpr const& member) {
    if (auto const* const method = dyn_cast<clang::CXXMethodDecl>(member.getMemberDecl()))
      argument_access_ = method->isConst() ? kind::read : kind::update;
    return go_on(member);
  }

  step at_construction(clang::CXXConstructExpr const& made) {
    if (is_plain_value()) return end(kind::read);
    auto const& constructor = *made.getConstructor();
    if (constructor.isCopyOrMoveConstructor()) return end(kind::read);
    if (is_thread(made.getType())) return escapes("is handed to another thread");
    if (may_carry_an_address(made.getType())) return escapes("may be held by an object");
    if (is_users(&constructor)) return at_user_construction(made);
    return end(is_elements() ? kind::update : access_through(at_->getType()));
  }

  step at_user_construction(clang::CXXConstructExpr const& made) {
    for (auto const* const argument : made.arguments())
      if (argument != at_) beside_.push_back(argument);
    auto const* const parameter = parameter_of(made.getConstructor(), place_among_arguments(made));
    return parameter == nullptr ? escapes("may be stored by the call") : step(copied(parameter));
  }

  clang::ASTContext& context_;
  clang::Expr const* at_;
  std::size_t parent_, max_parents_ = 1;
  kind argument_access_ = kind::none, on_the_way_ = kind::none;
  bool has_another_type_ = false;
  bool is_object_ = false;  ///< of the called member function, an operator
  std::vector<clang::VarDecl const*> also_;
  std::vector<clang::Stmt const*> beside_;
};

}  // namespace

bool leads_to_const(clang::QualType type, clang::ASTContext& context) {
  if (type->isReferenceType() || type->isAnyPointerType()) type = type->getPointeeType();
  return context.getBaseElementType(type).isConstQualified();
}

std::vector<value_flow> flows_of(clang::DeclRefExpr const& reference, clang::ASTContext& context) {
  constexpr std::size_t max_uses = 32;
  std::vector<value_flow> flows;
  for (std::size_t parent = 0, parents = 1; parent < std::min(parents, max_uses); ++parent) {
    follower one(reference, context, parent);
    flows.push_back(one.follow());
    parents = std::max(parents, one.max_parents());
  }
  auto const is_of_template = [](value_flow const& flow) { return flow.is_of_template; };
  if (!std::ranges::all_of(flows, is_of_template)) std::erase_if(flows, is_of_template);
  return flows;
}

}  // namespace ballast::mesicc
