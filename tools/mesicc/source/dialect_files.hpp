// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ballast::mesicc {

/// A file in which launches have been written as CUDA writes them.
struct dialect_file {
  std::string original;            ///< as the user wrote it; as long as what clang reads
  std::vector<unsigned> launches;  ///< offsets of the `<<[`, ascending
};

/// By path, as clang asked for it.
using dialect_files = std::map<std::string, dialect_file>;

/// Where clang finds the prelude, which is included before the first line of a program; no such folder exists
/// on disk.
inline constexpr char prelude_path[] = "/mesi/prelude.h";

/// The files of `below` and the prelude. Launches are rewritten as they are read, and noted in `files`, which
/// has to outlive what is returned.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> dialect_file_system(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> below, dialect_files& files);

}  // namespace ballast::mesicc
