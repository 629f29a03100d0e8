// SPDX-License-Identifier: Apache-2.0
#include "source/launch_sites.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/FoldingSet.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "source/dialect.hpp"
#include "source/function_facts.hpp"
#include "source/kernel_walker.hpp"
#include "source/places.hpp"
#include "source/program_checks.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

namespace {

/// The facts about a host function's local variables that its text shows, wherever a launch stands in it.
class host_values {
 public:
  /// `function` may be null: then only C++ constants are known.
  host_values(clang::FunctionDecl const* function, clang::ASTContext const& context);

  /// A C++ constant, or one computed from variables that never change after their initialisation.
  std::optional<std::int64_t> constant_of(clang::Expr const& expression) const;
  /// All values that a local pointer may ever be assigned; nothing if that is unknown.
  std::vector<clang::Expr const*> values_given_to(clang::VarDecl const& pointer) const;

 private:
  void note(clang::Stmt const* statement);
  bool never_changes(clang::VarDecl const& variable) const;
  std::optional<std::int64_t> constant_of_operation(clang::BinaryOperator const& operation) const;
  variables exchanged_with(clang::VarDecl const& pointer) const;

  clang::ASTContext const& context_;
  clang::Stmt const* body_;
  variables exposed_, changed_;  ///< changed_: variables that change other than by `=`
  std::map<clang::VarDecl const*, std::vector<clang::Expr const*>> given_;
  std::map<clang::VarDecl const*, variables> exchanged_;
};

host_values::host_values(clang::FunctionDecl const* function, clang::ASTContext const& context)
    : context_(context), body_(function == nullptr ? nullptr : function->getBody()) {
  if (body_ == nullptr) return;
  exposed_ = exposed_variables_but_swapped(body_);
  for_each_within(body_, [this](auto const* statement) { note(statement); });
}

void host_values::note(clang::Stmt const* statement) {
  if (auto const* const binary = dyn_cast<clang::BinaryOperator>(statement);
      binary != nullptr && binary->isAssignmentOp()) {
    auto const* const variable = variable_named(binary->getLHS());
    if (binary->getOpcode() == clang::BO_Assign)
      given_[variable].push_back(binary->getRHS());
    else
      changed_.insert(variable);
  }
  if (auto const* const unary = dyn_cast<clang::UnaryOperator>(statement);
      unary != nullptr && unary->isIncrementDecrementOp())
    changed_.insert(variable_named(unary->getSubExpr()));
  if (auto const* const group = dyn_cast<clang::DeclStmt>(statement))
    for (auto const* const declared : group->decls())
      if (auto const* const variable = dyn_cast<clang::VarDecl>(declared);
          variable != nullptr && variable->hasInit())
        given_[variable].push_back(variable->getInit());
  if (auto const [one, other] = swapped_by(statement); one != nullptr && other != nullptr) {
    exchanged_[one].insert(other);
    exchanged_[other].insert(one);
  }
}

bool host_values::never_changes(clang::VarDecl const& variable) const {
  if (!variable.isLocalVarDecl() || variable.isStaticLocal() || !variable.hasInit()) return false;
  if (names(variable.getInit(), &variable) || variable.getType().isVolatileQualified()) return false;
  auto const given = given_.find(&variable);
  return given != given_.end() && given->second.size() == 1 && !exposed_.contains(&variable) &&
         !changed_.contains(&variable) && !exchanged_.contains(&variable);
}

std::optional<std::int64_t> host_values::constant_of(clang::Expr const& expression) const {
  if (expression.isValueDependent() || !expression.getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  clang::Expr::EvalResult result;
  if (expression.EvaluateAsInt(result, context_, clang::Expr::SE_NoSideEffects)) {
    auto const& number = result.Val.getInt();
    if (number.isSigned() ? !number.isSignedIntN(64) : !number.isIntN(63)) return std::nullopt;
    return number.getExtValue();
  }
  auto const* const bare = expression.IgnoreParens();
  if (auto const* const variable = llvm::isa<clang::DeclRefExpr>(bare) ? variable_named(bare) : nullptr)
    return never_changes(*variable) ? constant_of(*variable->getInit()) : std::nullopt;
  if (auto const* const cast = dyn_cast<clang::CastExpr>(bare)) {
    if (cast->getCastKind() == clang::CK_LValueToRValue) return constant_of(*cast->getSubExpr());
    bool const is_integral = cast->getCastKind() == clang::CK_IntegralCast;
    auto const known = is_integral ? constant_of(*cast->getSubExpr()) : std::nullopt;
    auto const bits = context_.getIntWidth(cast->getType());
    bool const fits = known && *known >= 0 && (bits >= 63 || *known < std::int64_t(1) << (bits - 1));
    return fits ? known : std::nullopt;
  }
  auto const* const operation = dyn_cast<clang::BinaryOperator>(bare);
  return operation == nullptr ? std::nullopt : constant_of_operation(*operation);
}

std::optional<std::int64_t> host_values::constant_of_operation(clang::BinaryOperator const& operation) const {
  if (!operation.getType()->isSignedIntegerType()) return std::nullopt;
  auto const a = constant_of(*operation.getLHS()), b = constant_of(*operation.getRHS());
  std::int64_t result = 0;
  if (!a || !b) return std::nullopt;
  switch (operation.getOpcode()) {
    case clang::BO_Add:
      return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case clang::BO_Sub:
      return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case clang::BO_Mul:
      return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case clang::BO_Div:
      return *b > 0 ? std::optional(*a / *b) : std::nullopt;
    default:
      return std::nullopt;
  }
}

variables host_values::exchanged_with(clang::VarDecl const& pointer) const {
  variables all{&pointer};
  std::vector<clang::VarDecl const*> left{&pointer};
  while (!left.empty()) {
    auto const found = exchanged_.find(left.back());
    left.pop_back();
    if (found == exchanged_.end()) continue;
    for (auto const* const other : found->second)
      if (all.insert(other).second) left.push_back(other);
  }
  return all;
}

std::vector<clang::Expr const*> host_values::values_given_to(clang::VarDecl const& pointer) const {
  std::vector<clang::Expr const*> all;
  std::vector<clang::VarDecl const*> left{&pointer};
  variables seen{&pointer};
  while (!left.empty()) {
    auto const& held = *left.back();
    left.pop_back();
    for (auto const* const one : exchanged_with(held)) {
      auto const given = given_.find(one);
      if (!one->isLocalVarDecl() || one->isStaticLocal() || exposed_.contains(one) || changed_.contains(one))
        return {};
      if (given == given_.end()) continue;
      for (auto const* const expression : given->second) {
        auto const* const other = variable_named(expression);
        bool const is_copy = other != nullptr && other->getType()->isPointerType();
        if (!is_copy) all.push_back(expression);
        if (is_copy && seen.insert(other).second) left.push_back(other);
      }
    }
  }
  return all;
}

/// Makes the arrays and scalars of a launch from its arguments, and binds the walker's parameters.
class launch_binding {
 public:
  launch_binding(clang::ASTContext& context, host_values const& host, launch_site& site,
                 std::vector<diagnostic>& found)
      : context_(context), host_(host), site_(site), found_(found) {}

  void bind(kernel_walker& walker);

 private:
  struct array_source {
    clang::VarDecl const* variable = nullptr;  ///< null if known only at run time
    std::optional<std::int64_t> offset = 0;    ///< in elements; nothing if known only at run time
    clang::QualType shape = {};  ///< for a variable known only at run time, if all candidates have one
  };

  void bind_extents();
  expression extent_of(clang::Expr const* written, char const* name);
  std::optional<expression> of_scalars(clang::Expr const* written);
  value bind_scalar(clang::ParmVarDecl const& parameter, clang::Expr const& argument, int number);
  value bind_array(clang::ParmVarDecl const& parameter, clang::Expr const& argument, int number);
  array_source source_of(clang::Expr const* argument);
  array_source stepped(array_source from, clang::Expr const* steps, clang::QualType step, bool back);
  array_source source_held_by(clang::VarDecl const& pointer);
  array_source common_source_of(std::vector<clang::Expr const*> const& values);
  bool is_named_twice(clang::VarDecl const& variable);
  bool changes_elements(clang::CastExpr const& cast) const;
  std::int64_t rows_from(std::int64_t offset, clang::QualType array,
                         clang::ParmVarDecl const& parameter) const;
  array_source source_named(clang::DeclRefExpr const& reference);
  std::int64_t elements_of(clang::QualType type) const;
  void fail(clang::SourceRange where, std::string message, std::vector<note> notes = {});
  place at(clang::SourceRange where) const;

  clang::ASTContext& context_;
  host_values const& host_;
  launch_site& site_;
  std::vector<diagnostic>& found_;
  variables looked_at_;  ///< pointers whose values are being searched for
};

bool is_same_text(clang::Expr const& a, clang::Expr const& b, clang::ASTContext const& context) {
  llvm::FoldingSetNodeID left, right;
  a.Profile(left, context, true);
  b.Profile(right, context, true);
  return left == right && !a.HasSideEffects(context);
}

/// The user's expression for an extent, inside its conversion to a dim3.
clang::Expr const* written_extent(clang::Expr const* converted) {
  for (;;) {
    converted = converted->IgnoreParenImpCasts();
    auto const* const made = dyn_cast<clang::CXXConstructExpr>(converted);
    auto const* const temporary = dyn_cast<clang::MaterializeTemporaryExpr>(converted);
    auto const* const cast = dyn_cast<clang::CXXFunctionalCastExpr>(converted);
    if (made != nullptr && made->getNumArgs() > 0 && isa<clang::CXXConstructExpr>(converted))
      converted = made->getArg(0);
    else if (temporary != nullptr)
      converted = temporary->getSubExpr();
    else if (cast != nullptr && cast->getType()->isRecordType())
      converted = cast->getSubExpr();
    else
      return converted;
  }
}

std::string spelt(clang::QualType type, clang::ASTContext const& context) {
  return type.getUnqualifiedType().getAsString(context.getPrintingPolicy());
}

place launch_binding::at(clang::SourceRange where) const {
  return place_of(where, context_.getSourceManager(), context_.getLangOpts());
}

void launch_binding::fail(clang::SourceRange where, std::string message, std::vector<note> notes) {
  found_.push_back({severity::error, at(where), std::move(message), std::move(notes)});
}

void launch_binding::bind(kernel_walker& walker) {
  auto& model = site_.model;
  model.kernel = site_.kernel->getNameAsString();
  model.where = at({site_.call->getBeginLoc(), site_.call->getEndLoc()});
  model.kernel_where = at(clang::SourceRange(site_.kernel->getLocation()));
  std::vector<value> bound;
  for (unsigned i = 0; i < site_.kernel->getNumParams(); ++i) {
    auto const& parameter = *site_.kernel->getParamDecl(i);
    bool const is_array = parameter.getType()->isPointerType();
    bound.push_back(is_array ? bind_array(parameter, *site_.call->getArg(i), int(i))
                             : bind_scalar(parameter, *site_.call->getArg(i), int(i)));
  }
  bind_extents();
  for (unsigned i = 0; i < bound.size(); ++i) walker.bind(site_.kernel->getParamDecl(i), bound[i]);
}

void launch_binding::bind_extents() {
  auto const& launch = *site_.call->getConfig();
  bool const two = launch.getNumArgs() > 1 && !isa<clang::CXXDefaultArgExpr>(launch.getArg(1));
  site_.model.dimensions = two ? 2 : 1;
  site_.model.threads_x = extent_of(written_extent(launch.getArg(0)), "threads_x");
  if (two) site_.model.threads_y = extent_of(written_extent(launch.getArg(1)), "threads_y");
}

expression launch_binding::extent_of(clang::Expr const* written, char const* name) {
  if (auto const known = of_scalars(written)) {
    if (is_constant(*known) && (*known)->value < 0)
      fail(written->getSourceRange(), "a launch cannot have " + std::to_string((*known)->value) + " threads");
    return *known;
  }
  site_.model.scalars.push_back({name, name, -1, 0, std::numeric_limits<std::int32_t>::max()});
  return scalar_value(int(site_.model.scalars.size()) - 1);
}

/// `written` as a formula of constants and of arguments of this launch, so that both are known to be related.
/// Nothing if it is none.
std::optional<expression> launch_binding::of_scalars(clang::Expr const* written) {
  if (auto const known = host_.constant_of(*written)) return *known;
  written = written->IgnoreParenImpCasts();
  for (std::size_t i = 0; i < site_.model.scalars.size(); ++i) {
    auto const number = site_.model.scalars[i].argument;
    if (number < 0) continue;
    auto const* const argument = site_.call->getArg(unsigned(number))->IgnoreParenImpCasts();
    auto const type = site_.kernel->getParamDecl(unsigned(number))->getType();
    bool const as_wide = context_.getIntWidth(argument->getType()) <= context_.getIntWidth(type) &&
                         argument->getType()->isSignedIntegerType() == type->isSignedIntegerType();
    if (as_wide && is_same_text(*argument, *written, context_)) return scalar_value(int(i));
  }
  auto const* const binary = dyn_cast<clang::BinaryOperator>(written);
  if (binary == nullptr || !binary->getType()->isSignedIntegerType()) return std::nullopt;
  auto const a = of_scalars(binary->getLHS()), b = of_scalars(binary->getRHS());
  if (!a || !b) return std::nullopt;
  switch (binary->getOpcode()) {
    case clang::BO_Add:
      return *a + *b;
    case clang::BO_Sub:
      return *a - *b;
    case clang::BO_Mul:
      return *a * *b;
    case clang::BO_Div:
      return *a / *b;
    default:
      return std::nullopt;
  }
}

value launch_binding::bind_scalar(clang::ParmVarDecl const& parameter, clang::Expr const& argument,
                                  int number) {
  auto const type = parameter.getType();
  if (!type->isIntegralOrEnumerationType()) return {};
  if (auto const known = host_.constant_of(argument)) return of_number(*known);
  auto const bits = int(context_.getIntWidth(type));
  scalar made{parameter.getNameAsString(), parameter.getNameAsString(), number, {}, {}};
  bool const is_unsigned = !type->isSignedIntegerOrEnumerationType();
  auto const top = std::int64_t(1) << std::min(is_unsigned ? bits : bits - 1, 62);
  if (is_unsigned) made.minimum = 0;
  if (!is_unsigned && bits < 64) made.minimum = -top;
  if (bits < 64) made.maximum = type->isBooleanType() ? 1 : top - 1;
  site_.model.scalars.push_back(std::move(made));
  return of_number(scalar_value(int(site_.model.scalars.size()) - 1));
}

std::int64_t launch_binding::elements_of(clang::QualType type) const {
  std::int64_t count = 1;
  for (auto const extent : shape_of(type, context_).extents) count *= extent;
  return count;
}

/// True if arguments of the launch name the variable twice, or an argument and the kernel itself name it.
bool launch_binding::is_named_twice(clang::VarDecl const& variable) {
  int count = 0;
  for (auto const* const argument : site_.call->arguments())
    if (argument->getType()->isPointerType() && source_of(argument).variable == &variable) ++count;
  for_each_within(site_.kernel->getBody(), [&](auto const* statement) {
    auto const* const reference = dyn_cast<clang::DeclRefExpr>(statement);
    if (reference != nullptr && reference->getDecl()->getCanonicalDecl() == &variable) ++count;
  });
  return count > 1;
}

/// The number of rows from `offset` to the end of the array; the last row may be partial.
std::int64_t launch_binding::rows_from(std::int64_t offset, clang::QualType array,
                                       clang::ParmVarDecl const& parameter) const {
  auto const row = elements_of(parameter.getType()->getPointeeType()), left = elements_of(array) - offset;
  return left <= 0 ? left / row : (left + row - 1) / row;
}

value launch_binding::bind_array(clang::ParmVarDecl const& parameter, clang::Expr const& argument,
                                 int number) {
  auto const row = shape_of(parameter.getType()->getPointeeType(), context_);
  auto source = source_of(&argument);
  // If the offset is unknown, the target is looked up at the launch, as for any pointer.
  if (!source.offset && source.variable != nullptr && !is_named_twice(*source.variable))
    source.variable = nullptr;
  auto const id = int(site_.model.arrays.size());
  array_argument made;
  made.parameter = parameter.getNameAsString();
  made.element_type = spelt(row.element, context_);
  made.element_bytes = std::size_t(context_.getTypeSizeInChars(row.element).getQuantity());
  made.where = at(argument.getSourceRange());
  auto const unknown = [&](char const* why) { return unknown_value(why, made.where); };
  made.extents.push_back(unknown("is known only when the launch is reached"));
  for (auto const extent : row.extents) made.extents.push_back(extent);
  if (source.offset)
    made.offset = *source.offset;
  else
    made.offset = unknown("is known only when the launch is reached");
  if (source.variable == nullptr && !source.shape.isNull() && source.offset)
    made.extents[0] = rows_from(*source.offset, source.shape, parameter);
  if (source.variable != nullptr) {
    auto const whole = shape_of(source.variable->getType(), context_);
    made.variable = source.variable->getNameAsString();
    if (!context_.hasSameUnqualifiedType(whole.element, row.element))
      fail(argument.getSourceRange(), "'" + made.variable + "' holds elements of type '" +
                                          spelt(whole.element, context_) + "', but '" + made.parameter +
                                          "' points to '" + made.element_type + "'");
    else if (source.offset)
      made.extents[0] = rows_from(*source.offset, source.variable->getType(), parameter);
  }
  site_.model.arrays.push_back(std::move(made));
  site_.arguments.push_back(number);
  address to;
  to.targets.push_back({condition(true), {id, std::vector<expression>(row.extents.size() + 1, 0)}});
  return of_address(std::move(to));
}

launch_binding::array_source launch_binding::source_of(clang::Expr const* argument) {
  argument = argument->IgnoreParens();
  if (auto const* const cast = dyn_cast<clang::CastExpr>(argument)) {
    if (cast->getCastKind() == clang::CK_NullToPointer) {
      fail(argument->getSourceRange(), "a kernel cannot be given a null pointer");
      return {};
    }
    return changes_elements(*cast) ? array_source{nullptr, std::nullopt, {}} : source_of(cast->getSubExpr());
  }
  if (auto const* const outer = dyn_cast<clang::FullExpr>(argument)) return source_of(outer->getSubExpr());
  if (auto const* const reference = dyn_cast<clang::DeclRefExpr>(argument)) return source_named(*reference);
  if (argument->isGLValue() && argument->getType()->isPointerType() && !isa<clang::DeclRefExpr>(argument))
    return {nullptr, std::nullopt, {}};  // a pointer read from memory
  if (auto const* const item = dyn_cast<clang::ArraySubscriptExpr>(argument))
    return stepped(source_of(item->getBase()), item->getIdx(), item->getType(), false);
  if (auto const* const unary = dyn_cast<clang::UnaryOperator>(argument))
    if (unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Deref)
      return source_of(unary->getSubExpr());
  if (auto const* const sum = dyn_cast<clang::BinaryOperator>(argument);
      sum != nullptr && sum->isAdditiveOp()) {
    bool const left = sum->getLHS()->getType()->isPointerType();
    return stepped(source_of(left ? sum->getLHS() : sum->getRHS()), left ? sum->getRHS() : sum->getLHS(),
                   sum->getType()->getPointeeType(), sum->getOpcode() == clang::BO_Sub);
  }
  return {nullptr, std::nullopt, {}};
}

/// True if a cast changes the elements of a pointer, whose steps then have another size.
bool launch_binding::changes_elements(clang::CastExpr const& cast) const {
  auto const to = cast.getType(), from = cast.getSubExpr()->getType();
  if (cast.getCastKind() != clang::CK_BitCast || !to->isPointerType() || !from->isPointerType()) return false;
  return !context_.hasSameUnqualifiedType(shape_of(to->getPointeeType(), context_).element,
                                          shape_of(from->getPointeeType(), context_).element);
}

launch_binding::array_source launch_binding::stepped(array_source from, clang::Expr const* steps,
                                                     clang::QualType step, bool back) {
  auto const count = host_.constant_of(*steps);
  if (!count || !from.offset) return {from.variable, std::nullopt, {}};
  from.offset = *from.offset + (back ? -1 : 1) * *count * elements_of(step);
  return from;
}

launch_binding::array_source launch_binding::source_held_by(clang::VarDecl const& pointer) {
  if (!looked_at_.insert(&pointer).second) return {nullptr, std::nullopt, {}};  // its value depends on itself
  auto const common = common_source_of(host_.values_given_to(pointer));
  looked_at_.erase(&pointer);
  return common;
}

/// The common source of all values of a local pointer.
launch_binding::array_source launch_binding::common_source_of(std::vector<clang::Expr const*> const& values) {
  array_source common{nullptr, std::nullopt, {}};
  bool is_first = true;
  for (auto const* const given : values) {
    auto const one = source_of(given);
    auto const type = one.variable == nullptr ? one.shape : one.variable->getType();
    if (type.isNull() || !one.offset) return {nullptr, std::nullopt, {}};
    if (is_first) common = {one.variable, one.offset, type};
    is_first = false;
    if (one.offset != common.offset || !context_.hasSameType(type, common.shape))
      return {nullptr, std::nullopt, {}};
    if (one.variable != common.variable) common.variable = nullptr;
  }
  return common;
}

launch_binding::array_source launch_binding::source_named(clang::DeclRefExpr const& reference) {
  auto const* const variable = dyn_cast<clang::VarDecl>(reference.getDecl());
  if (variable == nullptr) return {nullptr, std::nullopt, {}};
  if (is_shared_variable(variable)) return {variable->getCanonicalDecl(), 0, {}};
  auto const type = variable->getType();
  if (type->isPointerType()) return source_held_by(*variable);
  if (type->isReferenceType()) return {nullptr, std::nullopt, {}};
  fail(reference.getSourceRange(),
       "'" + variable->getNameAsString() + "' is not a __global__ variable, so that no kernel can reach it",
       {{at(clang::SourceRange(variable->getLocation())), "it is declared here"}});
  return {nullptr, std::nullopt, {}};
}

launch_site modelled(checked_launch const& launch, clang::ASTContext& context,
                     std::vector<diagnostic>& found) {
  auto const& kernel = *launch.call->getDirectCallee()->getDefinition();
  launch_site site{launch.call, &kernel, {}, {}, {}};
  host_values const host(launch.within, context);
  kernel_walker walker(context, site.model, found);
  walker.prepare(kernel);
  launch_binding(context, host, site, found).bind(walker);
  walker.walk(kernel);
  site.arguments.resize(site.model.arrays.size(), -1);
  site.named.resize(walker.named_variables().size());
  auto const first_named = site.model.arrays.size() - site.named.size();
  for (auto const& [variable, array] : walker.named_variables())
    site.named[std::size_t(array) - first_named] = variable;
  return site;
}

/// Removes repeated diagnostics: each launch of a kernel may refuse the same place in it.
void keep_first_of_equals(std::vector<diagnostic>& diagnostics) {
  std::set<std::tuple<place, std::string>> seen;
  std::erase_if(diagnostics,
                [&](diagnostic const& one) { return !seen.emplace(one.where, one.message).second; });
}

}  // namespace

bool launch_sites::has_errors() const {
  return std::ranges::any_of(diagnostics, [](auto const& one) { return one.level == severity::error; });
}

launch_sites launches_of(program const& parsed) {
  launch_sites made;
  auto const checked = checked_program(parsed, made.diagnostics);
  for (auto const& launch : checked.launches)
    made.sites.push_back(modelled(launch, parsed.context(), made.diagnostics));
  auto const of_kernels = functions_of_kernels(parsed);
  refuse_shared_variables_of_host_code(parsed, of_kernels, made.diagnostics);
  find_conditions_on_compilers(parsed, of_kernels, made.diagnostics);
  keep_first_of_equals(made.diagnostics);
  std::ranges::sort(made.diagnostics, {}, [](auto const& one) { return std::tie(one.where, one.message); });
  return made;
}

}  // namespace ballast::mesicc
