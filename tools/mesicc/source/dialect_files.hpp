// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ballast::mesicc {

/// A file whose launches were rewritten to CUDA's form.
struct dialect_file {
  std::string original;            ///< as the user wrote it; has the length of the text that clang reads
  std::vector<unsigned> launches;  ///< offsets of the `<<[`, ascending
};

/// Files by their paths, as clang requested them.
using dialect_files = std::map<std::string, dialect_file>;

/// The path under which clang finds the prelude, which is included before the first line of a program; no
/// such folder exists on disk.
inline constexpr char prelude_path[] = "/mesi/prelude.h";

/// The files of `below` and the prelude. Launches are rewritten as files are read, and recorded in `files`,
/// which must outlive the result.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> dialect_file_system(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> below, dialect_files& files);

}  // namespace ballast::mesicc
