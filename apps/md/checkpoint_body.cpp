// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_body.hpp"

#include <cstring>
#include <type_traits>

#include "text_file.hpp"

namespace ballast::md {
namespace {

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

void check_lengths(std::string const& path, checkpoint const& point) {
  auto const count = point.state.size();
  auto const& s = point.state;
  bool const equal = s.velocity.size() == count && s.charge.size() == count && s.mass.size() == count &&
                     s.id.size() == count && s.type.size() == count && point.rebuilt_at.size() == count;
  if (!equal || count == 0) throw bad_file(path, 0, "the checkpoint is damaged: its arrays do not match.");
}

}  // namespace

std::string packed(checkpoint const& point) {
  packer pack;
  visit(pack, const_cast<checkpoint&>(point));  // a packer only reads
  return pack.bytes();
}

checkpoint unpacked(std::string_view bytes, std::string const& path) {
  checkpoint point;
  unpacker unpack(bytes, path);
  visit(unpack, point);
  check_lengths(path, point);
  return point;
}

}  // namespace ballast::md
