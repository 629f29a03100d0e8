// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/launch_model.hpp"
#include "source/function_facts.hpp"
#include "source/symbolic_value.hpp"

namespace ballast::mesicc {

/// The known state of a thread's variables at one place of a kernel.
struct environment {
  std::map<clang::VarDecl const*, value> values;
  std::map<clang::VarDecl const*, location> references;
};

/// Runs a kernel once with symbols for values, in the order of the source, and records each access to an
/// array of the launch. Anything that it cannot follow becomes unknown, an access that may happen, or an
/// error; it never loses sight of an array silently.
///
/// The text of a kernel is a recursion through statements, expressions and calls, so one class holds the
/// state that all three change. Its functions take three source files, since each reads alone and compiles
/// slowly: kernel_walker.cpp has statements and loops, walk_expressions.cpp values and places with their
/// pointers and integers, walk_calls.cpp the effects of functions.
class kernel_walker {
 public:
  /// `model` has the arrays and scalars of the arguments; the walk adds arrays that the kernel names itself.
  kernel_walker(clang::ASTContext& context, launch_model& model, std::vector<diagnostic>& found)
      : context_(context), model_(model), found_(found), found_before_(found.size()) {}

  /// Sets the value of a parameter at this launch.
  void bind(clang::ParmVarDecl const* parameter, value bound);
  void walk(clang::FunctionDecl const& kernel);
  /// Call it before bind(): determines which of a function's variables can be followed.
  void prepare(clang::FunctionDecl const& function);

  /// Shared variables that the kernel names itself, with their indices among the arrays of the model.
  std::map<clang::VarDecl const*, int> const& named_variables() const { return named_; }

 private:
  struct call_frame {
    clang::FunctionDecl const* function = nullptr;
    std::size_t guards = 0;  ///< the number of guards at the call
    address self;            ///< of a member function: the place of its object
    std::vector<std::pair<condition, value>> returned = {};
    std::vector<std::pair<condition, location>> returned_places = {};
    bool returns_from_loop = false;
    int loops = 0;
  };
  struct counted_loop {
    clang::VarDecl const* counter = nullptr;
    clang::Expr const* bound = nullptr;
    clang::BinaryOperatorKind relation = clang::BO_LT;
    std::int64_t step = 0;
    bool is_unsigned = false;                 ///< true: the comparison with the bound is unsigned
    clang::Stmt const* count = nullptr;       ///< the statement that steps the counter
    std::vector<clang::Expr const*> further;  ///< further conditions for continuing
  };
  struct call_result {
    value returned;
    location place;
  };

  // Runs statements; each returns the condition under which the next one is reached.
  condition run(clang::Stmt const* statement);
  condition run_compound(clang::CompoundStmt const& block);
  condition run_all(llvm::ArrayRef<clang::Stmt const*> statements);
  condition run_if(clang::IfStmt const& choice);
  void merge(condition const& when, environment const& then, environment const& otherwise);
  condition run_switch(clang::SwitchStmt const& choice);
  condition run_return(clang::ReturnStmt const& result);
  condition refuse_statement(clang::Stmt const& statement);
  void declare(clang::DeclStmt const& group);
  void declare(clang::VarDecl const& variable);

  // Loops.
  condition run_for(clang::ForStmt const& loop);
  condition run_while(clang::WhileStmt const& loop);
  condition run_do(clang::DoStmt const& loop);
  condition run_range_for(clang::CXXForRangeStmt const& loop);
  struct loop_text {
    clang::Expr const* condition = nullptr;
    std::vector<clang::Stmt const*> body;    ///< in order
    std::vector<clang::Expr const*> counts;  ///< executed after the body
    clang::Stmt const* whole = nullptr;
  };
  condition run_loop(loop_text const& text);
  bool recognise(loop_text const& text, counted_loop& counted);
  bool starts_with_assignment(loop_text const& text, clang::VarDecl const* counter);
  bool counts_without_wrap(counted_loop const& counted, expression const& start, clang::Stmt const* loop);
  bool surely_reaches_bound(counted_loop const& counted, expression const& start, clang::Stmt const* loop);
  bool has_way_out_of(loop_text const& text);
  std::optional<std::int64_t> quiet_constant(clang::Expr const* expression);
  std::optional<expression> quiet_number(clang::Expr const* expression);
  bool recognise_bound(clang::Expr const* condition, counted_loop& counted);
  std::optional<std::int64_t> step_of(clang::Expr const* count, clang::Stmt const* loop,
                                      clang::VarDecl const*& counter);
  void run_counted(loop_text const& text, counted_loop const& counted);
  void run_uncounted(loop_text const& text);
  void run_body(loop_text const& text);
  std::map<clang::VarDecl const*, expression> inductions(loop_text const& text, counted_loop const& counted);
  void start_inductions(std::map<clang::VarDecl const*, expression> const& steps, environment const& before,
                        expression const& round);
  void forget(variables const& assigned, std::string const& why, clang::Stmt const* where);

