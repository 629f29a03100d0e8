// SPDX-License-Identifier: Apache-2.0
#include "emit/renamed_globals.hpp"

#include <clang/AST/DeclCXX.h>
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "emit/spelled_names.hpp"
#include "source/ast_walker.hpp"
#include "source/dialect.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

namespace {

enum class library_name : std::uint8_t { none, function, object };

/// Names that nvcc declares and C does not have.
constexpr char const* of_cuda[] = {"cospi",  "cyl_bessel_i0", "cyl_bessel_i1", "erfcinv",    "erfcx",
                                   "erfinv", "lerp",          "normcdf",       "normcdfinv", "rcbrt",
                                   "rsqrt",  "sincospi",      "sinpi"};

void* found_in(char const* library, std::string const& name) {
  auto* const opened = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) return nullptr;
  auto* const found = dlsym(opened, name.c_str());
  dlclose(opened);
  return found;
}

bool is_object(void const* address) {
  Dl_info ignored;
  void* symbol = nullptr;
  return dladdr1(address, &ignored, &symbol, RTLD_DL_SYMENT) != 0 && symbol != nullptr &&
         ELF64_ST_TYPE(static_cast<ElfW(Sym) const*>(symbol)->st_info) == STT_OBJECT;
}

/// The meaning of the name in this machine's C library, or in CUDA, outside of namespaces. Headers of the
/// result may declare it, even if the program includes none that does. If they do not, a variable with that
/// name replaces the one that the C++ library uses.
library_name in_library(std::string const& name) {
  if (std::ranges::find(of_cuda, name) != std::end(of_cuda)) return library_name::function;
  for (auto const* const library : {LIBC_SO, LIBM_SO})
    if (auto const* const found = found_in(library, name))
      return is_object(found) ? library_name::object : library_name::function;
  return library_name::none;
}

constexpr char behind_name[] = "_of_program";

/// True if the name can be used outside of all namespaces. Unnamed and inline namespaces do not hide names
/// from outside.
bool is_outside_of_all(clang::Decl const& declared) {
  auto const* around = declared.getDeclContext()->getRedeclContext();
  while (auto const* const space = dyn_cast<clang::NamespaceDecl>(around)) {
    if (!space->isAnonymousNamespace() && !space->isInline()) return false;
    around = space->getParent()->getRedeclContext();
  }
  return around->isTranslationUnit();
}

/// True for a mere declaration of the library's object: `extern char** environ;`.
bool means_that_of_library(clang::NamedDecl const& declared, library_name found) {
  auto const* const variable = dyn_cast<clang::VarDecl>(&declared);
  return variable != nullptr && found == library_name::object && !is_shared_variable(variable) &&
         variable->hasDefinition() == clang::VarDecl::DeclarationOnly;
}

}  // namespace

class renamed_globals::finder : public ast_walker {
 public:
  explicit finder(renamed_globals& into) : into_(into) {}

 private:
  void visit_name(clang::NamedDecl const* declared) override {
    bool const is_plain_kind = declared->getKind() == clang::Decl::Var;  // no template
    if (!is_plain_kind && !isa<clang::EnumConstantDecl, clang::BindingDecl>(declared)) return;
    bool const is_plain = declared->getDeclName().isIdentifier() && !declared->getName().empty();
    if (!is_plain || !is_of_user(declared->getLocation(), into_.context_.getSourceManager())) return;
    if (!is_outside_of_all(*declared)) return;
    auto const name = declared->getNameAsString();
    auto const found = in_library(name);
    if (found == library_name::none || means_that_of_library(*declared, found)) return;
    into_.names_[declared->getCanonicalDecl()] = name + behind_name;
    into_.taken_.insert(name);
  }

  renamed_globals& into_;
};

/// Each token that names one of them, or another entity with that name: a macro may use one token for both.
class renamed_globals::user : public ast_walker {
 public:
  user(renamed_globals const& of, source_rewriter& rewriter) : of_(of), rewriter_(rewriter) {}

 private:
  void walk_declaration(clang::Decl const* declaration) override {
    bool const before = is_on_devices_;
    if (auto const* const function = dyn_cast<clang::FunctionDecl>(declaration))
      is_on_devices_ = runs_on_devices(function);
    ast_walker::walk_declaration(declaration);
    is_on_devices_ = before;
  }
  void visit_name(clang::NamedDecl const* declared) override {
    if (auto const* const names = dyn_cast<clang::UsingDecl>(declared))
      for (auto const* const shadow : names->shadows()) note(*shadow->getTargetDecl(), names->getLocation());
    else
      note(*declared, declared->getLocation());
  }
  void visit_reference(clang::DeclRefExpr const* reference) override {
    note(*reference->getDecl(), reference->getLocation());
  }
  void visit_member(clang::MemberExpr const* member) override {
    note(*member->getMemberDecl(), member->getMemberLoc());
  }

  void note(clang::NamedDecl const& named, clang::SourceLocation token) {
    if (!named.getDeclName().isIdentifier() || !of_.taken_.contains(named.getName().str())) return;
    if (!is_of_user(token, rewriter_.sources())) return;
    auto const* const variable = dyn_cast<clang::ValueDecl>(&named);
    bool const is_parameter = is_on_devices_ && is_shared_variable(variable);
    auto const name = is_parameter ? named.getNameAsString() : of_.name_of(named);
    auto const written = rewriter_.sources().getSpellingLoc(token);
    auto const [known, is_new] = wanted_.try_emplace(written, name);
    if (!is_new && known->second != name) return rewriter_.fail(token);
    if (is_new && name != named.getName() && !rewriter_.is_replaced(token))
      rewriter_.replace_token(token, name);
  }

  renamed_globals const& of_;
  source_rewriter& rewriter_;
  std::map<clang::SourceLocation, std::string> wanted_;
  bool is_on_devices_ = false;
};

renamed_globals::renamed_globals(clang::ASTContext& context) : context_(context) {
  finder(*this).walk(context.getTranslationUnitDecl());
}

std::string renamed_globals::name_of(clang::NamedDecl const& declared) const {
  auto const found = names_.find(declared.getCanonicalDecl());
  return found == names_.end() ? declared.getNameAsString() : found->second;
}

std::string renamed_globals::qualified_name(clang::NamedDecl const& declared) const {
  return qualifier_of(declared.getDeclContext()) + name_of(declared);
}

bool renamed_globals::are_named_in(std::string const& text) const {
  return std::ranges::any_of(words_of(text), [&](auto const& word) { return taken_.contains(word.first); });
}

std::vector<clang::NamedDecl const*> renamed_globals::without_a_name() const {
  std::vector<clang::NamedDecl const*> found;
  for (auto const& [declared, name] : names_)
    if (context_.Idents.find(name) != context_.Idents.end())
      found.push_back(llvm::cast<clang::NamedDecl>(declared));
  return found;
}

void renamed_globals::rewrite(source_rewriter& rewriter) const {
  if (!names_.empty()) user(*this, rewriter).walk(context_.getTranslationUnitDecl());
}

}  // namespace ballast::mesicc
