// SPDX-License-Identifier: Apache-2.0
// Statements of a kernel, in order. Loops are in walk_loops.cpp.
#include <clang/AST/Attr.h>

#include "source/kernel_walker.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

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

/// What follows a statement that may have left is guarded by that it has not.
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

/// Each case may be entered with what any other one has left.
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

}  // namespace ballast::mesicc
