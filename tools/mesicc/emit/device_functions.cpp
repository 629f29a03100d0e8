// SPDX-License-Identifier: Apache-2.0
#include "emit/device_functions.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "emit/spelled_names.hpp"
#include "source/ast_walker.hpp"
#include "source/dialect.hpp"

namespace ballast::mesicc {
namespace {

/// The function as the user wrote it, for an instance of a template.
clang::FunctionDecl const* key_of(clang::FunctionDecl const* function) {
  if (auto const* const pattern = function->getTemplateInstantiationPattern()) function = pattern;
  if (auto const* made_from = function->getDescribedFunctionTemplate()) {
    while (auto const* const outer = made_from->getInstantiatedFromMemberTemplate()) made_from = outer;
    function = made_from->getTemplatedDecl();
  }
  return function->getCanonicalDecl();
}

}  // namespace

class device_functions::collector : public ast_walker {
 public:
  collector(device_functions& into, clang::SourceManager const& sources)
      : ast_walker({.of_templates = true}), into_(into), sources_(sources) {}

 private:
  void walk_declaration(clang::Decl const* declaration) override {
    auto const* const function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (function == nullptr || llvm::isa<clang::CXXDeductionGuideDecl>(function) ||
        !record_function(*function))
      return ast_walker::walk_declaration(declaration);
    auto* const before = current_;
    auto const* const body_before = body_;
    current_ = &into_.uses_[key_of(function)];
    body_ = function->doesThisDeclarationHaveABody() ? function->getBody() : nullptr;
    ast_walker::walk_declaration(declaration);
    current_ = before;
    body_ = body_before;
  }

  void visit_name(clang::NamedDecl const* declared) override { record_name(*declared); }
  void visit_tag_type(clang::TagTypeLoc type) override { record_name(*type.getDecl()); }
  void visit_typedef_type(clang::TypedefTypeLoc type) override { record_name(*type.getTypedefNameDecl()); }
  void visit_template_type(clang::TemplateSpecializationTypeLoc type) override {
    auto const* const made_from = type.getTypePtr()->getTemplateName().getAsTemplateDecl();
    if (made_from != nullptr) record_name(*made_from);
  }
  void visit_overloads(clang::OverloadExpr const* named) override {
    if (current_ != nullptr) current_->names.insert(named->getName().getAsString());
  }
  void visit_member(clang::MemberExpr const* member) override {
    if (member->isImplicitAccess()) record_name(*member->getMemberDecl());
    record_value(*member, member->getMemberDecl());
  }
  void visit_reference(clang::DeclRefExpr const* reference) override {
    record_value(*reference, reference->getDecl());
    if (current_ == nullptr) return;
    bool const of_thread = is_thread_id(reference->getDecl());
    if (!of_thread && !is_shared_variable(reference->getDecl())) return record_name(*reference->getDecl());
    if (!is_in_body(reference->getLocation())) into_.in_heads_.push_back(reference);
    if (of_thread) current_->hidden.thread_id = true;
    if (!of_thread) record_variable(reference);
  }
  void visit_call(clang::CallExpr const* call) override {
    auto const* const callee = called_by(call);
    bool const by_name = !llvm::isa<clang::CXXOperatorCallExpr>(call) &&
                         llvm::dyn_cast_or_null<clang::CXXConversionDecl>(callee) == nullptr;
    if (!by_name || current_ == nullptr || !runs_on_devices(callee) || !is_in_body(call->getBeginLoc()))
      return;
    called_.insert(call->getCallee()->IgnoreParenImpCasts());
    current_->calls.push_back({call, key_of(callee)});
  }

