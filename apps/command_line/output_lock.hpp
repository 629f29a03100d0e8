// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ballast::command_line {

/// While an object of this class lives, no other process that locks the file can add to it: two processes
/// started by mistake, as by mpirun, would mix their output. Advisory: the lock prevents nothing else. One
/// thread at a time.
class output_lock {
 public:
  /// Takes no lock without a path, on a file that is not regular, and where the file or its system does not
  /// support locks. Makes an absent file. Does not wait. Throws bad_argument (`option`) if another process
  /// holds the lock.
  output_lock(std::string_view option, std::string path);
  output_lock(output_lock const&) = delete;
  output_lock& operator=(output_lock const&) = delete;
  /// Removes the file if it was made here and is still empty.
  ~output_lock();

 private:
  std::string path_;
  bool made_ = false;
  int descriptor_ = -1;  ///< -1: no lock
};

}  // namespace ballast::command_line
