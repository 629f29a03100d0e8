// SPDX-License-Identifier: Apache-2.0
#include "source/dialect_files.hpp"

#include <utility>

#include "source/launch_tokens.hpp"
#include "source/prelude.hpp"

namespace ballast::mesicc {
namespace {

namespace vfs = llvm::vfs;
using buffer = llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>;

class dialect_file_reader : public vfs::File {
 public:
  dialect_file_reader(std::unique_ptr<vfs::File> below, std::string path, dialect_files& files)
      : below_(std::move(below)), path_(std::move(path)), files_(files) {}

  llvm::ErrorOr<vfs::Status> status() override { return below_->status(); }
  llvm::ErrorOr<std::string> getName() override { return below_->getName(); }
  std::error_code close() override { return below_->close(); }

  buffer getBuffer(llvm::Twine const& name, std::int64_t size, bool needs_end, bool is_volatile) override {
    auto read = below_->getBuffer(name, size, needs_end, is_volatile);
    if (!read) return read;
    std::string_view const text((*read)->getBufferStart(), (*read)->getBufferSize());
    auto code = with_launches_of_cuda(text);
    if (code.launches.empty()) return read;
    files_[path_] = {std::string(text), std::move(code.launches)};
    return llvm::MemoryBuffer::getMemBufferCopy(code.text, name);
  }

 private:
  std::unique_ptr<vfs::File> below_;
  std::string path_;
  dialect_files& files_;
};

/// Clang finds GCC's headers by a path of its own, "/usr/bin/../lib/gcc/...".
bool is_of_system(std::string const& path) {
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") ||
         path.find("/../lib/gcc/") != std::string::npos;
}

class dialect_reader : public vfs::ProxyFileSystem {
 public:
  dialect_reader(llvm::IntrusiveRefCntPtr<vfs::FileSystem> below, dialect_files& files)
      : ProxyFileSystem(std::move(below)), files_(files) {}

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(llvm::Twine const& path) override {
    auto opened = ProxyFileSystem::openFileForRead(path);
    auto const name = path.str();
    if (!opened || is_of_system(name)) return opened;
    return std::make_unique<dialect_file_reader>(std::move(*opened), name, files_);
  }

 private:
  dialect_files& files_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<vfs::FileSystem> dialect_file_system(llvm::IntrusiveRefCntPtr<vfs::FileSystem> below,
                                                              dialect_files& files) {
  auto const prelude = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  auto const text = prelude_text();
  prelude->addFile(prelude_path, 0, llvm::MemoryBuffer::getMemBufferCopy({text.data(), text.size()}));
  auto const all = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(
      llvm::makeIntrusiveRefCnt<dialect_reader>(std::move(below), files));
  all->pushOverlay(prelude);
  return all;
}

}  // namespace ballast::mesicc