  /// Records the function; true if its uses are needed.
  bool record_function(clang::FunctionDecl const& function) {
    if (!is_of_user(function.getLocation(), sources_)) return false;
    if (!runs_on_devices(&function)) {
      if (function.hasAttr<clang::CUDAHostAttr>()) into_.of_host_.push_back(&function);
      return false;
    }
    auto const made_by = function.getTemplateSpecializationKind();
    if (made_by == clang::TSK_ExplicitInstantiationDefinition ||
        made_by == clang::TSK_ExplicitInstantiationDeclaration)
      into_.instantiated_by_hand_.insert(function.getPointOfInstantiation());
    if (key_of(&function) == function.getCanonicalDecl()) into_.declarations_.push_back(&function);
    return true;
  }

  bool is_in_body(clang::SourceLocation place) const {
    return body_ != nullptr &&
           !sources_.isBeforeInTranslationUnit(sources_.getExpansionLoc(place),
                                               sources_.getExpansionLoc(body_->getBeginLoc()));
  }
  void record_name(clang::NamedDecl const& named) {
    if (current_ != nullptr && named.getDeclName().isIdentifier())
      current_->names.insert(named.getNameAsString());
  }
  void record_value(clang::Expr const& reference, clang::ValueDecl const* named) {
    auto const* const function = llvm::dyn_cast<clang::FunctionDecl>(named);
    if (function == nullptr || is_kernel(function) || !runs_on_devices(function)) return;
    if (!called_.contains(&reference))
      into_.values_.push_back({reference.getSourceRange(), key_of(function)});
  }
  void record_variable(clang::DeclRefExpr const* reference) {
    auto const* const variable = llvm::cast<clang::VarDecl>(reference->getDecl())->getCanonicalDecl();
    add(current_->hidden, {false, {variable}});
    current_->variables.push_back(reference);
  }

  device_functions& into_;
  clang::SourceManager const& sources_;
  uses* current_ = nullptr;
  clang::Stmt const* body_ = nullptr;
  std::set<clang::Expr const*> called_;
};

device_functions::device_functions(clang::ASTContext& context) {
  collector(*this, context.getSourceManager()).walk(context.getTranslationUnitDecl());
  spread_to_callers();
  choose_names(context);
}

bool device_functions::add(hidden_parameters& to, hidden_parameters const& more) {
  bool grown = more.thread_id && !to.thread_id;
  to.thread_id = to.thread_id || more.thread_id;
  for (auto const* const variable : more.variables) {
    if (std::ranges::find(to.variables, variable) != to.variables.end()) continue;
    to.variables.push_back(variable);
    grown = true;
  }
  return grown;
}

/// Adds the hidden parameters of called functions to their callers, in an order on which files that share a
/// header agree.
void device_functions::spread_to_callers() {
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& [function, of] : uses_)
      for (auto const& [call, callee] : of.calls) grown = add(of.hidden, hidden_of(callee)) || grown;
  }
  for (auto& [function, of] : uses_)
    std::ranges::sort(of.hidden.variables, {},
                      [](auto const* variable) { return qualified_name(*variable); });
}

hidden_parameters const& device_functions::hidden_of(clang::FunctionDecl const* function) const {
  static hidden_parameters const none;
  auto const found = uses_.find(key_of(function));
  return found == uses_.end() ? none : found->second.hidden;
}

bool device_functions::is_ambiguous(clang::VarDecl const* variable) const {
  auto const name = variable->getNameAsString();
  auto const is_other = [&](clang::VarDecl const* other) {
    return other != variable && other->getNameAsString() == name;
  };
  return std::ranges::any_of(uses_, [&](auto const& entry) {
    auto const& [hidden, calls, references, names] = entry.second;
    if (std::ranges::find(hidden.variables, variable) == hidden.variables.end()) return false;
    return names.contains(name) || std::ranges::any_of(hidden.variables, is_other);
  });
}

