// SPDX-License-Identifier: Apache-2.0
#include "source/kernel_walker.hpp"

#include <clang/AST/Attr.h>

#include <algorithm>

#include "source/dialect.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {
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

bool kernel_walker::names_thread_of_cuda(clang::VarDecl const& variable) {
  auto const name = variable.getName();
  return name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim" ||
         name == "warpSize";
}

int kernel_walker::array_named(clang::VarDecl const& variable) {
  auto const* const canonical = variable.getCanonicalDecl();
  auto const [known, is_new] = named_.try_emplace(canonical, int(model_.arrays.size()));
  if (!is_new) return known->second;
  auto const shape = shape_of(variable.getType(), context_);
  array_argument made;
  made.parameter = made.variable = variable.getNameAsString();
  made.element_type = shape.element.getUnqualifiedType().getAsString(context_.getPrintingPolicy());
  made.element_bytes = std::size_t(context_.getTypeSizeInChars(shape.element).getQuantity());
  for (auto const extent : shape.extents) made.extents.push_back(extent);
  if (made.extents.empty()) made.extents.push_back(1);
  made.where = model_.where;
  model_.arrays.push_back(std::move(made));
  return known->second;
}

void kernel_walker::fail(clang::SourceRange where, std::string message, std::vector<note> notes) {
  found_.push_back({severity::error, at(where), std::move(message), std::move(notes)});
}

place kernel_walker::at(clang::SourceRange where) const {
  return place_of(where, context_.getSourceManager(), context_.getLangOpts());
}

/// What is never reached, or was refused, needs not be seen.
void kernel_walker::skip(clang::Stmt const* statement) {
  std::vector<clang::DeclRefExpr const*> names;
  collect_names(statement, names);
  seen_.insert(names.begin(), names.end());
}

void kernel_walker::skip_callee(clang::CallExpr const& call) {
  if (auto const* const callee = llvm::dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts()))
    seen_.insert(callee);
}

/// The net below everything else: a name of an array that no rule here has looked at.
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

}  // namespace ballast::mesicc
