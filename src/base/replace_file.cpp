// SPDX-License-Identifier: Apache-2.0
#include "ballast/replace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <random>
#include <streambuf>
#include <string>
#include <system_error>
#include <utility>

#include "ballast/error.hpp"

namespace ballast {
namespace {

namespace fs = std::filesystem;
using writer = std::function<void(std::ostream&)>;

/// A stream to a file descriptor that keeps the first cause of failure, which errno would forget.
class open_file final : public std::streambuf {
 public:
  /// Owns the descriptor that open() returned; if it is -1, errno is the cause.
  explicit open_file(int descriptor) : descriptor_(descriptor) { record_result(descriptor >= 0); }
  open_file& operator=(open_file&&) = delete;
  ~open_file() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  std::error_code cause() const { return cause_; }
  /// Waits until the disk has what was written. A file system that has no way to wait (EINVAL) has lost
  /// nothing.
  void sync_to_disk() {
    if (!cause_) record_result(::fsync(descriptor_) == 0 || errno == EINVAL);
  }
  void close() {
    if (descriptor_ < 0) return;
    record_result(::close(descriptor_) == 0);
    descriptor_ = -1;
  }

 protected:
  int_type overflow(int_type sign) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(sign, traits_type::eof())) sputc(traits_type::to_char_type(sign));
    return traits_type::not_eof(sign);
  }
  int sync() override {
    flush_buffer();
    return cause_ ? -1 : 0;
  }

 private:
  void record_result(bool succeeded) {
    if (!succeeded && !cause_) cause_ = {errno != 0 ? errno : EIO, std::generic_category()};
  }
  void flush_buffer() {
    for (char const* from = pbase(); from != pptr() && !cause_;) {
      auto const written = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
      if (written > 0) from += written;
      if (written <= 0 && errno != EINTR) record_result(false);
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  int descriptor_;
  std::error_code cause_;
  std::array<char, 1 << 16> buffer_;  ///< used from the first overflow() on
};

/// A name for the new file in the same folder. It is random, because processes of two containers that share
/// the folder may have the same id. It is cut so that it is as legal as the final one.
fs::path name_beside(fs::path const& final) {
  std::random_device chance;
  auto const number = std::to_string(chance()) + std::to_string(chance());
  return final.parent_path() / (final.filename().string().substr(0, 200) + ".partial-" + number);
}

/// Waits until the disk has the folder, and with it the rename. A process that may not read the folder cannot
/// wait for that.
std::error_code sync_folder(fs::path const& file) {
  auto const parent = file.parent_path();
  open_file folder(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.cause()) return {};
  folder.sync_to_disk();
  return folder.cause();
}

/// A new file beside another, with an unpredictable name; removed unless it got its final name.
class temporary_file {
 public:
  /// Makes the file with the permissions of `replaced`; if that is null, with those of any new file.
  /// file().cause() tells the failure, if it could not be made.
  temporary_file(fs::path final, struct stat const* replaced)
      : final_(std::move(final)), file_(make(replaced != nullptr ? 0600 : 0666)) {
    if (replaced != nullptr && !file_.cause()) copy_permissions(*replaced);
  }
  temporary_file& operator=(temporary_file&&) = delete;
  ~temporary_file() {
    if (exists_) ::unlink(path_.c_str());
  }

  open_file& file() { return file_; }
  /// Renames the file once its contents are on the disk, so that no crash leaves an incomplete file under the
  /// final name. Returns the error.
  std::error_code rename_to_final() {
    file_.sync_to_disk();
    file_.close();
    if (file_.cause()) return file_.cause();
    std::error_code cause;
    fs::rename(path_, final_, cause);
    if (cause) return cause;
    exists_ = false;
    return sync_folder(final_);
  }

 private:
  /// Makes a file with an unused name; returns its descriptor, or -1. Not by mkstemp(), whose files only the
  /// owner may access: here the umask and the folder decide.
  int make(mode_t mode) {
    for (int tries = 0; tries < 100; ++tries) {
      path_ = name_beside(final_);
      int const descriptor =
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
      exists_ = descriptor >= 0;
      if (exists_ || errno != EEXIST) return descriptor;
    }
    return -1;
  }
  /// Gives the new file the owner, group and mode of the replaced one as far as allowed: the owner if root
  /// writes, the group if the writer belongs to it. So a file of others stays readable to them. Drops
  /// set-user-ID, since the owner may differ now. If the file system refuses, the file has fewer permissions,
  /// never more.
  void copy_permissions(struct stat const& replaced) {
    int const descriptor = file_.descriptor();
    bool const is_owners = ::fchown(descriptor, replaced.st_uid, replaced.st_gid) == 0;
    bool const is_groups = is_owners || ::fchown(descriptor, static_cast<uid_t>(-1), replaced.st_gid) == 0;
    mode_t const lent = is_groups ? 0777 : 0707;
    [[maybe_unused]] int const ignored = ::fchmod(descriptor, replaced.st_mode & lent);
  }

  fs::path final_, path_;
  bool exists_ = false;  ///< path_, to be removed
  open_file file_;
};

[[noreturn]] void fail(fs::path const& path, std::string const& cause) {
  throw error("cannot write " + path.string() + ": " + cause);
}

/// The files that the process reads, by name and by inode: a link may be made or a file replaced meanwhile.
struct read_files {
  std::mutex mutex;
  bool is_kept = false;
  std::map<fs::path, fs::path> names;  ///< as noted
  std::map<std::pair<dev_t, ino_t>, fs::path> numbers;
};

read_files& all_read_files() {
  static auto* const instance = new read_files;  // never destroyed: threads may write until the process ends
  return *instance;
}

std::optional<std::pair<dev_t, ino_t>> number_of(fs::path const& path) {
  struct stat there;
  if (::stat(path.c_str(), &there) != 0) return std::nullopt;
  return std::pair(there.st_dev, there.st_ino);
}

/// A terminal or /dev/null may be read and written: overwriting it loses nothing.
bool is_special(fs::path const& path) {
  struct stat there;
  return ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
}

void check_not_read(fs::path const& path) {
  if (noted_as_read(path)) fail(path, "the program reads this file");
}

void throw_if(std::error_code cause, fs::path const& path) {
  if (cause) fail(path, cause.message());
}

void write_into(open_file& file, fs::path const& shown, writer const& write) {
  throw_if(file.cause(), shown);
  std::ostream out(&file);
  write(out);
  out.flush();
  throw_if(file.cause(), shown);
  if (!out) throw_if(std::make_error_code(std::errc::io_error), shown);
}

void write_in_place(fs::path const& path, writer const& write) {
  open_file file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  write_into(file, path, write);
  file.close();
  throw_if(file.cause(), path);
}

/// The path of the regular file to replace, which may not exist yet: a link stays, its target is replaced.
/// Nothing for files that are written in place.
std::optional<fs::path> replacement_target(fs::path const& path) {
  std::error_code cause;
  fs::file_status const status = fs::status(path, cause);
  if (fs::is_directory(status)) throw_if(std::make_error_code(std::errc::is_a_directory), path);
  if (fs::exists(status) && !fs::is_regular_file(status)) return std::nullopt;
  bool const is_link = fs::is_symlink(fs::symlink_status(path, cause)) && fs::exists(status);
  return is_link ? fs::canonical(path) : path;
}

/// Throws if the file that is there is read-only: it must stay. Renaming needs rights only to the folder, and
/// root has all rights.
void check_writable(struct stat const& there, fs::path const& target, fs::path const& shown) {
  bool const is_writable =
      (there.st_mode & 0222) != 0 && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) == 0;
  if (!is_writable) fail(shown, "the file that is there is read-only");
}

/// Makes an empty file with the permissions of the file that it will replace.
temporary_file make_temporary(fs::path const& target, fs::path const& shown) {
  struct stat there;
  bool const replaces = ::stat(target.c_str(), &there) == 0;
  if (replaces) check_writable(there, target, shown);
  return temporary_file(target, replaces ? &there : nullptr);
}

std::optional<off_t> size_of_regular(open_file const& file) {
  struct stat there;
  if (file.cause() || ::fstat(file.descriptor(), &there) != 0 || !S_ISREG(there.st_mode)) return std::nullopt;
  return there.st_size;
}

}  // namespace

