// SPDX-License-Identifier: Apache-2.0
// Walks through a kernel statement by statement, and through its loops.
#include "source/kernel_walker.hpp"

#include <clang/AST/Attr.h>
#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <limits>

#include "source/dialect.hpp"
#include "source/integer_bounds.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

namespace {

void collect_names(clang::Stmt const* statement, std::vector<clang::DeclRefExpr const*>& into) {
  if (statement == nullptr) return;
  if (auto const* const name = llvm::dyn_cast<clang::DeclRefExpr>(statement)) into.push_back(name);
  for (auto const* const child : statement->children()) collect_names(child, into);
}

}  // namespace

array_shape shape_of(clang::QualType type, clang::ASTContext const& context) {
  array_shape shape;
  while (auto const* const array = context.getAsConstantArrayType(type)) {
    shape.extents.push_back(array->getSize().getSExtValue());
    type = array->getElementType();
  }
  shape.element = type;
  return shape;
}

void kernel_walker::bind(clang::ParmVarDecl const* parameter, value bound) {
  if (is_followed(*parameter))
    now_.values[parameter] = as_followed(bound, parameter->getType(), nullptr);
  else if (bound.leads_to)
    escape_into_exposed(*bound.leads_to, *parameter);
}

void kernel_walker::walk(clang::FunctionDecl const& kernel) {
  call_frame frame;
  frame.function = &kernel;
  frames_.push_back(std::move(frame));
  run(kernel.getBody());
  check_all_seen(kernel.getBody());
  frames_.pop_back();
}

void kernel_walker::prepare(clang::FunctionDecl const& function) {
  exposed_.try_emplace(function.getCanonicalDecl(), exposed_variables(function.getBody()));
}

void kernel_walker::fail(clang::SourceRange where, std::string message, std::vector<note> notes) {
  found_.push_back({severity::error, at(where), std::move(message), std::move(notes)});
}

place kernel_walker::at(clang::SourceRange where) const {
  return place_of(where, context_.getSourceManager(), context_.getLangOpts());
}

/// Marks the names in a statement as seen: code that is unreachable, or was refused, is not walked.
void kernel_walker::skip(clang::Stmt const* statement) {
  std::vector<clang::DeclRefExpr const*> names;
  collect_names(statement, names);
  seen_.insert(names.begin(), names.end());
}

void kernel_walker::skip_callee(clang::CallExpr const& call) {
  if (auto const* const callee = llvm::dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts()))
    seen_.insert(callee);
}

/// Reports a name of an array that no rule here has seen: the last safety net.
void kernel_walker::check_all_seen(clang::Stmt const* body) {
  std::vector<clang::DeclRefExpr const*> names;
  collect_names(body, names);
  for (auto const* const name : names) {
    auto const* const variable = name->getDecl();
    if (!llvm::isa<clang::VarDecl, clang::BindingDecl>(variable)) continue;
    if (variable->isImplicit() || seen_.contains(name)) continue;
    auto const type = variable->getType();
    bool const may_reach_an_array = is_shared_variable(variable) || type->isPointerType() ||
                                    type->isReferenceType() || llvm::isa<clang::BindingDecl>(variable);
    if (may_reach_an_array)
      fail(name->getSourceRange(),
           "mesicc does not understand how '" + variable->getNameAsString() + "' is used here");
  }
}

condition kernel_walker::run(clang::Stmt const* statement) {
  if (statement == nullptr || isa<clang::NullStmt>(statement)) return condition(true);
  if (auto const* const block = dyn_cast<clang::CompoundStmt>(statement)) return run_compound(*block);
  if (auto const* const group = dyn_cast<clang::DeclStmt>(statement)) return declare(*group), condition(true);
  if (auto const* const branch = dyn_cast<clang::IfStmt>(statement)) return run_if(*branch);
  if (auto const* const loop = dyn_cast<clang::ForStmt>(statement)) return run_for(*loop);
  if (auto const* const loop = dyn_cast<clang::WhileStmt>(statement)) return run_while(*loop);
  if (auto const* const loop = dyn_cast<clang::DoStmt>(statement)) return run_do(*loop);
  if (auto const* const loop = dyn_cast<clang::CXXForRangeStmt>(statement)) return run_range_for(*loop);
  if (auto const* const choice = dyn_cast<clang::SwitchStmt>(statement)) return run_switch(*choice);
  if (auto const* const result = dyn_cast<clang::ReturnStmt>(statement)) return run_return(*result);
  if (auto const* const marked = dyn_cast<clang::AttributedStmt>(statement)) return run(marked->getSubStmt());
  if (isa<clang::BreakStmt, clang::ContinueStmt>(statement)) return condition(false);
  if (auto const* const expression = dyn_cast<clang::Expr>(statement)) {
    if (expression->isGLValue())
      locate(expression);
    else
      evaluate(expression);
    return condition(true);
  }
  return refuse_statement(*statement);
}

