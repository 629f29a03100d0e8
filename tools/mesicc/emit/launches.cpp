// SPDX-License-Identifier: Apache-2.0
#include "emit/launches.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emit/line_directive.hpp"
#include "emit/spelled_names.hpp"
#include "model/expression_text.hpp"
#include "model/launch_model.hpp"
#include "model/launch_plan.hpp"
#include "source/dialect.hpp"

namespace ballast::mesicc {
namespace {

/// A parameter of a kernel, as a launch passes it.
struct launch_member {
  std::string declaration;  ///< "int (*a)[64]"
  std::string name;
  std::string
      argument;       ///< in the call of the kernel: "a", or "*a" for a variable that the kernel names itself
  std::string shown;  ///< as messages call it
  std::string restricted = {};  ///< "int (*__restrict a)[64]" for a pointer
};

/// The input for the text of a launch's struct, besides the model and the plan.
struct launch_struct {
  std::string name;                    ///< "matmul_18"
  std::vector<launch_member> members;  ///< in the order of the kernel's parameters
  std::vector<std::size_t> arrays;     ///< for each array of the model: its index among the members
  std::size_t first_argument = 0;      ///< the member for the kernel's first written parameter
  std::string kernel;                  ///< as it is called
};

std::string joined(std::vector<std::string> const& words, std::string const& between) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// One use of an array by a launch, with one access map.
struct array_use {
  std::string mode;                   ///< "reads"
  std::vector<element_range> ranges;  ///< none: the whole array
};

array_use reads_of(array_plan const& plan) {
  if (plan.reads_all) return {"reads_all", {}};
  return {"reads", plan.reads};
}

/// The uses of an array. A pointer has two if it reads more than it writes. A launch that is not cut uses
/// whole arrays.
std::vector<array_use> uses_of(array_plan const& plan, bool partitioned) {
  if (!plan.is_written() && !plan.is_read()) return {};
  if (!plan.is_written()) return {partitioned ? reads_of(plan) : array_use{"reads_all", {}}};
  if (plan.writes_all || !partitioned) return {{"updates_all", {}}};
  if (!plan.is_read()) return {{"writes", plan.writes}};
  array_use const written{plan.writes_ends ? "updates" : "updates_some", plan.writes};
  if (plan.reads_only_what_it_writes) return {written};
  return {written, reads_of(plan)};
}

bool names_scalar(expression const& value, std::int64_t scalar);

bool names_scalar(condition const& value, std::int64_t scalar) {
  return std::ranges::any_of(value->operands, [&](auto const& part) { return names_scalar(part, scalar); }) ||
         std::ranges::any_of(value->conditions, [&](auto const& part) { return names_scalar(part, scalar); });
}
bool names_scalar(expression const& value, std::int64_t scalar) {
  if (value->what == operation::scalar) return value->value == scalar;
  return std::ranges::any_of(value->operands, [&](auto const& part) { return names_scalar(part, scalar); }) ||
         std::ranges::any_of(value->conditions, [&](auto const& part) { return names_scalar(part, scalar); });
}

/// Writes the struct of a launch, with the parts, ranges and modes of the plan.
class printer {
 public:
  printer(launch_struct const& what, launch_model const& model, launch_plan const& plan)
      : what_(what), model_(model), plan_(plan), names_(names_in_code(model)) {
    for (auto const& array : plan.arrays) uses_.push_back(uses_of(array, plan.partitioned));
    for (std::size_t i = 0; i < model.scalars.size(); ++i)
      if (auto const argument = model.scalars[i].argument; argument >= 0)
        names_.scalars[i] = what.members[what.first_argument + std::size_t(argument)].name;
  }

  std::string text() const {
    return "namespace {\nstruct " + what_.name + " {\n" + members() + form() + call() + uses() + bind() +
           arrays() + "};\n}  // namespace\n";
  }

 private:
  launch_member const& member_of(std::size_t array) const { return what_.members[what_.arrays[array]]; }
  std::string const& name_of_array(std::size_t array) const { return member_of(array).name; }

