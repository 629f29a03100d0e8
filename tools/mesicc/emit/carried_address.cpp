// SPDX-License-Identifier: Apache-2.0
#include "emit/carried_address.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>

namespace ballast::mesicc {

using llvm::dyn_cast;

namespace {

/// What the standard library's containers hold, their parameters tell, but for those that take memory over.
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

}  // namespace

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

bool is_thread(clang::QualType type) {
  auto const* const record = type->getAsCXXRecordDecl();
  return record != nullptr && record->isInStdNamespace() &&
         (record->getName() == "thread" || record->getName() == "jthread");
}

}  // namespace ballast::mesicc