condition kernel_walker::refuse_statement(clang::Stmt const& statement) {
  bool const jumps = isa<clang::GotoStmt, clang::LabelStmt, clang::IndirectGotoStmt>(statement);
  bool const is_assembly = isa<clang::AsmStmt>(statement);
  fail(statement.getSourceRange(), jumps         ? "goto and labels are not supported in a kernel"
                                   : is_assembly ? "assembly is not supported in a kernel"
                                                 : "this statement is not supported in a kernel");
  skip(&statement);
  return condition(true);
}

condition kernel_walker::run_compound(clang::CompoundStmt const& block) {
  std::vector<clang::Stmt const*> const statements(block.body_begin(), block.body_end());
  return run_all(statements);
}

/// Runs statements in order. Statements after one that may have left are guarded by the condition that it has
/// not.
condition kernel_walker::run_all(llvm::ArrayRef<clang::Stmt const*> statements) {
  auto const guards = guards_.size();
  condition goes_on(true);
  for (auto const* const statement : statements) {
    if (is_constant(goes_on, false)) {
      skip(statement);
      continue;
    }
    auto const stays = run(statement);
    goes_on = goes_on && stays;
    if (!is_constant(stays, true)) guards_.push_back(stays);
  }
  guards_.resize(guards, condition(true));
  return goes_on;
}

condition kernel_walker::run_if(clang::IfStmt const& choice) {
  if (choice.isConsteval()) {
    bool const runs_then = choice.isNegatedConsteval();
    skip(runs_then ? choice.getElse() : choice.getThen());
    return run(runs_then ? choice.getThen() : choice.getElse());
  }
  if (choice.getInit() != nullptr) run(choice.getInit());
  if (auto const* const declared = choice.getConditionVariable()) declare(*declared);
  auto const when = evaluate_condition(choice.getCond());
  auto const before = now_;
  auto const run_branch = [&](condition const& holds, clang::Stmt const* branch) {
    if (is_constant(holds, false)) return skip(branch), condition(false);
    now_ = before;
    guards_.push_back(holds);
    auto const goes_on = run(branch);
    guards_.pop_back();
    return goes_on;
  };
  auto const after_then = run_branch(when, choice.getThen());
  auto const then = now_;
  auto const after_else = run_branch(!when, choice.getElse());
  if (is_constant(when, false) || is_constant(after_then, false)) {
    if (is_constant(!when, false)) now_ = then;
  } else if (is_constant(!when, false) || is_constant(after_else, false)) {
    now_ = then;
  } else {
    merge(when, then, now_);
  }
  if (is_constant(after_then, true) && is_constant(after_else, true)) return condition(true);
  return (when && after_then) || (!when && after_else);
}

void kernel_walker::merge(condition const& when, environment const& then, environment const& otherwise) {
  environment both = otherwise;
  both.references.insert(then.references.begin(), then.references.end());
  both.values.insert(then.values.begin(), then.values.end());
  for (auto& [variable, known] : both.values) {
    auto const left = then.values.find(variable), right = otherwise.values.find(variable);
    if (left != then.values.end() && right != otherwise.values.end())
      known = choice(when, left->second, right->second);
  }
  now_ = std::move(both);
}

/// Runs a switch, whose cases may each be entered with the state that another case has left.
condition kernel_walker::run_switch(clang::SwitchStmt const& choice) {
  if (choice.getInit() != nullptr) run(choice.getInit());
  if (auto const* const declared = choice.getConditionVariable()) declare(*declared);
  evaluate(choice.getCond());
  auto const* const block = dyn_cast<clang::CompoundStmt>(choice.getBody());
  if (block == nullptr) return refuse_statement(choice);
  auto const assigned = assigned_variables(block);
  ++unsure_;
  for (clang::Stmt const* statement : block->body()) {
    while (auto const* const label = dyn_cast<clang::SwitchCase>(statement)) {
      forget(assigned, "depends on a switch", label);
      statement = label->getSubStmt();
    }
    run(statement);
  }
  --unsure_;
  forget(assigned, "depends on a switch", &choice);
  if (!has_return(block) && !has_continue(block)) return condition(true);
  if (!frames_.empty() && has_return(block)) frames_.back().returns_from_loop = true;
  return unknown_condition("depends on a switch that may have left what is around it",
                           at(choice.getSourceRange()));
}

