// SPDX-License-Identifier: Apache-2.0
#include "temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string>
#include <utility>

namespace ballast::detail {
namespace {

namespace fs = std::filesystem;

/// By chance, as two containers that share the folder may have processes of one id. What is there already of
/// that name is not taken. The name is cut so that it stays legal where the final one is.
fs::path name_beside(fs::path const& final) {
  std::random_device chance;
  auto const number = std::to_string(chance()) + std::to_string(chance());
  return final.parent_path() / (final.filename().string().substr(0, 200) + ".partial-" + number);
}

/// A rename is on the disk when its folder is. Who may not read the folder cannot wait for that.
std::error_code sync_folder(fs::path const& file) {
  auto const parent = file.parent_path();
  open_file folder(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.cause()) return {};
  folder.sync_to_disk();
  return folder.cause();
}

}  // namespace

temporary_file::temporary_file(fs::path final, struct stat const* replaced)
    : final_(std::move(final)), file_(make(replaced != nullptr ? 0600 : 0666)) {
  if (replaced != nullptr && !file_.cause()) copy_permissions(*replaced);
}

temporary_file::~temporary_file() {
  if (exists_) ::unlink(path_.c_str());
}

std::error_code temporary_file::rename_to_final() {
  file_.sync_to_disk();
  file_.close();
  if (file_.cause()) return file_.cause();
  std::error_code cause;
  fs::rename(path_, final_, cause);
  if (cause) return cause;
  exists_ = false;
  return sync_folder(final_);
}

/// Not by mkstemp(), whose files have no rights but the owner's: here the umask and the folder have a say.
int temporary_file::make(mode_t mode) {
  for (int tries = 0; tries < 100; ++tries) {
    path_ = name_beside(final_);
    int const descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    exists_ = descriptor >= 0;
    if (exists_ || errno != EEXIST) return descriptor;
  }
  return -1;
}

/// The owner stays if root writes, the group if the writer is in it: a file of others must not become
/// unreadable for them. Set-user-ID is left out, as it might be another user's now. A file system that
/// refuses leaves the file with fewer rights, not more.
void temporary_file::copy_permissions(struct stat const& replaced) {
  int const descriptor = file_.descriptor();
  bool const is_owners = ::fchown(descriptor, replaced.st_uid, replaced.st_gid) == 0;
  bool const is_groups = is_owners || ::fchown(descriptor, static_cast<uid_t>(-1), replaced.st_gid) == 0;
  mode_t const lent = is_groups ? 0777 : 0707;
  [[maybe_unused]] int const ignored = ::fchmod(descriptor, replaced.st_mode & lent);
}

}  // namespace ballast::detail
