// SPDX-License-Identifier: Apache-2.0
#include "ballast/replace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>

#include "ballast/error.hpp"
#include "temporary_file.hpp"

namespace ballast {

using namespace detail;
namespace {

namespace fs = std::filesystem;
using writer = std::function<void(std::ostream&)>;

[[noreturn]] void fail(fs::path const& path, std::string const& cause) {
  throw error("cannot write " + path.string() + ": " + cause);
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

/// Where a regular file is or will be: a link stays, its target is replaced. Nothing for what is written in
/// place.
std::optional<fs::path> replacement_target(fs::path const& path) {
  std::error_code cause;
  fs::file_status const status = fs::status(path, cause);
  if (fs::is_directory(status)) throw_if(std::make_error_code(std::errc::is_a_directory), path);
  if (fs::exists(status) && !fs::is_regular_file(status)) return std::nullopt;
  bool const is_link = fs::is_symlink(fs::symlink_status(path, cause)) && fs::exists(status);
  return is_link ? fs::canonical(path) : path;
}

/// Renaming would ask only for rights to the folder, and root has all; who took the right to write meant it.
void check_writable(struct stat const& there, fs::path const& target, fs::path const& shown) {
  bool const is_writable =
      (there.st_mode & 0222) != 0 && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) == 0;
  if (!is_writable) fail(shown, "the file that is there is read-only");
}

/// Empty, with the rights of the file that it is to replace.
temporary_file make_temporary(fs::path const& target, fs::path const& shown) {
  struct stat there;
  bool const replaces = ::stat(target.c_str(), &there) == 0;
  if (replaces) check_writable(there, target, shown);
  return temporary_file(target, replaces ? &there : nullptr);
}

}  // namespace

void replace_file(fs::path const& path, writer const& write) {
  auto const target = replacement_target(path);
  if (!target) return write_in_place(path, write);
  temporary_file temporary = make_temporary(*target, path);
  write_into(temporary.file(), path, write);
  throw_if(temporary.rename_to_final(), path);
}

void replace_file(fs::path const& path, std::string_view contents) {
  replace_file(path, [contents](std::ostream& out) { out << contents; });
}

void check_replaceable(fs::path const& path) {
  auto const target = replacement_target(path);
  if (!target) return;
  temporary_file trial = make_temporary(*target, path);
  throw_if(trial.file().cause(), path);
}

}  // namespace ballast