condition kernel_walker::run_return(clang::ReturnStmt const& result) {
  auto& frame = frames_.back();
  auto when = condition(true);
  for (auto guard = frame.guards; guard < guards_.size(); ++guard) when = when && guards_[guard];
  if (frame.loops > 0) frame.returns_from_loop = true;
  if (auto const* const expression = result.getRetValue()) {
    if (expression->isGLValue()) {
      auto const place = locate(expression);
      frames_.back().returned_places.emplace_back(when, place);
    } else {
      auto const returned = as_followed(evaluate(expression), expression->getType(), expression);
      frames_.back().returned.emplace_back(when, returned);
    }
  }
  return condition(false);
}

void kernel_walker::declare(clang::DeclStmt const& group) {
  for (auto const* const declaration : group.decls()) {
    if (auto const* const variable = dyn_cast<clang::VarDecl>(declaration))
      declare(*variable);
    else if (isa<clang::DecompositionDecl>(declaration))
      fail(declaration->getSourceRange(), "structured bindings are not supported in a kernel");
  }
}

void kernel_walker::declare(clang::VarDecl const& variable) {
  auto const name = "'" + variable.getNameAsString() + "'";
  auto const where = clang::SourceRange(variable.getLocation());
  if (isa<clang::DecompositionDecl>(variable))
    return fail(where, "structured bindings are not supported in a kernel");
  if (variable.hasAttr<clang::CUDASharedAttr>())
    return fail(where, name + " is __shared__, which the dialect does not have: threads share nothing but " +
                           "__global__ variables");
  if (!variable.hasLocalStorage()) {
    if (variable.isConstexpr()) return;
    return fail(where, name + " is static, which is not supported in a kernel");
  }
  if (variable.getType()->isVariablyModifiedType())
    return fail(where, name + " has a size that is not constant, which is not supported in a kernel");
  auto const* const initial = variable.getInit();
  if (variable.getType()->isReferenceType()) {
    auto const place = initial->isGLValue() ? locate(initial) : (evaluate(initial), location{});
    now_.references[&variable] = referred_to(place);
  } else if (initial != nullptr) {
    auto const known = evaluate(initial);
    if (is_followed(variable))
      now_.values[&variable] = as_followed(known, variable.getType(), initial);
    else if (known.leads_to && !variable.getType()->isPointerType())
      escape(*known.leads_to, *initial, "is stored in " + name);
    else if (known.leads_to)
      escape_into_exposed(*known.leads_to, variable);
  } else if (is_followed(variable)) {
    now_.values[&variable] = unknown_of(variable.getType(), "has no value yet", nullptr);
  }
}

namespace {

/// The expression without parentheses, and without nodes that destroy temporaries, such as those of std::min.
clang::Expr const* bare(clang::Expr const* expression) {
  for (;;) {
    auto const* const inner = expression->IgnoreParens();
    auto const* const full = dyn_cast<clang::FullExpr>(inner);
    if (full == nullptr) return inner;
    expression = full->getSubExpr();
  }
}

void split_by(clang::BinaryOperatorKind what, clang::Expr const* expression,
              std::vector<clang::Expr const*>& parts) {
  auto const* const binary = dyn_cast<clang::BinaryOperator>(bare(expression));
  if (binary == nullptr || binary->getOpcode() != what) return parts.push_back(expression);
  split_by(what, binary->getLHS(), parts);
  split_by(what, binary->getRHS(), parts);
}

std::vector<clang::Stmt const*> statements_of(clang::Stmt const* body) {
  auto const* const block = dyn_cast<clang::CompoundStmt>(body);
  return block == nullptr ? std::vector<clang::Stmt const*>{body}
                          : std::vector<clang::Stmt const*>(block->body_begin(), block->body_end());
}

clang::BinaryOperatorKind mirrored(clang::BinaryOperatorKind relation) {
  switch (relation) {
    case clang::BO_LT:
      return clang::BO_GT;
    case clang::BO_GT:
      return clang::BO_LT;
    case clang::BO_LE:
      return clang::BO_GE;
    case clang::BO_GE:
      return clang::BO_LE;
    default:
      return relation;
  }
}

/// True if a loop that continues while `counter relation bound` counts towards its end.
bool leads_to_end(clang::BinaryOperatorKind relation, std::int64_t step) {
  if (relation == clang::BO_NE) return step == 1 || step == -1;
  return step > 0 ? relation == clang::BO_LT || relation == clang::BO_LE
                  : relation == clang::BO_GT || relation == clang::BO_GE;
}

}  // namespace

