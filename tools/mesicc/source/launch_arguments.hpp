// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "source/host_values.hpp"
#include "source/kernel_walker.hpp"
#include "source/launch_sites.hpp"

namespace ballast::mesicc {

/// Makes the arrays and scalars of a launch from its arguments, and tells a walker what the parameters are.
class launch_binding {
 public:
  launch_binding(clang::ASTContext& context, host_values const& host, launch_site& site,
                 std::vector<diagnostic>& found)
      : context_(context), host_(host), site_(site), found_(found) {}

  void bind(kernel_walker& walker);

 private:
  struct array_source {
    clang::VarDecl const* variable = nullptr;  ///< null if it is known only at run time
    std::optional<std::int64_t> offset = 0;    ///< in elements; nothing if it is known only at run time
    clang::QualType shape =
        {};  ///< of a variable that is known only at run time, if all that it may be have one
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
  variables looked_at_;  ///< pointers whose values are being looked for
};

}  // namespace ballast::mesicc
