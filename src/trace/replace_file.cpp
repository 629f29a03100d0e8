// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace/replace_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "ballast/base/error.hpp"

namespace ballast::inline trace {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(fs::path const& path, std::error_code cause) {
  throw error("cannot write " + path.string() + ": " + cause.message());
}

std::error_code last_error() { return {errno != 0 ? errno : EIO, std::generic_category()}; }

void write_in_place(fs::path const& path, fs::path const& shown,
                    std::function<void(std::ostream&)> const& write) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) fail(shown, last_error());
  errno = 0;
  write(file);
  file.close();
  if (!file) fail(shown, last_error());
}

/// A file that is removed unless it got its final name.
class temporary_file {
 public:
  explicit temporary_file(fs::path const& final)
      : final_(final), path_(final.string() + ".partial-" + std::to_string(getpid())) {}
  temporary_file(temporary_file const&) = delete;
  temporary_file& operator=(temporary_file const&) = delete;
  ~temporary_file() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
  }

  fs::path const& path() const { return path_; }
  void take_final_name(fs::path const& shown) {
    std::error_code cause;
    fs::rename(path_, final_, cause);
    if (cause) fail(shown, cause);
    path_.clear();
  }

 private:
  fs::path final_, path_;
};

/// Where a regular file is or will be: a link stays, its target is replaced. Nothing for what is written in
/// place.
std::optional<fs::path> replaced_file(fs::path const& path) {
  std::error_code cause;
  fs::file_status const status = fs::status(path, cause);
  if (fs::is_directory(status)) fail(path, std::make_error_code(std::errc::is_a_directory));
  if (fs::exists(status) && !fs::is_regular_file(status)) return std::nullopt;
  bool const is_link = fs::is_symlink(fs::symlink_status(path, cause)) && fs::exists(status);
  return is_link ? fs::canonical(path) : path;
}

}  // namespace

void replace_file(fs::path const& path, std::function<void(std::ostream&)> const& write) {
  auto const target = replaced_file(path);
  if (!target) return write_in_place(path, path, write);
  temporary_file file(*target);
  write_in_place(file.path(), path, write);
  file.take_final_name(path);
}

void replace_file(fs::path const& path, std::string_view contents) {
  replace_file(path, [contents](std::ostream& out) { out << contents; });
}

void require_replaceable(fs::path const& path) {
  auto const target = replaced_file(path);
  if (!target) return;
  temporary_file const trial(*target);
  write_in_place(trial.path(), path, [](std::ostream&) {});
}

}  // namespace ballast::inline trace