  std::string members() const {
    std::string text;
    for (auto const& member : what_.members) text += "  " + member.declaration + ";\n";
    return text;
  }
  /// The further arguments of the form: values that differ from the defaults.
  std::string rest_of_form() const {
    auto const& block = plan_.block;
    if (block.few_registers)
      return ", " + std::to_string(block.rows_per_thread) + ", ballast::mesi::registers::few";
    return block.rows_per_thread == 1 ? "" : ", " + std::to_string(block.rows_per_thread);
  }
  std::string form() const {
    std::string const cut = !plan_.partitioned ? "none" : plan_.cut == axis::y ? "y" : "x";
    return "  static constexpr char name[] = \"" + model_.kernel + "\";\n" +
           "  static constexpr ballast::mesi::launch_form form{" + std::to_string(plan_.block.x) + ", " +
           std::to_string(plan_.block.y) + ", ballast::mesi::axis::" + cut + rest_of_form() + "};\n";
  }
  /// True if no other pointer of the kernel leads to this one's variable, or nothing writes there.
  bool leads_where_no_other_does(std::size_t array) const {
    auto const& own = model_.arrays[array];
    for (std::size_t other = 0; other < plan_.arrays.size(); ++other) {
      if (other == array || (!plan_.arrays[array].is_written() && !plan_.arrays[other].is_written()))
        continue;
      auto const& variable = model_.arrays[other].variable;
      if (own.variable.empty() || variable.empty() || own.variable == variable) return false;
    }
    return true;
  }
  /// Declares pointers without aliases so that nvcc uses the fact: as variables of the function into which
  /// the kernel is inlined. It ignores parameters of inlined functions.
  std::string restricted() const {
    std::string text;
    for (std::size_t array = 0; array < what_.arrays.size(); ++array) {
      auto const& member = member_of(array);
      if (!member.restricted.empty() && leads_where_no_other_does(array))
        text += "    " + member.restricted + " = this->" + member.name + ";\n";
    }
    return text;
  }
  std::string call() const {
    std::vector<std::string> words{"lThreadId"};
    for (auto const& member : what_.members) words.push_back(member.argument);
    return "  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {\n" + restricted() +
           "    " + what_.kernel + "(" + joined(words, ", ") + ");\n  }\n";
  }

  std::string text_of_ranges(std::vector<element_range> const& ranges) const {
    std::vector<std::string> all;
    for (auto const& one : ranges)
      all.push_back("{" + text_of(one.begin, names_) + ", " + text_of(one.end, names_) + "}");
    return joined(all, ", ");
  }
  std::string text_of_use(array_use const& use, launch_member const& of) const {
    auto const first = "of." + use.mode + "(" + of.name + ", \"" + of.shown + "\"";
    if (use.ranges.empty()) return first + ")";
    auto const ranges = text_of_ranges(use.ranges);
    bool const depends = ranges.find(names_.part_begin) != std::string::npos ||
                         ranges.find(names_.part_end) != std::string::npos;
    return first + ", [=](ballast::mesi::part" + (depends ? " part" : "") +
           ") { return ballast::mesi::ranges{" + ranges + "}; })";
  }

  bool is_named(std::size_t scalar) const {
    auto const names = [&](element_range const& one) {
      return names_scalar(one.begin, std::int64_t(scalar)) || names_scalar(one.end, std::int64_t(scalar));
    };
    for (auto const& of_array : uses_)
      for (auto const& use : of_array)
        if (std::ranges::any_of(use.ranges, names)) return true;
    return false;
  }
  /// Declares the scalars that the ranges name, wide enough that nothing overflows.
  std::string scalars() const {
    std::string text;
    for (std::size_t i = 0; i < model_.scalars.size(); ++i) {
      auto const& scalar = model_.scalars[i];
      if (!is_named(i)) continue;
      auto const& name = names_.scalars[i];
      auto const from = scalar.argument < 0 ? scalar.spelling + "()"
                                            : "bound(this->" + name + ", \"" + scalar.spelling + "\")";
      text += "    std::int64_t const " + name + " = of." + from + ";\n";
    }
    return text;
  }

