// SPDX-License-Identifier: Apache-2.0
#include "emit/translate.hpp"

#include <llvm/Support/CrashRecoveryContext.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/analyse_launch.hpp"
#include "emit/emitted_source.hpp"
#include "source/launch_sites.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {
namespace {

bool is_error(diagnostic const& one) { return one.level == severity::error; }

void append(std::vector<diagnostic>& to, std::vector<diagnostic> more) {
  std::ranges::move(more, std::back_inserter(to));
}

/// Adds what was found out about a launch; nothing is added to `launches` if it was refused.
void plan(launch_site site, analysis_options const& options, translation& made,
          std::vector<planned_launch>& launches) {
  auto analysis = analyse(site.model, options);
  append(made.diagnostics, std::move(analysis.diagnostics));
  if (!analysis.plan) return;
  made.explanation += analysis.plan->explanation;
  launches.push_back({std::move(site), std::move(*analysis.plan)});
}

}  // namespace

bool translation::has_errors() const { return std::ranges::any_of(diagnostics, is_error); }

namespace {

translation translate_here(std::filesystem::path const& file, translation_options const& options) {
  auto const parsed = parse_program(file, {options.include_folders, options.definitions});
  translation made{.diagnostics = parsed.diagnostics};
  if (parsed.has_errors()) return made;
  auto found = launches_of(parsed);
  append(made.diagnostics, std::move(found.diagnostics));
  if (made.has_errors()) return made;
  std::vector<planned_launch> launches;
  for (auto& site : found.sites) plan(std::move(site), {options.allow_unpartitioned}, made, launches);
  if (!made.has_errors()) made.source = emitted_source(parsed, launches, options, made.diagnostics);
  if (made.has_errors()) made.source.clear();
  return made;
}

}  // namespace

/// Clang and what follows its trees recurse as deeply as the program nests, and clang is not proof against
/// everything.
translation translate(std::filesystem::path const& file, translation_options const& options) {
  constexpr unsigned stack_bytes = 512u << 20;
  translation made;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext on_thread;
  if (on_thread.RunSafelyOnThread([&] { made = translate_here(file, options); }, stack_bytes)) return made;
  diagnostic broken;
  broken.where.file = file.string();
  broken.message = "the compiler within mesicc broke down over this file";
  made = {};
  made.diagnostics.push_back(std::move(broken));
  return made;
}

}  // namespace ballast::mesicc
