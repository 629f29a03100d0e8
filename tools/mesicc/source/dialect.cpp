// SPDX-License-Identifier: Apache-2.0
#include "source/dialect.hpp"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>

namespace ballast::mesicc {

bool is_shared_variable(clang::ValueDecl const* declaration) {
  auto const* const variable = llvm::dyn_cast_or_null<clang::VarDecl>(declaration);
  if (variable == nullptr) return false;
  auto const is_mark = [](clang::AnnotateAttr const* mark) { return mark->getAnnotation() == "mesi.global"; };
  return llvm::any_of(variable->specific_attrs<clang::AnnotateAttr>(), is_mark);
}

bool is_kernel(clang::FunctionDecl const* function) {
  return function != nullptr && function->hasAttr<clang::CUDAGlobalAttr>();
}

bool runs_on_devices(clang::FunctionDecl const* function) {
  if (function == nullptr) return false;
  if (is_kernel(function)) return true;
  auto const* const device = function->getAttr<clang::CUDADeviceAttr>();
  return device != nullptr && !device->isImplicit();
}

bool is_of_user(clang::SourceLocation place, clang::SourceManager const& sources) {
  if (place.isInvalid()) return false;
  auto const used = sources.getExpansionLoc(place);  // macros of the command line are in no file
  return sources.getFileEntryRefForID(sources.getFileID(used)).has_value() && !sources.isInSystemHeader(used);
}

bool is_thread_id(clang::ValueDecl const* declaration) {
  return declaration != nullptr && declaration->getDeclName().isIdentifier() &&
         declaration->getName() == "lThreadId" && declaration->isDefinedOutsideFunctionOrMethod();
}

clang::FunctionDecl const* called_by(clang::CallExpr const* call) {
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(call->getCalleeDecl());
}

}  // namespace ballast::mesicc