  std::string uses() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < uses_.size(); ++i)
      for (auto const& use : uses_[i]) all.push_back(text_of_use(use, member_of(i)));
    return "  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {\n" + scalars() +
           "    return std::tuple(" + joined(all, ",\n                      ") + ");\n  }\n";
  }
  std::string bind() const {
    std::vector<std::string> parameters;
    std::string body;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      auto const& name = name_of_array(i);
      for (std::size_t use = 0; use < uses_[i].size(); ++use)
        parameters.push_back(use == 0 ? "auto " + name + "_here" : "auto");
      if (!uses_[i].empty())
        body += "    " + name + " = ballast::mesi::biased(" + name + ", " + name + "_here);\n";
    }
    return "  void bind(" + joined(parameters, ", ") + ") {\n" + body + "  }\n";
  }
  std::string arrays() const {
    std::string body;
    for (std::size_t i = 0; i < uses_.size(); ++i)
      if (!uses_[i].empty()) body += " f(" + name_of_array(i) + ");";
    return "  template <class F>\n  void for_each_array([[maybe_unused]] F f) const {" + body + " }\n";
  }

  launch_struct const& what_;
  launch_model const& model_;
  launch_plan const& plan_;
  leaf_names names_;
  std::vector<std::vector<array_use>> uses_;  ///< of each array
};

/// Names in the text of each struct that are no member's, and do not follow "." or "::".
std::set<std::string> const own_names{"name", "form",      "uses",      "bind",   "for_each_array",
                                      "of",   "part",      "f",         "F",      "std",
                                      "auto", "threads_x", "threads_y", "ballast"};

/// The names of the struct's members: those of the parameters and variables, with "_" appended if the struct,
/// or one of `further`, needs the name for something else. "unnamed_1" for one without a name.
std::vector<std::string> member_names(std::vector<std::string> const& wanted, std::set<std::string> further) {
  auto& needed = further;
  needed.insert(own_names.begin(), own_names.end());
  for (auto const& name : wanted) needed.insert(name + "_here");
  std::set<std::string> taken(wanted.begin(), wanted.end());
  std::vector<std::string> names;
  for (auto const& one : wanted) {
    auto name = one.empty() ? "unnamed_" + std::to_string(names.size()) : one;
    bool const is_free = !needed.contains(name);
    while (needed.contains(name) || (!is_free && taken.contains(name))) name += "_";
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

using clang::SourceLocation;

/// The last declaration of the kernel that is visible at the launch.
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
        line_directive(1, title) + with_linkage(*kernel, printer(what, site.model, plan).text());
    auto const name = qualifier_of_struct(*kernel) + what.name;
    rewrite_call(*site.call, name, hidden);
    return name;
  }

  std::map<SourceLocation, std::string> insert_structs() {
    for (auto const& [place, text] : behind_) insert_behind(place, text);
    return std::move(behind_);
  }

 private:
  /// A name for the struct of a launch: "matmul_18", or longer if the program uses that name.
  std::string unused_name(launch_model const& model, clang::ASTContext const& context) {
    auto const base = model.kernel + "_" + std::to_string(model.where.line);
    auto name = base;
    auto const is_taken = [&] {
      return context.Idents.find(name) != context.Idents.end() || !names_.insert(name).second;
    };
    for (int i = 2; is_taken(); ++i) name = base + "_" + std::to_string(i);
    return name;
  }

  /// The namespace that the struct's name needs as a qualifier. The struct follows the kernel, which may be
  /// defined outside of its namespace.
  static std::string qualifier_of_struct(clang::FunctionDecl const& kernel) {
    auto const space = qualifier_of(kernel.getLexicalDeclContext());
    return space == "::" ? "" : space;
  }
  static std::string name_in_struct(clang::FunctionDecl const& kernel) {
    auto const whole = qualified_name(kernel), name = kernel.getNameAsString();
    return qualifier_of(kernel.getLexicalDeclContext()) + name == whole ? name : whole;
  }
  /// Wraps the text in extern "C++" if the kernel has C linkage, which the templates of its struct cannot
  /// have.
  static std::string with_linkage(clang::FunctionDecl const& kernel, std::string const& text) {
    return kernel.isInExternCContext() ? "extern \"C++\" {\n" + text + "}\n" : text;
  }

  /// For each array of the model its index among the members; variables that the kernel names itself come
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

  /// True if no reference can be bound to the argument: a bit-field, or a class constant that is defined
  /// nowhere.
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

  /// The end of the kernel: after its body, or after the semicolon of a declaration.
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