condition kernel_walker::run_for(clang::ForStmt const& loop) {
  if (loop.getInit() != nullptr) run(loop.getInit());
  if (loop.getConditionVariable() != nullptr) return refuse_statement(loop);
  loop_text text{loop.getCond(), statements_of(loop.getBody()), {}, &loop};
  if (loop.getInc() != nullptr) split_by(clang::BO_Comma, loop.getInc(), text.counts);
  return run_loop(text);
}

condition kernel_walker::run_while(clang::WhileStmt const& loop) {
  if (loop.getConditionVariable() != nullptr) return refuse_statement(loop);
  loop_text text{loop.getCond(), statements_of(loop.getBody()), {}, &loop};
  bool const may_skip_its_end = has_continue(loop.getBody());
  auto const* const last = text.body.empty() ? nullptr : dyn_cast<clang::Expr>(text.body.back());
  if (last != nullptr && !may_skip_its_end) {
    text.body.pop_back();
    split_by(clang::BO_Comma, last, text.counts);
  }
  return run_loop(text);
}

condition kernel_walker::run_loop(loop_text const& text) {
  counted_loop counted;
  if (!frames_.empty()) ++frames_.back().loops;
  if (recognise(text, counted))
    run_counted(text, counted);
  else
    run_uncounted(text);
  if (!frames_.empty()) --frames_.back().loops;
  if (!has_return(text.whole)) return condition(true);
  return unknown_condition("depends on a loop that may have returned", at(text.whole->getSourceRange()));
}

condition kernel_walker::run_do(clang::DoStmt const& loop) {
  auto const assigned = assigned_variables(&loop);
  ++frames_.back().loops;
  forget(assigned, "changes in a loop", &loop);
  auto const goes_on = run(loop.getBody());
  bool const may_leave = !is_constant(goes_on, true);
  unsure_ += may_leave ? 1 : 0;
  evaluate_condition(loop.getCond());
  unsure_ -= may_leave ? 1 : 0;
  forget(assigned, "changes in a loop", &loop);
  --frames_.back().loops;
  if (!has_return(&loop)) return condition(true);
  return unknown_condition("depends on a loop that may have returned", at(loop.getSourceRange()));
}

/// Runs a range-based for. Over an array it counts the elements; over anything else the number of iterations
/// is unknown.
condition kernel_walker::run_range_for(clang::CXXForRangeStmt const& loop) {
  if (isa<clang::DecompositionDecl>(loop.getLoopVariable())) {
    fail(clang::SourceRange(loop.getLoopVariable()->getLocation()),
         "structured bindings are not supported in a kernel");
    return skip(&loop), condition(true);
  }
  if (loop.getInit() != nullptr) run(loop.getInit());
  auto const assigned = assigned_variables(loop.getBody());
  auto const range = loop.getRangeInit()->isGLValue() ? locate(loop.getRangeInit()) : location{};
  if (!loop.getRangeInit()->isGLValue()) evaluate(loop.getRangeInit());
  auto const* const array = context_.getAsConstantArrayType(loop.getRangeInit()->getType());
  if (array == nullptr && !range.elements.targets.empty()) return refuse_statement(loop);
  auto const count = array == nullptr ? unknown_value("is not known", at(loop.getSourceRange()))
                                      : expression(array->getSize().getSExtValue());
  forget(assigned, "changes in a loop", &loop);
  auto const id = int(model_.loops.size());
  model_.loops.push_back({loop.getLoopVariable()->getNameAsString(), 0, count, 1,
                          !has_way_out(loop.getBody()), at(clang::SourceRange(loop.getForLoc()))});
  loops_.push_back(id);
  ++frames_.back().loops;
  auto element = range;
  if (!range.elements.targets.empty()) element = dereferenced(advanced(decayed(range), loop_counter(id)));
  auto const& variable = *loop.getLoopVariable();
  if (variable.getType()->isReferenceType())
    now_.references[&variable] = element;
  else
    now_.values[&variable] = as_followed(read(element, *loop.getRangeInit()), variable.getType(), &loop);
  run(loop.getBody());
  --frames_.back().loops;
  loops_.pop_back();
  forget(assigned, "changes in a loop", &loop);
  if (!has_return(&loop)) return condition(true);
  return unknown_condition("depends on a loop that may have returned", at(loop.getSourceRange()));
}

