// SPDX-License-Identifier: Apache-2.0
#include "source/program_checks.hpp"

#include <clang/AST/Attr.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <set>
#include <string>

#include "source/ast_walker.hpp"
#include "source/dialect.hpp"
#include "source/kernel_walker.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

namespace {

bool holds_pointers(clang::QualType type) {
  if (type->isAnyPointerType() || type->isReferenceType() || type->isMemberPointerType()) return true;
  if (auto const* const array = type->getAsArrayTypeUnsafe()) return holds_pointers(array->getElementType());
  auto const* const record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return false;
  for (auto const& base : record->bases())
    if (holds_pointers(base.getType())) return true;
  return llvm::any_of(record->fields(), [](auto const* field) { return holds_pointers(field->getType()); });
}

bool is_zero(clang::APValue const& value) {
  switch (value.getKind()) {
    case clang::APValue::None:
    case clang::APValue::Indeterminate:
      return true;
    case clang::APValue::Int:
      return value.getInt() == 0;
    case clang::APValue::Float:
      return value.getFloat().isPosZero();
    case clang::APValue::ComplexFloat:
      return value.getComplexFloatReal().isPosZero() && value.getComplexFloatImag().isPosZero();
    case clang::APValue::Struct:
      for (unsigned i = 0; i < value.getStructNumBases(); ++i)
        if (!is_zero(value.getStructBase(i))) return false;
      for (unsigned i = 0; i < value.getStructNumFields(); ++i)
        if (!is_zero(value.getStructField(i))) return false;
      return true;
    case clang::APValue::Array:
      for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
        if (!is_zero(value.getArrayInitializedElt(i))) return false;
      return !value.hasArrayFiller() || is_zero(value.getArrayFiller());
    default:
      return false;
  }
}

/// True if a variable begins as zeros. std::complex has a constructor, but that initialises to zero anyway.
bool begins_as_zeros(clang::VarDecl const& variable) {
  auto const* const value = variable.evaluateValue();
  return value != nullptr && is_zero(*value);
}

class checker : public ast_walker {
 public:
  checker(program const& parsed, std::vector<diagnostic>& found, checked_parts& parts)
      : parsed_(parsed), context_(parsed.context()), found_(found), parts_(parts) {}

 private:
  void walk_declaration(clang::Decl const* declaration) override {
    if (isa<clang::TranslationUnitDecl, clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration))
      return ast_walker::walk_declaration(declaration);
    if (declaration->isImplicit() || !is_of_user(declaration->getLocation(), parsed_.sources())) return;
    auto const* const outer = function_;
    if (auto const* const function = declaration->getAsFunction()) function_ = function;
    ast_walker::walk_declaration(declaration);
    function_ = outer;
  }

  void visit_variable(clang::VarDecl const* variable) override {
    if (is_shared_variable(variable)) check_variable(*variable);
  }
  void visit_function(clang::FunctionDecl const* function) override {
    if (is_kernel(function)) check_kernel(*function);
  }
  void visit_reference(clang::DeclRefExpr const* reference) override {
    if (is_thread_id(reference->getDecl()) && !runs_on_devices(function_))
      fail(reference->getSourceRange(), "'lThreadId' is known in kernels and __device__ functions only");
    auto const* const kernel = dyn_cast<clang::FunctionDecl>(reference->getDecl());
    if (is_kernel(kernel) && !launched_.contains(reference))
      fail(reference->getSourceRange(),
           "a kernel can only be launched; '" + kernel->getNameAsString() + "' is used as a value here");
  }
  void visit_launch(clang::CUDAKernelCallExpr const* launch) override {
    if (auto const* const name = dyn_cast<clang::DeclRefExpr>(launch->getCallee()->IgnoreParenImpCasts()))
      launched_.insert(name);
    if (check_launch(*launch)) parts_.launches.push_back({launch, function_});
  }

  void fail(clang::SourceRange where, std::string message, std::vector<note> notes = {}) {
    found_.push_back({severity::error, at(where), std::move(message), std::move(notes)});
  }
  place at(clang::SourceRange where) const {
    return place_of(where, parsed_.sources(), context_.getLangOpts());
  }
  bool is_in_template() const { return function_ != nullptr && function_->isTemplated(); }

