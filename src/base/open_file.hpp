// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <streambuf>
#include <system_error>

namespace ballast::detail {

/// What a stream writes to a file descriptor, and the first cause why it could not, which errno would forget.
class open_file final : public std::streambuf {
 public:
  /// Owns what open() returned; if that is -1, the cause is errno.
  explicit open_file(int descriptor);
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  ~open_file() override;

  int descriptor() const { return descriptor_; }
  std::error_code cause() const { return cause_; }
  /// Waits until the disk has what was written.
  void sync_to_disk();
  void close();

 protected:
  int_type overflow(int_type sign) override;
  int sync() override;

 private:
  void record_result(bool succeeded);
  void flush_buffer();

  int descriptor_;
  std::error_code cause_;
  std::array<char, 1 << 16> buffer_;
};

}  // namespace ballast::detail
