// SPDX-License-Identifier: Apache-2.0
// Calls in a kernel: walks through user functions; knows some of the standard library.
#include <clang/AST/Attr.h>

#include <algorithm>

#include "source/dialect.hpp"
#include "source/kernel_walker.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr std::size_t deepest_call = 16;
constexpr int max_calls = 10'000;

std::string name_of(clang::FunctionDecl const& function) { return function.getQualifiedNameAsString(); }

bool is_named(clang::FunctionDecl const& function, std::initializer_list<llvm::StringRef> names) {
  return function.getDeclName().isIdentifier() && llvm::is_contained(names, function.getName());
}

/// The index of the first argument for a parameter: the first argument of a call of a member operator is its
/// object.
unsigned first_argument(clang::CallExpr const& call, clang::FunctionDecl const& callee) {
  auto const* const method = dyn_cast<clang::CXXMethodDecl>(&callee);
  return isa<clang::CXXOperatorCallExpr>(call) && method != nullptr && method->isInstance() ? 1 : 0;
}

}  // namespace

kernel_walker::call_result kernel_walker::call(clang::CallExpr const& call) {
  auto const* const callee = call.getDirectCallee();
  auto const nothing = call_result{unknown_of(call.getType(), "is the result of a call", &call), {}};
  skip_callee(call);
  if (callee == nullptr) {
    if (isa<clang::CXXPseudoDestructorExpr>(call.getCallee()->IgnoreParens())) return nothing;
    fail(call.getSourceRange(), "a call of what is no named function is not supported in a kernel");
    return skip(&call), nothing;
  }
  if (refuse_call(call, *callee)) return skip(&call), nothing;
  call_result result = nothing;
  if (call_known(call, *callee, result)) return result;
  clang::FunctionDecl const* body = nullptr;
  bool const is_of_library = !is_of_user(callee->getLocation(), context_.getSourceManager());
  if (is_of_library) return call_unseen(call, *callee);
  if (callee->isDefaulted()) return call_unseen(call, *callee);
  if (callee->hasBody(body)) return call_inlined(call, *body);
  fail(call.getSourceRange(), "'" + name_of(*callee) + "' is called in a kernel and has no body in this file",
       {{at(clang::SourceRange(callee->getLocation())), "it is declared here"}});
  return skip(&call), nothing;
}

bool kernel_walker::refuse_call(clang::CallExpr const& call, clang::FunctionDecl const& callee) {
  auto const name = callee.getNameAsString();
  auto const where = call.getSourceRange();
  if (name.starts_with("__syncthreads") || name == "__syncwarp")
    return fail(where,
                "'" + name + "' is not supported: threads of the dialect form no blocks that could wait"),
           true;
  if (name.starts_with("__threadfence"))
    return fail(where, "'" + name +
                           "' is not supported (assumption A3): no thread may see what others write in the "
                           "same launch"),
           true;
  if (name.starts_with("atomic") || name.starts_with("__sync_") || name.starts_with("__atomic_"))
    return fail(where, "'" + name +
                           "' is not supported (assumption A3): no thread may write what others write in "
                           "the same launch"),
           true;
  if (auto const* const method = dyn_cast<clang::CXXMethodDecl>(&callee);
      method != nullptr && method->isVirtual())
    return fail(where, "'" + name_of(callee) + "' is virtual, which is not supported in a kernel"), true;
  return false;
}

/// Follows a call of a function that is known by name, above all the clamps of stencils; false for any other
/// function.
bool kernel_walker::call_known(clang::CallExpr const& call, clang::FunctionDecl const& callee,
                               call_result& result) {
  auto const& sources = context_.getSourceManager();
  if (is_of_user(callee.getLocation(), sources)) return false;
  bool const is_of_integers = std::all_of(call.arg_begin(), call.arg_end(), [](auto const* argument) {
    return argument->getType()->isIntegralOrEnumerationType();
  });
  if (is_named(callee, {"__ldg"}) && call.getNumArgs() == 1) {
    result.returned = read(dereferenced(pointer_of(call.getArg(0))), call);
    return true;
  }
  if (!is_of_integers || isa<clang::CXXMethodDecl>(callee)) return false;
  if (is_named(callee, {"min", "max"}) && call.getNumArgs() == 2)
    return choose_smaller_or_larger(call, callee.getName() == "min", result), true;
  if (is_named(callee, {"clamp"}) && call.getNumArgs() == 3) return clamp(call, result), true;
  if (!is_named(callee, {"abs", "labs", "llabs"}) || call.getNumArgs() != 1) return false;
  if (auto const a = read_argument(call.getArg(0)).number)
    result.returned = of_number(select(*a < 0, expression(0) - *a, *a));
  return true;
}

