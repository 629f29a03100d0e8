// SPDX-License-Identifier: Apache-2.0
#include "open_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace ballast::detail {

open_file::open_file(int descriptor) : descriptor_(descriptor) {
  record_result(descriptor >= 0);
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

open_file::~open_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

/// A file system that has no way to wait (EINVAL) has lost nothing.
void open_file::sync_to_disk() {
  if (!cause_) record_result(::fsync(descriptor_) == 0 || errno == EINVAL);
}

void open_file::close() {
  if (descriptor_ < 0) return;
  record_result(::close(descriptor_) == 0);
  descriptor_ = -1;
}

open_file::int_type open_file::overflow(int_type sign) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(sign, traits_type::eof())) sputc(traits_type::to_char_type(sign));
  return traits_type::not_eof(sign);
}

int open_file::sync() {
  flush_buffer();
  return cause_ ? -1 : 0;
}

void open_file::record_result(bool succeeded) {
  if (!succeeded && !cause_) cause_ = {errno != 0 ? errno : EIO, std::generic_category()};
}

void open_file::flush_buffer() {
  for (char const* from = pbase(); from != pptr() && !cause_;) {
    auto const written = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
    if (written > 0) from += written;
    if (written <= 0 && errno != EINTR) record_result(false);
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

}  // namespace ballast::detail