std::optional<std::int64_t> kernel_walker::step_of(clang::Expr const* count, clang::Stmt const* loop,
                                                   clang::VarDecl const*& counter) {
  count = bare(count)->IgnoreParenImpCasts();
  if (auto const* const unary = dyn_cast<clang::UnaryOperator>(count)) {
    if (!unary->isIncrementDecrementOp()) return std::nullopt;
    counter = variable_named(unary->getSubExpr());
    return unary->isIncrementOp() ? 1 : -1;
  }
  auto const* const binary = dyn_cast<clang::BinaryOperator>(count);
  if (binary == nullptr || !binary->isAssignmentOp()) return std::nullopt;
  counter = variable_named(binary->getLHS());
  auto what = binary->getOpcode();
  auto const* by = binary->getRHS();
  if (what == clang::BO_Assign) {
    auto const* const sum = dyn_cast<clang::BinaryOperator>(by->IgnoreParenImpCasts());
    if (sum == nullptr || (sum->getOpcode() != clang::BO_Add && sum->getOpcode() != clang::BO_Sub))
      return std::nullopt;
    bool const behind = sum->getOpcode() == clang::BO_Add && variable_named(sum->getRHS()) == counter;
    if (!behind && variable_named(sum->getLHS()) != counter) return std::nullopt;
    by = behind ? sum->getLHS() : sum->getRHS();
    what = sum->getOpcode() == clang::BO_Add ? clang::BO_AddAssign : clang::BO_SubAssign;
  }
  if (what != clang::BO_AddAssign && what != clang::BO_SubAssign) return std::nullopt;
  auto const* const named_step = variable_named(by);
  if (named_step != nullptr && assigned_variables(loop).contains(named_step)) return std::nullopt;
  auto const step = quiet_constant(by);
  if (!step || *step == 0) return std::nullopt;
  return what == clang::BO_AddAssign ? *step : -*step;
}

/// The value of an expression if it is a number of the program or of this launch, without recording accesses.
std::optional<expression> kernel_walker::quiet_number(clang::Expr const* of) {
  if (auto const known = constant_of(of)) return known;
  auto const* const variable = variable_named(of);
  auto const known = variable == nullptr ? now_.values.end() : now_.values.find(variable);
  return known == now_.values.end() ? std::nullopt : known->second.number;
}
std::optional<std::int64_t> kernel_walker::quiet_constant(clang::Expr const* of) {
  auto const known = quiet_number(of);
  return known && is_constant(*known) ? std::optional((*known)->value) : std::nullopt;
}

bool kernel_walker::recognise_bound(clang::Expr const* condition, counted_loop& counted) {
  auto const* const binary = dyn_cast<clang::BinaryOperator>(bare(condition));
  if (binary == nullptr || !(binary->isRelationalOp() || binary->getOpcode() == clang::BO_NE)) return false;
  bool const first = variable_named(binary->getLHS()) == counted.counter;
  if (!first && variable_named(binary->getRHS()) != counted.counter) return false;
  auto const* const bound = first ? binary->getRHS() : binary->getLHS();
  auto const relation = first ? binary->getOpcode() : mirrored(binary->getOpcode());
  if (!bound->getType()->isIntegerType() || names(bound, counted.counter)) return false;
  if (!leads_to_end(relation, counted.step)) return false;
  counted.is_unsigned = binary->getLHS()->getType()->isUnsignedIntegerType();
  counted.bound = bound;
  counted.relation = relation;
  return true;
}