/// Chooses the names of variables that are ambiguous in some function. A variable has one name in all
/// functions, since a macro may name it in several.
void device_functions::choose_names(clang::ASTContext const& context) {
  std::set<clang::VarDecl const*> all;
  for (auto const& [function, of] : uses_) all.insert(of.hidden.variables.begin(), of.hidden.variables.end());
  std::set<std::string> given;
  for (auto const* const variable : all) {
    if (!is_ambiguous(variable)) continue;
    auto base = "shared" + qualified_name(*variable);
    for (auto at = base.find("::"); at != std::string::npos; at = base.find("::")) base.replace(at, 2, "_");
    auto name = base;
    for (int i = 2; context.Idents.find(name) != context.Idents.end() || !given.insert(name).second; ++i)
      name = base + "_" + std::to_string(i);
    names_[variable] = name;
  }
}

std::string device_functions::name_of(clang::VarDecl const* variable) const {
  auto const found = names_.find(variable->getCanonicalDecl());
  return found == names_.end() ? variable->getNameAsString() : found->second;
}

namespace {

bool has_no_name_to_call(clang::FunctionDecl const& function) {
  return llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl, clang::CXXConversionDecl>(function) ||
         function.isOverloadedOperator();
}

/// True if the function is written a second time, with concrete types.
bool is_specialised(clang::FunctionDecl const& function) {
  auto const kind = function.getTemplateSpecializationKind();
  return kind != clang::TSK_Undeclared && kind != clang::TSK_ImplicitInstantiation;
}

}  // namespace

std::vector<refused_use> device_functions::refused_uses() const {
  std::vector<refused_use> found;
  for (auto const* const reference : in_heads_)
    found.push_back({reference->getSourceRange(), "'" + reference->getDecl()->getNameAsString() +
                                                      "' can be used in the body of a function only"});
  for (auto const* const function : declarations_) {
    if (hidden_of(function).empty()) continue;
    if (has_no_name_to_call(*function))
      found.push_back({clang::SourceRange(function->getLocation()),
                       "an operator, a constructor or a destructor cannot use lThreadId and __global__ "
                       "variables; hand them over as arguments"});
    else if (is_specialised(*function))
      found.push_back({clang::SourceRange(function->getLocation()),
                       "a specialisation of a template cannot use lThreadId and __global__ variables"});
  }
  for (auto const& where : instantiated_by_hand_)
    found.push_back({clang::SourceRange(where),
                     "an explicit instantiation of a __device__ template is not "
                     "supported; without it there is one where it is called"});
  for (auto const& [where, function] : values_)
    if (!hidden_of(function).empty() && !has_no_name_to_call(*function))
      found.push_back({where, "'" + function->getNameAsString() +
                                  "' uses lThreadId or __global__ variables, so that it can only be called, "
                                  "by its name, in the body of a kernel or __device__ function"});
  return found;
}

std::string device_functions::arguments_of(hidden_parameters const& hidden) const {
  std::string text = hidden.thread_id ? "lThreadId" : "";
  for (auto const* const variable : hidden.variables) text += (text.empty() ? "" : ", ") + name_of(variable);
  return text;
}

std::string device_functions::parameters_of(hidden_parameters const& hidden,
                                            clang::ASTContext const& context) const {
  std::string text = hidden.thread_id ? "ballast::mesi::thread_id lThreadId" : "";
  for (auto const* const variable : hidden.variables) {
    auto const type = context.getLValueReferenceType(variable->getType().getCanonicalType());
    text += (text.empty() ? "" : ", ") + declaration_of(name_of(variable), type, context);
  }
  return text;
}