  void check_variable(clang::VarDecl const& variable) {
    auto const name = "'" + variable.getNameAsString() + "'";
    auto const where = clang::SourceRange(variable.getLocation());
    auto const type = variable.getType();
    if (!variable.isFileVarDecl() || variable.isStaticDataMember())
      return fail(where, "the __global__ variable " + name + " has to be outside of functions and classes");
    if (variable.getLocation().isMacroID())
      return fail(where,
                  "the __global__ variable " + name + " is defined by a macro, which mesicc cannot rewrite");
    if (variable.isTemplated() || isa<clang::VarTemplateSpecializationDecl>(variable))
      return fail(where, "the __global__ variable " + name + " is a template");
    if (variable.getTLSKind() != clang::VarDecl::TLS_None)
      return fail(where, "the __global__ variable " + name + " is thread_local");
    if (type->isIncompleteArrayType())
      return fail(where,
                  "the __global__ variable " + name + " needs all of its sizes, also where it is extern");
    if (type.isConstQualified() || shape_of(type, context_).element.isConstQualified())
      return fail(where, "the __global__ variable " + name +
                             " is const; kernels read constexpr variables as they are");
    if (check_elements(variable, name)) check_initialiser(variable, name);
  }

  bool check_elements(clang::VarDecl const& variable, std::string const& name) {
    auto const found = found_.size();
    auto const where = clang::SourceRange(variable.getLocation());
    auto const element = shape_of(variable.getType(), context_).element;
    auto const spelt = "'" + element.getAsString(context_.getPrintingPolicy()) + "'";
    if (holds_pointers(element))
      fail(where, "the __global__ variable " + name +
                      " holds pointers or references, which lead nowhere on a device");
    else if (!element.isTriviallyCopyableType(context_))
      fail(where, "the __global__ variable " + name + " holds elements of type " + spelt +
                      ", which is not trivially copyable");
    else if (element.isVolatileQualified())
      fail(where, "the __global__ variable " + name + " is volatile");
    return found_.size() == found;
  }

  /// Reports an initialiser, or a class's own constructor that makes anything but zeros: the user did not
  /// write its call.
  void check_initialiser(clang::VarDecl const& variable, std::string const& name) {
    auto const* const initial = variable.getInit();
    if (initial == nullptr) return;
    auto const* const made = dyn_cast<clang::CXXConstructExpr>(initial->IgnoreImplicit());
    bool const by_itself =
        made != nullptr &&
        llvm::all_of(made->arguments(),
                     [](auto const* argument) { return isa<clang::CXXDefaultArgExpr>(argument); }) &&
        !made->getParenOrBraceRange().isValid() && !made->isListInitialization();
    if (by_itself && (made->getConstructor()->isTrivial() || begins_as_zeros(variable))) return;
    auto const where = by_itself ? clang::SourceRange(variable.getLocation()) : initial->getSourceRange();
    fail(where,
         by_itself
             ? "the __global__ variable " + name + " has elements with a constructor; they begin as zeros"
             : "the __global__ variable " + name + " cannot have an initialiser; assign to it in main()");
  }

  void check_kernel(clang::FunctionDecl const& kernel) {
    auto const name = "'" + kernel.getNameAsString() + "'";
    auto const where = clang::SourceRange(kernel.getLocation());
    if (kernel.isTemplated() || kernel.isTemplateInstantiation())
      return fail(where, "the kernel " + name + " is a template, which is not supported");
    if (isa<clang::CXXMethodDecl>(kernel))
      return fail(where, "the kernel " + name + " is a member of a class, which is not supported");
    if (kernel.getLocation().isMacroID())
      return fail(where, "the kernel " + name + " is made by a macro, which mesicc cannot rewrite");
    if (kernel.isVariadic()) return fail(where, "the kernel " + name + " takes any number of arguments");
    for (auto const* const parameter : kernel.parameters()) check_parameter(*parameter);
  }

  void check_parameter(clang::ParmVarDecl const& parameter) {
    auto const type = parameter.getType();
    auto const name = parameter.getName().empty()
                          ? std::string("a parameter of a kernel")
                          : "the kernel's parameter '" + parameter.getNameAsString() + "'";
    auto const where = clang::SourceRange(parameter.getLocation());
    if (type->isReferenceType()) return fail(where, name + " is a reference; hand over a pointer or a value");
    if (!type->isPointerType()) {
      if (holds_pointers(type))
        return fail(where, name + " holds a pointer, which leads nowhere on a device");
      if (!type.isTriviallyCopyableType(context_)) fail(where, name + " is not trivially copyable");
      return;
    }
    auto const element = shape_of(type->getPointeeType(), context_).element;
    if (element->isFunctionType()) return fail(where, name + " is a function, which a device cannot call");
    if (element->isVoidType() || element->isIncompleteType())
      return fail(where, name + " points to elements of an unknown type");
    if (type->getPointeeType()->isArrayType() &&
        shape_of(type->getPointeeType(), context_).element->isArrayType())
      return fail(where, name + " points to arrays whose sizes are not constant");
    if (holds_pointers(element)) fail(where, name + " points to pointers, which lead nowhere on a device");
  }

