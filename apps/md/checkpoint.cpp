// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <string_view>

#include "ballast/replace_file.hpp"
#include "checkpoint_body.hpp"
#include "splitmix.hpp"
#include "text_file.hpp"

namespace ballast::md {
namespace {

constexpr char magic[8] = {'b', 'a', 'l', 'l', 'a', 's', 't', 'M'};
constexpr std::uint32_t version = 1;
constexpr std::uint32_t byte_order = 0x01020304;

/// A checksum over words of 8 bytes; any changed, lost or moved byte changes it but for one chance in 2^64.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = mix(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    sum = mix(sum ^ word);
  }
  return sum;
}

struct header {
  char magic[8];
  std::uint32_t version, byte_order;
  std::uint64_t size, checksum;
};

header header_of(std::string_view body) {
  header head{{}, version, byte_order, body.size(), checksum(body)};
  std::memcpy(head.magic, magic, sizeof magic);
  return head;
}

void check_header(std::string const& path, header const& head, std::string_view body) {
  if (std::memcmp(head.magic, magic, sizeof magic) != 0)
    throw bad_file(path, 0, "this is no checkpoint of md.");
  if (head.byte_order != byte_order) {
    throw bad_file(path, 0, "the checkpoint was written on a machine with another byte order.");
  }
  if (head.version != version) {
    throw bad_file(path, 0,
                   "the checkpoint has format " + std::to_string(head.version) + ", but only format " +
                       std::to_string(version) + " can be read.");
  }
  if (body.size() < head.size) {
    throw bad_file(path, 0,
                   "the checkpoint is cut off after " + std::to_string(body.size()) + " of " +
                       std::to_string(head.size) + " bytes.");
  }
  if (body.size() > head.size || checksum(body) != head.checksum) {
    throw bad_file(path, 0, "the checkpoint is damaged: its checksum does not match.");
  }
}

}  // namespace

void write_checkpoint(std::string const& path, checkpoint const& point) {
  auto const body = packed(point);
  header const head = header_of(body);
  replace_file(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<char const*>(&head), sizeof head);
    out.write(body.data(), static_cast<std::streamsize>(body.size()));
  });
}

checkpoint read_checkpoint(std::string const& path) {
  std::string const bytes = read_whole(path);
  header head{};
  if (bytes.size() < sizeof head) throw bad_file(path, 0, "this is no checkpoint of md.");
  std::memcpy(&head, bytes.data(), sizeof head);
  auto const body = std::string_view(bytes).substr(sizeof head);
  check_header(path, head, body);
  return unpacked(body, path);
}

}  // namespace ballast::md