bool kernel_walker::recognise(loop_text const& text, counted_loop& counted) {
  if (text.condition == nullptr) return false;
  for (auto const* const count : text.counts) {
    auto const step = step_of(count, text.whole, counted.counter);
    if (!step || counted.counter == nullptr || !is_followed(*counted.counter)) continue;
    if (assignments_to(counted.counter, text.whole) !=
        (starts_with_assignment(text, counted.counter) ? 2 : 1))
      continue;
    counted.step = *step;
    counted.count = count;
    std::vector<clang::Expr const*> parts;
    split_by(clang::BO_LAnd, text.condition, parts);
    if (!recognise_bound(parts.front(), counted))
      continue;  // parts before the bound run once more than the body
    counted.further.assign(parts.begin() + 1, parts.end());
    auto const& start = now_.values[counted.counter].number;
    return start.has_value() && counts_without_wrap(counted, *start, text.whole);
  }
  return false;
}

bool kernel_walker::starts_with_assignment(loop_text const& text, clang::VarDecl const* counter) {
  auto const* const loop = dyn_cast<clang::ForStmt>(text.whole);
  return loop != nullptr && loop->getInit() != nullptr && assignments_to(counter, loop->getInit()) == 1;
}

/// True if the counter reaches its bound without wrapping around. An unsigned counter wraps around if it
/// starts below 0, counts down past 0, or starts past the bound that it should hit. A counter of 8 or 16 bits
/// may wrap before it reaches its bound.
bool kernel_walker::counts_without_wrap(counted_loop const& counted, expression const& start,
                                        clang::Stmt const* loop) {
  auto const type = counted.counter->getType();
  if (!counted.is_unsigned && !wraps_around(type)) return true;
  if (counted.is_unsigned && bounds_of(start, model_, guards_).low < 0) return false;
  if (counted.step > std::numeric_limits<std::int32_t>::max()) return false;
  bool const is_narrow = context_.getIntWidth(type) < context_.getIntWidth(context_.IntTy);
  if (is_narrow || counted.relation == clang::BO_NE) return surely_reaches_bound(counted, start, loop);
  return counted.step > 0 || (counted.relation == clang::BO_GT && counted.step == -1);
}

bool kernel_walker::surely_reaches_bound(counted_loop const& counted, expression const& start,
                                         clang::Stmt const* loop) {
  auto const* const named_bound = variable_named(counted.bound);
  if (named_bound != nullptr && assigned_variables(loop).contains(named_bound)) return false;
  auto const bound = quiet_number(counted.bound);
  if (!bound || !fits(*bound + (counted.step - 1), counted.counter->getType())) return false;
  if (counted.step < 0 || counted.relation == clang::BO_LE) return false;
  return counted.relation != clang::BO_NE || bounds_of(*bound - start, model_, guards_).low >= 0;
}

void kernel_walker::forget(variables const& assigned, std::string const& why, clang::Stmt const* where) {
  for (auto const* const variable : assigned) {
    auto const known = now_.values.find(variable);
    if (known != now_.values.end()) known->second = unknown_of(variable->getType(), why, where);
  }
}

namespace {

/// The expressions within `expression` that are evaluated exactly once whenever it is.
void collect_certain(clang::Expr const* expression, std::vector<clang::Expr const*>& into) {
  if (has_unevaluated_operands(expression)) return;
  into.push_back(expression);
  auto const* const binary = dyn_cast<clang::BinaryOperator>(expression);
  if (binary != nullptr && binary->isLogicalOp()) return collect_certain(binary->getLHS(), into);
  if (isa<clang::AbstractConditionalOperator, clang::LambdaExpr>(expression)) return;
  for (auto const* const child : expression->children())
    if (auto const* const part = llvm::dyn_cast_or_null<clang::Expr>(child)) collect_certain(part, into);
}

/// The expressions within `statement` that are evaluated exactly once whenever it runs; none unless it is an
/// expression or declares variables.
void collect_certain(clang::Stmt const* statement, std::vector<clang::Expr const*>& into) {
  if (auto const* const expression = dyn_cast<clang::Expr>(statement))
    return collect_certain(expression, into);
  auto const* const group = dyn_cast<clang::DeclStmt>(statement);
  if (group == nullptr) return;
  for (auto const* const declared : group->decls())
    if (auto const* const variable = dyn_cast<clang::VarDecl>(declared);
        variable != nullptr && variable->hasInit())
      collect_certain(variable->getInit(), into);
}

}  // namespace