  // Expressions.
  value evaluate(clang::Expr const* expression);
  value evaluate_cast(clang::CastExpr const& cast);
  value evaluate_unary(clang::UnaryOperator const& unary);
  value evaluate_binary(clang::BinaryOperator const& binary);
  value evaluate_logical(clang::BinaryOperator const& binary);
  value evaluate_pointers(clang::BinaryOperator const& binary, value const& left, value const& right);
  value evaluate_conditional(clang::AbstractConditionalOperator const& choice);
  value evaluate_construction(clang::CXXConstructExpr const& made);
  value evaluate_parts(clang::Expr const& expression);
  value arithmetic(clang::BinaryOperatorKind what, value const& left, value const& right,
                   clang::QualType type, clang::Expr const& where);
  std::optional<expression> computed(clang::BinaryOperatorKind what, expression const& a,
                                     expression const& b);
  value pointer_cast(clang::CastExpr const& cast, value const& from);
  condition evaluate_condition(clang::Expr const* expression);
  std::optional<expression> constant_of(clang::Expr const* expression) const;

  location locate(clang::Expr const* expression);
  location locate_name(clang::DeclRefExpr const& reference);
  int array_named(clang::VarDecl const& variable);
  location locate_other(clang::Expr const& expression);
  location locate_cast(clang::CastExpr const& cast);
  location locate_choice(clang::ConditionalOperator const& branch);
  location locate_thread(clang::MemberExpr const& member);
  address pointer_of(clang::Expr const* expression);
  value evaluate_pointers_by(value const& pointer, value const& steps, bool adds, clang::Expr const& where);
  location locate_global(clang::VarDecl const& variable, clang::Expr const& where);
  location locate_member(clang::MemberExpr const& member);
  location assign(clang::BinaryOperator const& assignment);
  location step_by_one(clang::UnaryOperator const& unary);

  value read(location const& from, clang::Expr const& where);
  value read_either(location const& from, clang::Expr const& where);
  void write(location const& to, value const& what, clang::Expr const& where);
  value peek(clang::Expr const* operand);
  value read_argument(clang::Expr const* argument);

  // Calls.
  call_result call(clang::CallExpr const& call);
  call_result call_inlined(clang::CallExpr const& call, clang::FunctionDecl const& callee);
  call_result call_unseen(clang::CallExpr const& call, clang::FunctionDecl const& callee);
  /// An argument that is a number: its place and value.
  struct number_argument {
    location place;
    std::optional<expression> number;
  };
  number_argument number_of(clang::Expr const* argument);
  void choose_smaller_or_larger(clang::CallExpr const& call, bool smaller, call_result& result);
  void clamp(clang::CallExpr const& call, call_result& result);
  bool call_known(clang::CallExpr const& call, clang::FunctionDecl const& callee, call_result& result);
  bool refuse_call(clang::CallExpr const& call, clang::FunctionDecl const& callee);
  void bind_arguments(clang::CallExpr const& call, clang::FunctionDecl const& callee);
  void refuse_order_of_arguments(clang::CallExpr const& call);
  address object_of(clang::CallExpr const& call);
  call_result result_of(call_frame const& frame, clang::CallExpr const& call);
  void touch_argument(clang::Expr const* argument, bool may_change, std::string const& callee);

  // Pointers.
  element_path whole_array(int array) const;
  std::vector<expression> index_of(element_path const& path, clang::SourceRange where) const;
  void fail_lost(address const& pointer, clang::Expr const& where);
  address decayed(location const& array) const;
  location dereferenced(address const& pointer) const;
  address address_of(location const& place) const;
  address advanced(address pointer, expression const& by);
  void advance(element_path& path, expression const& by);
  bool surely_below(expression const& value, expression const& bound);
  void flatten(element_path& path) const;
  void escape_into_exposed(address const& pointer, clang::VarDecl const& variable);
  value to_base(value const& from, clang::CastExpr const& cast);
  void escape(address const& pointer, clang::Expr const& where, std::string const& how);
  void record(access_kind kind, address const& elements, clang::SourceRange where);

  // Integers.
  bool wraps_around(clang::QualType type) const;
  bool fits(expression const& number, clang::QualType type);
  expression fitted(expression number, clang::QualType type, clang::Expr const& where, char const* why);
  expression converted(expression number, clang::CastExpr const& cast);
  value unknown_of(clang::QualType type, std::string why, clang::Stmt const* where) const;
  value as_followed(value const& known, clang::QualType type, clang::Stmt const* where) const;
  bool is_followed(clang::VarDecl const& variable) const;

  void fail(clang::SourceRange where, std::string message, std::vector<note> notes = {});
  place at(clang::SourceRange where) const;
  void skip(clang::Stmt const* statement);
  void skip_callee(clang::CallExpr const& call);
  void check_all_seen(clang::Stmt const* body);
  std::string named(address const& pointer) const;

  clang::ASTContext& context_;
  launch_model& model_;
  std::vector<diagnostic>& found_;
  std::size_t found_before_;
  environment now_;
  std::vector<condition> guards_;
  std::vector<int> loops_;
  int unsure_ = 0;  ///< the number of enclosing statements that may be skipped for reasons without a guard
  std::vector<call_frame> frames_;
  int calls_ = 0;  ///< the number of calls that were walked through
  std::map<clang::VarDecl const*, int> named_;
  std::map<clang::FunctionDecl const*, variables> exposed_;
  std::set<clang::Expr const*> seen_;
};

/// The shape of an array in clang's type, slowest first, and its element type.
struct array_shape {
  std::vector<std::int64_t> extents;
  clang::QualType element;
};
array_shape shape_of(clang::QualType type, clang::ASTContext const& context);

}  // namespace ballast::mesicc
