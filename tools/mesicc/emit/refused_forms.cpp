// SPDX-License-Identifier: Apache-2.0
#include "emit/refused_forms.hpp"

#include <clang/AST/Attr.h>

#include <algorithm>
#include <utility>

#include "source/ast_walker.hpp"
#include "source/dialect.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// Names that the result needs for ballast's things.
class name_checker : public ast_walker {
 public:
  explicit name_checker(clang::SourceManager const& sources) : sources_(sources) {}

  std::vector<refused_use> found;

 private:
  void walk_declaration(clang::Decl const* declaration) override {
    bool const before = is_on_devices_;
    if (auto const* const function = plain_function(declaration)) is_on_devices_ = runs_on_devices(function);
    ast_walker::walk_declaration(declaration);
    is_on_devices_ = before;
  }
  void visit_name(clang::NamedDecl const* declared) override {
    if (!declared->getDeclName().isIdentifier() || !is_of_user(declared->getLocation(), sources_)) return;
    auto const name = declared->getName();
    bool const is_known_everywhere = !declared->getDeclContext()->isFunctionOrMethod();
    bool const takes_ballasts_place =
        name == "ballast" && is_known_everywhere && !isa<clang::NamespaceDecl>(declared);
    if (name == "lThreadId" || takes_ballasts_place)
      found.push_back({clang::SourceRange(declared->getLocation()),
                       "'" + name.str() + "' is a name that the translated program needs; use another one"});
  }
  /// Where devices run it, the variable is a reference in the result.
  void visit_decltype(clang::DecltypeTypeLoc type) override {
    auto const* const named = dyn_cast<clang::DeclRefExpr>(type.getUnderlyingExpr());
    if (is_on_devices_ && named != nullptr && is_shared_variable(named->getDecl()))
      found.push_back({named->getSourceRange(), "'decltype(" + named->getDecl()->getNameAsString() +
                                                    ")' of a __global__ variable is not supported; write "
                                                    "the type"});
  }

  bool is_on_devices_ = false;
  clang::SourceManager const& sources_;
};

class form_checker {
 public:
  explicit form_checker(program const& parsed) : parsed_(parsed), sources_(parsed.sources()) {}

  void check(clang::VarDecl const& variable) {
    auto const name = "the __global__ variable '" + variable.getNameAsString() + "' ";
    if (auto const* const type = defined_with(variable))
      fail(clang::SourceRange(type->getLocation()),
           name + "is declared together with its type; define the type before it");
    for (auto const* const attribute : variable.attrs())
      if (!attribute->isImplicit() && !attribute->isInherited() && !isa<clang::AnnotateAttr>(attribute))
        fail(attribute->getRange(), name + "has an attribute, which mesicc cannot rewrite");
  }
  /// Where it is launched, `::a` has to be the variable.
  void check_is_reachable(clang::VarDecl const& variable) {
    clang::DeclContext const* space = variable.getDeclContext()->getRedeclContext();
    if (!space->isNamespace() || !llvm::cast<clang::NamespaceDecl>(space)->isAnonymousNamespace()) return;
    while (isa<clang::NamespaceDecl>(space) &&
           llvm::cast<clang::NamespaceDecl>(space)->isAnonymousNamespace())
      space = space->getParent()->getRedeclContext();
    if (space->lookup(variable.getDeclName()).empty()) return;
    fail(clang::SourceRange(variable.getLocation()),
         "the __global__ variable '" + variable.getNameAsString() +
             "' is in a namespace without a name, and what is around it has the same name");
  }
  void check(clang::CUDAKernelCallExpr const& launch) {
    for (unsigned i = 0; i < launch.getNumArgs(); ++i) {
      auto const* const argument = launch.getArg(i);
      if (isa<clang::CXXDefaultArgExpr>(argument))
        return fail({launch.getBeginLoc(), launch.getEndLoc()},
                    "a launch has to give all arguments; '" +
                        called_by(&launch)->getParamDecl(i)->getNameAsString() + "' is left out here");
      auto const where = argument->getSourceRange();
      if (*sources_.getCharacterData(sources_.getSpellingLoc(where.getBegin())) == '{')
        fail(where, "an argument of a launch cannot be in braces alone; write its type before them");
    }
  }
  void fail(clang::SourceRange where, std::string message) {
    found.push_back({severity::error,
                     place_of(where, sources_, parsed_.context().getLangOpts()),
                     std::move(message),
                     {}});
  }
  std::vector<diagnostic> found;

 private:
  clang::TagDecl const* defined_with(clang::VarDecl const& variable) const {
    auto const* const type = variable.getASTContext().getBaseElementType(variable.getType())->getAsTagDecl();
    auto const* const definition = type == nullptr ? nullptr : type->getDefinition();
    bool const is_within =
        definition != nullptr && definition->isEmbeddedInDeclarator() &&
        sources_.isBeforeInTranslationUnit(variable.getBeginLoc(), definition->getEndLoc()) &&
        sources_.isBeforeInTranslationUnit(definition->getEndLoc(), variable.getLocation());
    return is_within ? definition : nullptr;
  }

  program const& parsed_;
  clang::SourceManager const& sources_;
};

}  // namespace

std::vector<diagnostic> refused_forms(program const& parsed, device_functions const& functions,
                                      std::vector<clang::VarDecl const*> const& variables,
                                      std::vector<planned_launch> const& launches) {
  form_checker checker(parsed);
  name_checker names(parsed.sources());
  names.walk(parsed.context().getTranslationUnitDecl());
  for (auto const& [where, message] : names.found) checker.fail(where, message);
  for (auto const& [where, message] : functions.refused_uses()) checker.fail(where, message);
  for (auto const* const variable : variables) checker.check(*variable);
  for (auto const& launch : launches) {
    checker.check(*launch.site.call);
    for (auto const* const variable : functions.hidden_of(launch.site.kernel).variables)
      checker.check_is_reachable(*variable);
  }
  return std::move(checker.found);
}

}  // namespace ballast::mesicc