  bool check_launch(clang::CUDAKernelCallExpr const& launch) {
    auto const token = launch.getConfig()->getBeginLoc();
    auto const where = clang::SourceRange(launch.getBeginLoc(), launch.getEndLoc());
    if (token.isMacroID() || launch.getBeginLoc().isMacroID() || launch.getEndLoc().isMacroID())
      return fail(where, "a launch by a macro is not supported"), false;
    if (!parsed_.is_launch_of_dialect(token))
      return fail(where, "a launch is written kernel<<[x, y]>>(...); blocks are chosen by mesicc"), false;
    if (is_in_template() || launch.isTypeDependent() || launch.isValueDependent())
      return fail(where, "a launch in a template is not supported"), false;
    if (runs_on_devices(function_)) return fail(where, "a kernel cannot launch a kernel"), false;
    auto const* const kernel = launch.getDirectCallee();
    if (kernel == nullptr || !is_kernel(kernel))
      return fail(where, "a launch by a pointer to a kernel is not supported"), false;
    return check_kernel_of(launch, *kernel) && check_extents(launch);
  }

  bool check_kernel_of(clang::CUDAKernelCallExpr const& launch, clang::FunctionDecl const& kernel) {
    if (kernel.isTemplateInstantiation())
      return fail(launch.getCallee()->getSourceRange(),
                  "the kernel '" + kernel.getNameAsString() + "' is a template, which is not supported"),
             false;
    if (kernel.getDefinition() != nullptr) return true;
    fail(launch.getCallee()->getSourceRange(),
         "the kernel '" + kernel.getNameAsString() + "' has no body in this file, which a launch needs",
         {{at(clang::SourceRange(kernel.getLocation())), "it is declared here"}});
    return false;
  }

  bool check_extents(clang::CUDAKernelCallExpr const& launch) {
    auto const& config = *launch.getConfig();
    if (config.getNumArgs() <= 2 || isa<clang::CXXDefaultArgExpr>(config.getArg(2))) return true;
    fail(config.getArg(2)->getSourceRange(), "a launch has one or two extents: kernel<<[x, y]>>(...)");
    return false;
  }

  program const& parsed_;
  clang::ASTContext& context_;
  std::vector<diagnostic>& found_;
  checked_parts& parts_;
  clang::FunctionDecl const* function_ = nullptr;
  std::set<clang::DeclRefExpr const*> launched_;
};

}  // namespace

checked_parts checked_program(program const& parsed, std::vector<diagnostic>& found) {
  checked_parts parts;
  checker(parsed, found, parts).walk(parsed.context().getTranslationUnitDecl());
  return parts;
}

namespace {

class kernel_finder : public ast_walker {
 public:
  std::vector<clang::FunctionDecl const*> found;

 private:
  void visit_function(clang::FunctionDecl const* function) override {
    if (is_kernel(function) && function->doesThisDeclarationHaveABody()) found.push_back(function);
  }
};

class call_follower : public ast_walker {
 public:
  call_follower() : ast_walker({.of_templates = true, .implicit = true}) {}

  void reach(clang::FunctionDecl const* function) {
    clang::FunctionDecl const* body = nullptr;
    if (function == nullptr || !function->hasBody(body)) return;
    if (reached_.insert(body).second) found.push_back(body);
  }
  std::vector<clang::FunctionDecl const*> found;

 private:
  void visit_reference(clang::DeclRefExpr const* reference) override {
    reach(llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()));
  }
  void visit_member(clang::MemberExpr const* member) override {
    reach(llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl()));
  }
  void visit_construction(clang::CXXConstructExpr const* made) override { reach(made->getConstructor()); }
  void visit_temporary(clang::CXXBindTemporaryExpr const* bound) override {
    reach(bound->getTemporary()->getDestructor());
  }
  void visit_variable(clang::VarDecl const* variable) override { reach_destructor(variable->getType()); }
  void visit_destructor(clang::CXXDestructorDecl const* destructor) override {
    for (auto const& base : destructor->getParent()->bases()) reach_destructor(base.getType());
    for (auto const* const member : destructor->getParent()->fields()) reach_destructor(member->getType());
  }
  void reach_destructor(clang::QualType type) {
    auto const* const record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (record != nullptr && record->hasDefinition()) reach(record->getDestructor());
  }

  std::set<clang::FunctionDecl const*> reached_;
};

class shared_name_finder : public ast_walker {
 public:
  shared_name_finder() : ast_walker({.implicit = true}) {}

  std::vector<clang::DeclRefExpr const*> found;

 private:
  void visit_reference(clang::DeclRefExpr const* reference) override {
    if (is_shared_variable(reference->getDecl())) found.push_back(reference);
  }
};

}  // namespace

