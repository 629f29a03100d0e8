// SPDX-License-Identifier: Apache-2.0
#include "emit/launches.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>
#include <set>

#include "emit/launch_struct.hpp"
#include "emit/line_directive.hpp"
#include "emit/member_names.hpp"
#include "emit/spelled_names.hpp"
#include "source/dialect.hpp"

namespace ballast::mesicc {
namespace {

using clang::SourceLocation;

/// The last declaration of the kernel that the launch sees.
clang::FunctionDecl const* kernel_of(clang::CUDAKernelCallExpr const& call,
                                     clang::SourceManager const& sources) {
  auto const* const kernel = called_by(&call);
  auto const* last = kernel->getFirstDecl();
  for (auto const* const declared : kernel->redecls())
    if (sources.isBeforeInTranslationUnit(declared->getLocation(), call.getBeginLoc()) &&
        !sources.isBeforeInTranslationUnit(declared->getLocation(), last->getLocation()))
      last = declared;
  return last;
}

class launch_writer {
 public:
  launch_writer(device_functions const& functions, renamed_globals const& renamed, source_rewriter& rewriter)
      : functions_(functions), renamed_(renamed), rewriter_(rewriter), sources_(rewriter.sources()) {}

  std::string write(planned_launch const& launch) {
    auto const& [site, plan] = launch;
    auto const* const kernel = kernel_of(*site.call, sources_);
    auto const& hidden = functions_.hidden_of(kernel);
    launch_struct const what{unused_name(site.model, kernel->getASTContext()),
                             members_of(*called_by(site.call)), arrays_of(site, hidden),
                             hidden.variables.size(), name_in_struct(*kernel)};
    auto const title = site.model.where.file + ", launch in line " + std::to_string(site.model.where.line);
    behind_[end_of(*kernel)] +=
        line_directive(1, title) + with_linkage(*kernel, text_of(what, site.model, plan));
    auto const name = qualifier_of_struct(*kernel) + what.name;
    rewrite_call(*site.call, name, hidden);
    return name;
  }

  std::map<SourceLocation, std::string> insert_structs() {
    for (auto const& [place, text] : behind_) insert_behind(place, text);
    return std::move(behind_);
  }

 private:
  /// "matmul_18", or with more behind it where the program has that name.
  std::string unused_name(launch_model const& model, clang::ASTContext const& context) {
    auto const base = model.kernel + "_" + std::to_string(model.where.line);
    auto name = base;
    auto const is_taken = [&] {
      return context.Idents.find(name) != context.Idents.end() || !names_.insert(name).second;
    };
    for (int i = 2; is_taken(); ++i) name = base + "_" + std::to_string(i);
    return name;
  }

  /// The struct stands behind the kernel, which may be defined outside of its namespace.
  static std::string qualifier_of_struct(clang::FunctionDecl const& kernel) {
    auto const space = qualifier_of(kernel.getLexicalDeclContext());
    return space == "::" ? "" : space;
  }
  static std::string name_in_struct(clang::FunctionDecl const& kernel) {
    auto const whole = qualified_name(kernel), name = kernel.getNameAsString();
    return qualifier_of(kernel.getLexicalDeclContext()) + name == whole ? name : whole;
  }
  /// Its templates cannot be among what has the linkage of C.
  static std::string with_linkage(clang::FunctionDecl const& kernel, std::string const& text) {
    return kernel.isInExternCContext() ? "extern \"C++\" {\n" + text + "}\n" : text;
  }

  /// Of each array of the model, where it is among the members: those that the kernel names itself come
  /// first.
  static std::vector<std::size_t> arrays_of(launch_site const& site, hidden_parameters const& hidden) {
    std::vector<std::size_t> places;
    auto named = site.named.begin();
    for (int const argument : site.arguments) {
      auto const at = argument < 0 ? std::ranges::find(hidden.variables, *named++) - hidden.variables.begin()
                                   : std::ptrdiff_t(hidden.variables.size()) + argument;
      places.push_back(std::size_t(at));
    }
    return places;
  }

  /// Variables that the kernel names itself, then its parameters.
  std::vector<clang::VarDecl const*> parts_of(clang::FunctionDecl const& kernel) const {
    auto parts = functions_.hidden_of(&kernel).variables;
    parts.insert(parts.end(), kernel.param_begin(), kernel.param_end());
    return parts;
  }