read_files_guard::read_files_guard() {
  std::lock_guard const hold(all_read_files().mutex);
  all_read_files().is_kept = true;
}

read_files_guard::~read_files_guard() {
  auto& all = all_read_files();
  std::lock_guard const hold(all.mutex);
  all.is_kept = false;
  all.names.clear();
  all.numbers.clear();
}

void note_read(fs::path const& path) {
  if (is_special(path)) return;
  auto& all = all_read_files();
  std::lock_guard const hold(all.mutex);
  if (!all.is_kept) return;
  all.names.emplace(detail::without_links(path), path);
  if (auto const number = number_of(path)) all.numbers.emplace(*number, path);
}

std::optional<fs::path> noted_as_read(fs::path const& path) {
  auto& all = all_read_files();
  std::lock_guard const hold(all.mutex);
  if (!all.is_kept) return std::nullopt;
  if (auto const found = all.names.find(detail::without_links(path)); found != all.names.end())
    return found->second;
  auto const number = number_of(path);
  auto const found = number ? all.numbers.find(*number) : all.numbers.end();
  return found == all.numbers.end() ? std::nullopt : std::optional(found->second);
}

void replace_file(fs::path const& path, writer const& write) {
  check_not_read(path);
  auto const target = replacement_target(path);
  if (!target) return write_in_place(path, write);
  temporary_file temporary = make_temporary(*target, path);
  write_into(temporary.file(), path, write);
  throw_if(temporary.rename_to_final(), path);
}

void replace_file(fs::path const& path, std::string_view contents) {
  replace_file(path, [contents](std::ostream& out) { out << contents; });
}

void append_to_file(fs::path const& path, std::string_view text) {
  open_file file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  auto const before = size_of_regular(file);
  try {
    write_into(file, path, [text](std::ostream& out) { out << text; });
    file.close();
    throw_if(file.cause(), path);
  } catch (...) {
    [[maybe_unused]] int const ignored = before ? ::truncate(path.c_str(), *before) : 0;
    throw;
  }
}

void check_replaceable(fs::path const& path) {
  check_not_read(path);
  auto const target = replacement_target(path);
  if (!target) return;
  temporary_file trial = make_temporary(*target, path);
  throw_if(trial.file().cause(), path);
}

}  // namespace ballast