kernel_walker::number_argument kernel_walker::number_of(clang::Expr const* argument) {
  if (!argument->isGLValue()) {
    auto const known = evaluate(argument);
    return {{nullptr, known, {}}, known.number};
  }
  auto const place = locate(argument);
  return {referred_to(place), read(place, *argument).number};
}

void kernel_walker::choose_smaller_or_larger(clang::CallExpr const& call, bool smaller, call_result& result) {
  auto const a = number_of(call.getArg(0)), b = number_of(call.getArg(1));
  if (!a.number || !b.number) return;
  result.returned = of_number(smaller ? smaller_of(*a.number, *b.number) : larger_of(*a.number, *b.number));
  result.place.fixed = result.returned;
  auto const takes_second = smaller ? *b.number < *a.number : *a.number < *b.number;
  result.place.either = {{takes_second, b.place}, {condition(true), a.place}};
}

void kernel_walker::clamp(clang::CallExpr const& call, call_result& result) {
  auto const a = number_of(call.getArg(0)), low = number_of(call.getArg(1)), high = number_of(call.getArg(2));
  if (!a.number || !low.number || !high.number) return;
  result.returned = of_number(smaller_of(larger_of(*a.number, *low.number), *high.number));
  result.place.fixed = result.returned;
  result.place.either = {{*a.number < *low.number, low.place},
                         {*high.number < *a.number, high.place},
                         {condition(true), a.place}};
}

address kernel_walker::object_of(clang::CallExpr const& call) {
  if (auto const* const member = dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    auto const* const object = member->getImplicitObjectArgument();
    if (object->getType()->isPointerType()) return pointer_of(object);
    return object->isGLValue() ? locate(object).elements : (evaluate(object), address{});
  }
  if (!isa<clang::CXXOperatorCallExpr>(call)) return {};
  auto const* const object = call.getArg(0);
  return object->isGLValue() ? locate(object).elements : (evaluate(object), address{});
}

/// Follows an argument of a function that is not walked through: the function may read it through a reference
/// to const, and change it through any other reference. It might keep a pointer.
void kernel_walker::touch_argument(clang::Expr const* argument, bool may_change, std::string const& callee) {
  if (!argument->isGLValue()) {
    auto const known = evaluate(argument);
    if (known.leads_to) escape(*known.leads_to, *argument, "is handed to " + callee);
    return;
  }
  auto const place = locate(argument);
  if (place.elements.targets.empty() && !place.elements.lost) return;
  if (!may_change) {
    read(place, *argument);
    return;
  }
  escape(place.elements, *argument, "is handed to " + callee);
}

kernel_walker::call_result kernel_walker::call_unseen(clang::CallExpr const& call,
                                                      clang::FunctionDecl const& callee) {
  auto const first = first_argument(call, callee);
  auto const name = "'" + name_of(callee) + "'";
  call_result result{unknown_of(call.getType(), "is the result of a call", &call), {}};
  if (auto const* const method = dyn_cast<clang::CXXMethodDecl>(&callee);
      method != nullptr && method->isInstance()) {
    result.place.elements = object_of(call);
    for (auto& one : result.place.elements.targets) one.path.within_element = true;
    if (result.place.elements.lost) fail_lost(result.place.elements, call);
    record(access_kind::read, result.place.elements, call.getSourceRange());
    if (!method->isConst()) record(access_kind::write, result.place.elements, call.getSourceRange());
  }
  for (auto i = first; i < call.getNumArgs(); ++i) {
    bool const known = i - first < callee.getNumParams();
    bool const to_const =
        known && callee.getParamDecl(i - first)->getType().getNonReferenceType().isConstQualified();
    touch_argument(call.getArg(i), !to_const, name);
  }
  return result;
}

