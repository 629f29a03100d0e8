// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ballast::command_line {

/// While one lives, no other process that takes a lock of the file adds to it: two started by mistake, as by
/// mpirun, would mix what they write. Advisory: nothing else is kept from it. One thread at a time.
class output_lock {
 public:
  /// Without a path, on what is no regular file, and where the file or its system cannot be locked: no lock.
  /// An absent file is made. Does not wait. Throws bad_argument (`option`) if another process has it.
  output_lock(std::string_view option, std::string path);
  output_lock(output_lock const&) = delete;
  output_lock& operator=(output_lock const&) = delete;
  /// Removes the file if it is as empty as it was made.
  ~output_lock();

 private:
  std::string path_;
  bool made_ = false;
  int descriptor_ = -1;  ///< -1: no lock
};

}  // namespace ballast::command_line
