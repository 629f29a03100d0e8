// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "open_file.hpp"

namespace ballast::detail {

/// A new file beside another, of a name that nobody can foresee; removed unless it got its final name.
class temporary_file {
 public:
  /// With the rights of `replaced`, or if that is null those of any new file. Whether it could be made tells
  /// file().cause().
  temporary_file(std::filesystem::path final, struct stat const* replaced);
  temporary_file(temporary_file const&) = delete;
  temporary_file& operator=(temporary_file const&) = delete;
  ~temporary_file();

  open_file& file() { return file_; }
  /// Once the disk has what was written, so that no crash leaves the final name with less. Returns why not.
  std::error_code rename_to_final();

 private:
  int make(mode_t mode);
  void copy_permissions(struct stat const& replaced);

  std::filesystem::path final_, path_;
  bool exists_ = false;  ///< path_, to be removed
  open_file file_;
};

}  // namespace ballast::detail