namespace {

/// The place of the user's `__device__`, possibly in a macro; invalid if it is not written anywhere.
clang::SourceLocation written_mark(clang::Attr const& attribute, source_rewriter const& rewriter) {
  auto const& sources = rewriter.sources();
  for (auto at = attribute.getLocation(); at.isMacroID();) {
    at = sources.getImmediateMacroCallerLoc(at);
    llvm::SmallString<32> buffer;
    auto const word =
        clang::Lexer::getSpelling(sources.getSpellingLoc(at), buffer, sources, rewriter.language());
    if (word.size() > 4 && word.starts_with("__") && word.ends_with("__") && word != "__attribute__")
      return sources.getSpellingLoc(at);
  }
  return {};
}

/// Replaces the marks of the function by BALLAST_HD. `__host__ __device__` together count as one mark.
void rewrite_marks(clang::FunctionDecl const& function, source_rewriter& rewriter) {
  auto const mark = [&](clang::Attr const* attribute, char const* text) {
    if (attribute == nullptr || attribute->isImplicit() || attribute->isInherited()) return;
    auto const place = written_mark(*attribute, rewriter);
    place.isValid() ? rewriter.replace_token(place, text) : rewriter.fail(function.getLocation());
  };
  mark(function.getAttr<clang::CUDAGlobalAttr>(), "BALLAST_HD");
  mark(function.getAttr<clang::CUDADeviceAttr>(), "BALLAST_HD");
  mark(function.getAttr<clang::CUDAHostAttr>(), "");
}

/// Inserts after the parenthesis, which may be in a macro and serve all its uses.
void insert_into_list(clang::SourceLocation parenthesis, std::string const& text, source_rewriter& rewriter) {
  auto const opening = rewriter.sources().getSpellingLoc(parenthesis);
  auto const next = clang::Lexer::findNextToken(opening, rewriter.sources(), rewriter.language());
  bool const is_void = next && next->is(clang::tok::raw_identifier) && next->getRawIdentifier() == "void";
  auto const behind =
      !is_void ? next
               : clang::Lexer::findNextToken(next->getLocation(), rewriter.sources(), rewriter.language());
  bool const is_alone = text.empty() || (behind && behind->is(clang::tok::r_paren));
  if (is_void && is_alone && !text.empty()) return rewriter.replace_token(next->getLocation(), text);
  rewriter.insert_once_after(parenthesis, is_alone ? text : text + ", ");
}

/// The opening parenthesis of a call's arguments.
clang::SourceLocation opening_of(clang::CallExpr const& call, source_rewriter const& rewriter) {
  auto const last = call.getCallee()->getEndLoc();
  for (auto const place : {rewriter.sources().getSpellingLoc(last), last}) {
    auto const next = clang::Lexer::findNextToken(place, rewriter.sources(), rewriter.language());
    if (next && next->is(clang::tok::l_paren)) return next->getLocation();
  }
  return {};
}

}  // namespace

void device_functions::rewrite_calls(uses const& of, source_rewriter& rewriter) const {
  for (auto const& [call, callee] : of.calls) {
    auto const arguments = arguments_of(hidden_of(callee));
    auto const opening = opening_of(*call, rewriter);
    if (opening.isValid())
      insert_into_list(opening, arguments, rewriter);
    else if (!arguments.empty())
      rewriter.fail(call->getBeginLoc());
  }
}

void device_functions::rewrite(source_rewriter& rewriter) const {
  for (auto const* const function : of_host_) rewrite_marks(*function, rewriter);
  for (auto const* const function : declarations_) {
    rewrite_marks(*function, rewriter);
    auto const& hidden = hidden_of(function);
    auto text = parameters_of(hidden, function->getASTContext());
    if (is_kernel(function) && !hidden.thread_id)  // each kernel receives it
      text = "ballast::mesi::thread_id" + (text.empty() ? "" : ", " + text);
    auto const list = function->getFunctionTypeLoc();
    if (list) insert_into_list(list.getLParenLoc(), text, rewriter);
  }
  for (auto const& [function, of] : uses_) {
    for (auto const* const reference : of.variables) {
      auto const* const variable = llvm::cast<clang::VarDecl>(reference->getDecl());
      if (reference->hasQualifier() || name_of(variable) != variable->getNameAsString())
        rewriter.replace_tokens({reference->getBeginLoc(), reference->getLocation()}, name_of(variable));
      rewriter.keep_token(reference->getLocation());
    }
    rewrite_calls(of, rewriter);
  }
}

}  // namespace ballast::mesicc