std::vector<clang::FunctionDecl const*> functions_of_kernels(program const& parsed) {
  kernel_finder kernels;
  kernels.walk(parsed.context().getTranslationUnitDecl());
  call_follower follower;
  for (auto const* const kernel : kernels.found) follower.reach(kernel);
  for (std::size_t next = 0; next < follower.found.size(); ++next)  // which adds the functions that they call
    follower.walk(follower.found[next]);
  return std::move(follower.found);
}

void refuse_shared_variables_of_host_code(program const& parsed,
                                          std::vector<clang::FunctionDecl const*> const& of_kernels,
                                          std::vector<diagnostic>& found) {
  for (auto const* const function : of_kernels) {
    if (runs_on_devices(function)) continue;
    shared_name_finder names;
    names.walk(function);
    for (auto const* const name : names.found) {
      auto const where = place_of(name->getSourceRange(), parsed.sources(), parsed.context().getLangOpts());
      found.push_back({severity::error,
                       where,
                       "'" + name->getDecl()->getNameAsString() +
                           "' is a __global__ variable, which a function that a kernel calls can use if it "
                           "is __device__",
                       {}});
    }
  }
}

namespace {

/// True for a macro by which a compiler describes itself, a device or its flags.
bool asks_for_compiler(llvm::StringRef name) {
  constexpr llvm::StringLiteral beginnings[] = {"__clang",    "__CUDA",  "__NVCC",   "__GNUC_",
                                                "__AVX",      "__SSE",   "__FMA",    "__BMI",
                                                "__OPTIMIZE", "__FAST_", "__FINITE", "BALLAST_"};
  constexpr llvm::StringLiteral names[] = {"_REENTRANT", "_OPENMP", "NDEBUG"};
  return llvm::any_of(beginnings, [&](auto const& begin) { return name.starts_with(begin); }) ||
         llvm::is_contained(names, name);
}

bool is_condition(llvm::StringRef directive) {
  return directive.starts_with("if") || directive.starts_with("elif");
}

/// The names in the preprocessor conditions of a file.
std::vector<clang::Token> names_in_conditions(clang::FileID file, program const& parsed) {
  clang::Lexer lexer(file, parsed.sources().getBufferOrFake(file), parsed.sources(),
                     parsed.context().getLangOpts());
  std::vector<clang::Token> found;
  bool is_directive = false, is_in_condition = false;
  clang::Token next;
  for (lexer.LexFromRawLexer(next); next.isNot(clang::tok::eof); lexer.LexFromRawLexer(next)) {
    if (next.isAtStartOfLine()) {
      is_in_condition = false;
      is_directive = next.is(clang::tok::hash);
      continue;
    }
    if (next.is(clang::tok::raw_identifier) && is_directive) {
      is_in_condition = is_condition(next.getRawIdentifier());
    } else if (next.is(clang::tok::raw_identifier) && is_in_condition) {
      found.push_back(next);
    }
    is_directive = false;
  }
  return found;
}

bool contains(clang::FunctionDecl const* function, clang::SourceLocation place,
              clang::SourceManager const& sources) {
  auto const range = sources.getExpansionRange(function->getSourceRange());
  return sources.isPointWithin(place, range.getBegin(), range.getEnd());
}

std::vector<clang::FileID> files_of_user(clang::SourceManager const& sources) {
  std::vector<clang::FileID> files;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    auto const& entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile()) continue;
    auto const file = sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (is_of_user(sources.getLocForStartOfFile(file), sources)) files.push_back(file);
  }
  return files;
}

}  // namespace

void find_conditions_on_compilers(program const& parsed,
                                  std::vector<clang::FunctionDecl const*> const& of_kernels,
                                  std::vector<diagnostic>& found) {
  auto const& sources = parsed.sources();
  for (auto const file : files_of_user(sources)) {
    for (auto const& name : names_in_conditions(file, parsed)) {
      if (!asks_for_compiler(name.getRawIdentifier())) continue;
      auto const place = name.getLocation();
      bool const in_kernel =
          llvm::any_of(of_kernels, [&](auto const* one) { return contains(one, place, sources); });
      auto const where = place_of(clang::SourceRange(place, place), sources, parsed.context().getLangOpts());
      auto const spelt = "'" + name.getRawIdentifier().str() + "'";
      found.push_back({in_kernel ? severity::error : severity::warning,
                       where,
                       in_kernel ? "what kernels do cannot depend on " + spelt +
                                       ": mesicc would see other code than the compilers of the result"
                                 : "mesicc reads this as clang does; the compilers of the result may see " +
                                       spelt + " in another way",
                       {}});
    }
  }
}

}  // namespace ballast::mesicc