  std::vector<std::string> names_of(clang::FunctionDecl const& kernel) const {
    std::vector<std::string> wanted;
    std::set<std::string> needed{kernel.getNameAsString()};
    for (auto const* const part : parts_of(kernel)) {
      bool const is_hidden = !llvm::isa<clang::ParmVarDecl>(part);
      wanted.push_back(is_hidden ? functions_.name_of(part) : part->getNameAsString());
      for (auto const type : {part->getType(), part->getType().getCanonicalType()})
        for (auto const& [word, called] : words_of(declaration_of("", type, kernel.getASTContext())))
          needed.insert(word);
    }
    return member_names(wanted, std::move(needed));
  }

  std::vector<launch_member> members_of(clang::FunctionDecl const& kernel) const {
    auto const& context = kernel.getASTContext();
    auto const names = names_of(kernel);
    std::vector<launch_member> members;
    for (auto const* const part : parts_of(kernel)) {
      auto const& name = names[members.size()];
      bool const is_hidden = !llvm::isa<clang::ParmVarDecl>(part);
      auto const type = is_hidden ? context.getPointerType(part->getType().getCanonicalType())
                                  : part->getType().getUnqualifiedType();
      auto const shown = part->getName().empty() ? name : part->getNameAsString();
      members.push_back({declaration_of(name, type, context), name, (is_hidden ? "*" : "") + name, shown});
      if (!is_hidden && type->isPointerType())
        members.back().restricted = declaration_of(name, type.withRestrict(), context);
    }
    return members;
  }

  /// What no reference can be bound to: a bit-field, and a constant of a class that is defined nowhere.
  static bool is_no_object(clang::Expr const& argument) {
    auto const* const named = argument.IgnoreParenImpCasts();
    if (!named->getType()->isIntegralOrUnscopedEnumerationType()) return false;
    if (named->refersToBitField()) return llvm::isa<clang::MemberExpr>(named);
    auto const* const reference = llvm::dyn_cast<clang::DeclRefExpr>(named);
    auto const* const constant =
        reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    return constant != nullptr && constant->isStaticDataMember() && constant->getDefinition() == nullptr;
  }

  void rewrite_call(clang::CUDAKernelCallExpr const& call, std::string const& name,
                    hidden_parameters const& hidden) {
    auto const opening = call.getConfig()->getBeginLoc(), closing = call.getConfig()->getEndLoc();
    rewriter_.replace_tokens({call.getCallee()->getBeginLoc(), opening},
                             "ballast::mesi::launch<" + name + ">(ballast::mesi::threads(");
    auto const next = clang::Lexer::findNextToken(closing, sources_, rewriter_.language());
    if (!next) return;
    for (auto const* const argument : call.arguments())
      if (is_no_object(*argument)) rewriter_.insert_before(argument->getBeginLoc(), "+");
    std::string first;
    for (auto const* const variable : hidden.variables)
      first += ", &" + renamed_.qualified_name(*variable) + ".address()";
    rewriter_.replace_tokens({closing, next->getLocation()},
                             ")" + first + (call.getNumArgs() == 0 ? "" : ", "));
  }

  /// Where the kernel ends: behind its body, or the semicolon of a declaration.
  SourceLocation end_of(clang::FunctionDecl const& kernel) const {
    if (kernel.doesThisDeclarationHaveABody()) return kernel.getEndLoc();
    auto const next = clang::Lexer::findNextToken(kernel.getEndLoc(), sources_, rewriter_.language());
    return next ? next->getLocation() : kernel.getEndLoc();
  }

  void insert_behind(SourceLocation token, std::string const& text) {
    auto const end = clang::Lexer::getLocForEndOfToken(token, 0, sources_, rewriter_.language());
    auto const* rest = sources_.getCharacterData(end);
    while (*rest == ' ' || *rest == '\t') ++rest;
    bool const ends_line = *rest == '\n' || *rest == '\r' || *rest == '\0';
    auto const line = sources_.getSpellingLineNumber(token) + (ends_line ? 1 : 0);
    auto directive = line_directive(line, sources_.getFilename(sources_.getSpellingLoc(token)).str());
    if (ends_line) directive.pop_back();
    rewriter_.insert_after(token, "\n" + text + directive);
  }

  device_functions const& functions_;
  renamed_globals const& renamed_;
  source_rewriter& rewriter_;
  clang::SourceManager const& sources_;
  std::set<std::string> names_;
  std::map<SourceLocation, std::string> behind_;
};

}  // namespace

rewritten_launches rewrite_launches(std::vector<planned_launch> const& launches,
                                    device_functions const& functions, renamed_globals const& renamed,
                                    source_rewriter& rewriter) {
  launch_writer writer(functions, renamed, rewriter);
  rewritten_launches made;
  for (auto const& launch : launches) made.names.push_back(writer.write(launch));
  made.structs = writer.insert_structs();
  return made;
}

}  // namespace ballast::mesicc