/// The growth per iteration of each variable that grows equally in each.
std::map<clang::VarDecl const*, expression> kernel_walker::inductions(loop_text const& text,
                                                                      counted_loop const& counted) {
  std::map<clang::VarDecl const*, expression> found;
  if (std::ranges::any_of(text.body, [](auto const* statement) { return has_continue(statement); }))
    return found;
  std::vector<clang::Expr const*> certain;
  for (auto const* const statement : text.body) collect_certain(statement, certain);
  for (auto const* const count : text.counts) collect_certain(count, certain);
  for (auto const* const count : certain) {
    clang::VarDecl const* variable = nullptr;
    auto const step = step_of(count, text.whole, variable);
    if (!step || variable == nullptr || variable == counted.counter || !is_followed(*variable)) continue;
    if (assignments_to(variable, text.whole) == 1) found.emplace(variable, *step);
  }
  return found;
}

void kernel_walker::start_inductions(std::map<clang::VarDecl const*, expression> const& steps,
                                     environment const& before, expression const& round) {
  for (auto const& [variable, step] : steps) {
    auto const known = before.values.find(variable);
    if (known == before.values.end()) continue;
    auto& starts = now_.values[variable];
    if (known->second.number) {
      auto const grown = *known->second.number + step * round;
      if (!wraps_around(variable->getType()) || fits(grown, variable->getType())) starts = of_number(grown);
    }
    if (known->second.leads_to) starts = of_address(advanced(*known->second.leads_to, step * round));
  }
}

void kernel_walker::run_counted(loop_text const& text, counted_loop const& counted) {
  auto const before = now_;
  auto assigned = assigned_variables(text.whole);
  auto const steps = inductions(text, counted);
  auto const first = *now_.values[counted.counter].number;
  forget(assigned, "changes in a loop", text.whole);
  auto bound = evaluate(counted.bound)
                   .number.value_or(unknown_value("is not known", at(counted.bound->getSourceRange())));
  if (counted.relation == clang::BO_LE) bound = bound + 1;
  if (counted.relation == clang::BO_GE) bound = bound - 1;
  bool const whole = counted.further.empty() && !has_way_out_of(text);
  auto const id = int(model_.loops.size());
  model_.loops.push_back({counted.counter->getNameAsString(), first, bound, counted.step, whole,
                          at(clang::SourceRange(text.whole->getBeginLoc()))});
  loops_.push_back(id);
  auto const distance = counted.step > 0 ? loop_counter(id) - first : first - loop_counter(id);
  auto const round = distance / expression(std::abs(counted.step));
  now_.values[counted.counter] = of_number(loop_counter(id));
  start_inductions(steps, before, round);
  auto const guards = guards_.size();
  for (auto const* const part : counted.further) guards_.push_back(evaluate_condition(part));
  run_body(text);
  guards_.resize(guards, condition(true));
  loops_.pop_back();
  forget(assigned, "changes in a loop", text.whole);
  now_.values[counted.counter] =
      unknown_of(counted.counter->getType(), "is known in its loop only", text.whole);
  if (!whole || std::abs(counted.step) != 1) return;
  now_.values[counted.counter] =
      of_number(counted.step > 0 ? larger_of(first, bound) : smaller_of(first, bound));
  auto const rounds = larger_of(0, counted.step > 0 ? bound - first : first - bound);
  start_inductions(steps, before, rounds);
}

bool kernel_walker::has_way_out_of(loop_text const& text) {
  return std::ranges::any_of(text.body, [](auto const* statement) { return has_way_out(statement); });
}

void kernel_walker::run_body(loop_text const& text) {
  run_all(text.body);
  if (std::ranges::any_of(text.body, [](auto const* statement) { return has_continue(statement); }))
    forget(assigned_variables(text.whole), "changes in a loop", text.whole);
  for (auto const* const count : text.counts) run(count);
}

void kernel_walker::run_uncounted(loop_text const& text) {
  auto const assigned = assigned_variables(text.whole);
  forget(assigned, "changes in a loop", text.whole);
  auto const guards = guards_.size();
  if (text.condition != nullptr) guards_.push_back(evaluate_condition(text.condition));
  ++unsure_;
  run_body(text);
  --unsure_;
  guards_.resize(guards, condition(true));
  forget(assigned, "changes in a loop", text.whole);
}

}  // namespace ballast::mesicc
