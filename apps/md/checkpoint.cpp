// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <cstring>
#include <ostream>
#include <string_view>
#include <type_traits>

#include "ballast/trace/replace_file.hpp"
#include "splitmix.hpp"
#include "text_file.hpp"

namespace ballast::md {
namespace {

constexpr char magic[8] = {'b', 'a', 'l', 'l', 'a', 's', 't', 'M'};
constexpr std::uint32_t version = 1;
constexpr std::uint32_t byte_order = 0x01020304;

/// The order of the fields in the file is the order of the visits below; one function serves both ways.
template <class Archive>
void visit(Archive& archive, lennard_jones& p) {
  archive(p.epsilon);
  archive(p.sigma);
}

template <class Archive>
void visit(Archive& archive, force_field& field) {
  visit(archive, field.parameters);
  archive(field.cutoff);
  archive(field.shape);
  archive(field.edges);
}

template <class Archive>
void visit(Archive& archive, atoms& all) {
  archive.array(all.position);
  archive.array(all.velocity);
  archive.array(all.charge);
  archive.array(all.mass);
  archive.array(all.id);
  archive.array(all.type);
  archive.names(all.type_name);
  archive(all.box);
  archive(all.box_is_given);
  lennard_jones p = all.parameters.value_or(lennard_jones{});
  bool given = all.parameters.has_value();
  archive(given);
  visit(archive, p);
  if (given) all.parameters = p;
}

template <class Archive>
void visit(Archive& archive, checkpoint& point) {
  archive(point.step);
  archive(point.time_step);
  archive(point.skin);
  archive(point.single_precision);
  archive(point.all_pairs);
  visit(archive, point.field);
  visit(archive, point.state);
  archive.array(point.rebuilt_at);
}

class packer {
 public:
  template <class T>
  void operator()(T const& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(&value, sizeof value);
  }
  template <class T>
  void array(std::vector<T> const& values) {
    (*this)(std::uint64_t(values.size()));
    add(values.data(), values.size() * sizeof(T));
  }
  void names(std::vector<std::string> const& names) {
    (*this)(std::uint64_t(names.size()));
    for (auto const& name : names) array(std::vector<char>(name.begin(), name.end()));
  }
  std::string const& bytes() const { return bytes_; }

 private:
  void add(void const* from, std::size_t size) { bytes_.append(static_cast<char const*>(from), size); }

  std::string bytes_;
};

class unpacker {
 public:
  unpacker(std::string_view bytes, std::string const& path) : bytes_(bytes), path_(&path) {}

  template <class T>
  void operator()(T& value) {
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }
  template <class T>
  void array(std::vector<T>& values) {
    std::uint64_t count = 0;
    (*this)(count);
    if (count > bytes_.size() / sizeof(T)) refuse();
    auto const part = take(static_cast<std::size_t>(count) * sizeof(T));
    values.resize(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(values.data(), part.data(), part.size());
  }
  void names(std::vector<std::string>& names) {
    std::uint64_t count = 0;
    (*this)(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::vector<char> name;
      array(name);
      names.emplace_back(name.begin(), name.end());
    }
  }
  [[noreturn]] void refuse() const { throw bad_file(*path_, 0, "the checkpoint is damaged."); }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) refuse();
    auto const part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }

  std::string_view bytes_;
  std::string const* path_;
};

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

void check_lengths(std::string const& path, checkpoint const& point) {
  auto const count = point.state.size();
  auto const& s = point.state;
  bool const equal = s.velocity.size() == count && s.charge.size() == count && s.mass.size() == count &&
                     s.id.size() == count && s.type.size() == count && point.rebuilt_at.size() == count;
  if (!equal || count == 0) throw bad_file(path, 0, "the checkpoint is damaged: its arrays do not match.");
}

}  // namespace

void write_checkpoint(std::string const& path, checkpoint const& point) {
  packer pack;
  visit(pack, const_cast<checkpoint&>(point));  // a packer only reads
  header const head = header_of(pack.bytes());
  replace_file(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<char const*>(&head), sizeof head);
    out.write(pack.bytes().data(), static_cast<std::streamsize>(pack.bytes().size()));
  });
}

checkpoint read_checkpoint(std::string const& path) {
  std::string const bytes = read_whole(path);
  header head{};
  if (bytes.size() < sizeof head) throw bad_file(path, 0, "this is no checkpoint of md.");
  std::memcpy(&head, bytes.data(), sizeof head);
  auto const body = std::string_view(bytes).substr(sizeof head);
  check_header(path, head, body);
  checkpoint point;
  unpacker unpack(body, path);
  visit(unpack, point);
  check_lengths(path, point);
  return point;
}

}  // namespace ballast::md