void kernel_walker::bind_arguments(clang::CallExpr const& call, clang::FunctionDecl const& callee) {
  refuse_order_of_arguments(call);
  auto const first = first_argument(call, callee);
  exposed_.try_emplace(callee.getCanonicalDecl(), exposed_variables(callee.getBody()));
  auto const count = std::min(callee.getNumParams(), call.getNumArgs() - first);
  std::vector<location> places(count);
  std::vector<value> values(count);
  for (unsigned i = 0; i < count; ++i) {  // evaluates all before binding the first: they may call the same
                                          // function
    auto const* const argument = call.getArg(i + first);
    if (!callee.getParamDecl(i)->getType()->isReferenceType())
      values[i] = read_argument(argument);
    else if (argument->isGLValue())
      places[i] = referred_to(locate(argument));
    else
      evaluate(argument);
  }
  for (unsigned i = 0; i < count; ++i) {
    auto const* const parameter = callee.getParamDecl(i);
    if (parameter->getType()->isReferenceType())
      now_.references[parameter] = places[i];
    else
      bind(parameter, values[i]);
  }
}

/// Reports a variable that changes in one argument of a call and is used in another one: compilers evaluate
/// arguments in different orders.
void kernel_walker::refuse_order_of_arguments(clang::CallExpr const& call) {
  for (auto const* const one : call.arguments())
    for (auto const* const variable : assigned_variables(one))
      for (auto const* const other : call.arguments())
        if (other != one && names(other, variable))
          return fail(one->getSourceRange(),
                      "'" + variable->getNameAsString() +
                          "' changes in one argument of a call and is used in another one, "
                          "and which comes first is not known");
}

kernel_walker::call_result kernel_walker::call_inlined(clang::CallExpr const& call,
                                                       clang::FunctionDecl const& callee) {
  auto const calls_itself = std::ranges::any_of(frames_, [&](call_frame const& frame) {
    return frame.function->getCanonicalDecl() == callee.getCanonicalDecl();
  });
  if (calls_itself || frames_.size() >= deepest_call || callee.isVariadic()) {
    fail(call.getSourceRange(),
         "'" + name_of(callee) + "' " +
             (calls_itself ? "calls itself, which is"
                           : "is called too deeply, or takes any arguments, which are") +
             " not supported in a kernel");
    return skip(&call), call_result{unknown_of(call.getType(), "is not known", &call), {}};
  }
  if (++calls_ > max_calls) {
    if (calls_ == max_calls + 1)
      fail(call.getSourceRange(),
           "the functions that this kernel calls call others too often to be looked at");
    return skip(&call), call_result{unknown_of(call.getType(), "is not known", &call), {}};
  }
  call_frame frame;
  if (auto const* const method = dyn_cast<clang::CXXMethodDecl>(&callee);
      method != nullptr && method->isInstance()) {
    frame.self = object_of(call);
    for (auto& one : frame.self.targets) one.path.within_element = true;
  }
  bind_arguments(call, callee);
  frame.function = &callee;
  frame.guards = guards_.size();
  frames_.push_back(std::move(frame));
  run(callee.getBody());
  check_all_seen(callee.getBody());
  auto result = result_of(frames_.back(), call);
  frames_.pop_back();
  return result;
}

/// The result of a call: among several, the first one whose condition holds.
kernel_walker::call_result kernel_walker::result_of(call_frame const& frame, clang::CallExpr const& call) {
  call_result result{unknown_of(call.getType(), "is the result of a call", &call), {}};
  if (!frame.returned.empty() && !frame.returns_from_loop) {
    result.returned = frame.returned.back().second;
    for (auto one = frame.returned.rbegin() + 1; one != frame.returned.rend(); ++one)
      result.returned = choice(one->first, one->second, result.returned);
  }
  if (frame.returned_places.empty()) return result;
  if (frame.returns_from_loop) {
    result.place.elements = lost_address("is returned from a loop");
    return result;
  }
  result.place = frame.returned_places.back().second;
  for (auto one = frame.returned_places.rbegin() + 1; one != frame.returned_places.rend(); ++one) {
    result.place.elements = choice(one->first, one->second.elements, result.place.elements);
    result.place.local = nullptr;
    result.place.fixed.reset();
    result.place.either.clear();
  }
  return result;
}

}  // namespace ballast::mesicc
