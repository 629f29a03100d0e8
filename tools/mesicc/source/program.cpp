// SPDX-License-Identifier: Apache-2.0
#include "source/program.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include <algorithm>
#include <utility>

#include "source/dialect_files.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {
namespace {

/// Keeps errors and their notes. Drops clang's notes that only report an include or a macro.
class diagnostic_collector : public clang::DiagnosticConsumer {
 public:
  explicit diagnostic_collector(std::vector<diagnostic>& into) : into_(into) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, clang::Diagnostic const& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    auto where = info.hasSourceManager() ? place_of(info.getLocation(), info.getSourceManager()) : place{};
    if (level >= clang::DiagnosticsEngine::Error) {
      into_.push_back({severity::error, std::move(where), message.str().str(), {}});
      last_was_error_ = true;
    } else if (level == clang::DiagnosticsEngine::Note && last_was_error_) {
      into_.back().notes.push_back({std::move(where), message.str().str()});
    } else {
      last_was_error_ = false;
    }
  }

 private:
  std::vector<diagnostic>& into_;
  bool last_was_error_ = false;
};

/// Clang's command line: host code only, so that clang accepts host names in kernels. mesicc checks these
/// names itself.
std::vector<std::string> command_line(std::string const& file, parse_options const& options) {
  std::vector<std::string> line{"mesicc",
                                "-fsyntax-only",
                                "-x",
                                "cuda",
                                "--cuda-host-only",
                                "-nocudainc",
                                "-nocudalib",
                                "-w",
                                "-Wno-unknown-cuda-version",
                                "-std=c++20",
                                "-Xclang",
                                "-detailed-preprocessing-record",
                                "-resource-dir=" BALLAST_CLANG_RESOURCES,
                                "-include",
                                prelude_path};
  for (auto const& folder : options.include_folders) line.push_back("-I" + folder);
  for (auto const& macro : options.definitions) line.push_back("-D" + macro);
  line.push_back("--");
  line.push_back(file.starts_with('-') ? "./" + file : file);
  return line;
}

std::unique_ptr<clang::ASTUnit> unit_of(std::vector<std::string> const& line,
                                        llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
                                        std::vector<diagnostic>& found) {
  std::vector<char const*> words;
  std::ranges::transform(line, std::back_inserter(words), [](auto const& word) { return word.c_str(); });
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> const engine(new clang::DiagnosticsEngine(
      new clang::DiagnosticIDs, new clang::DiagnosticOptions, new diagnostic_collector(found), true));
  std::unique_ptr<clang::ASTUnit> of_errors;
  auto unit = clang::ASTUnit::LoadFromCommandLine(
      words.data() + 1, words.data() + words.size(), std::make_shared<clang::PCHContainerOperations>(),
      engine, BALLAST_CLANG_RESOURCES, false, {}, false, clang::CaptureDiagsKind::None, {}, true, 0,
      clang::TU_Complete, false, false, false, clang::SkipFunctionBodiesScope::None, false, false, false,
      false, std::nullopt, &of_errors, std::move(files));
  return unit != nullptr ? std::move(unit) : std::move(of_errors);
}

program parsed(std::string const& file, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> below,
               parse_options const& options) {
  program made;
  auto files = dialect_file_system(std::move(below), *made.files);
  made.unit = unit_of(command_line(file, options), std::move(files), made.diagnostics);
  if (made.unit == nullptr && made.diagnostics.empty())
    made.diagnostics.push_back({severity::error, {file}, "cannot be read", {}});
  return made;
}

}  // namespace

program parse_program(std::filesystem::path const& file, parse_options const& options) {
  return parsed(file.string(), llvm::vfs::getRealFileSystem(), options);
}

program parse_text(std::string_view text, std::string const& name, parse_options const& options) {
  auto const memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->setCurrentWorkingDirectory(std::filesystem::current_path().string());
  memory->addFile(name, 0, llvm::MemoryBuffer::getMemBufferCopy({text.data(), text.size()}));
  auto const all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  all->pushOverlay(memory);
  return parsed(name, all, options);
}

std::string program::original(clang::FileID file) const {
  auto const entry = sources().getFileEntryRefForID(file);
  auto const found = entry ? files->find(entry->getName().str()) : files->end();
  return found != files->end() ? found->second.original : sources().getBufferData(file).str();
}

bool program::is_launch_of_dialect(clang::SourceLocation token) const {
  auto const [file, offset] = sources().getDecomposedSpellingLoc(token);
  auto const entry = sources().getFileEntryRefForID(file);
  auto const found = entry ? files->find(entry->getName().str()) : files->end();
  return found != files->end() && std::ranges::binary_search(found->second.launches, offset);
}

}  // namespace ballast::mesicc
