// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_body.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ballast/error.hpp"
#include "checkpoint_check.hpp"
#include "text_file.hpp"

namespace ballast::md {
namespace {

/// The order of the fields in the file is the order of the visits below; one function serves both ways.
template <class Archive>
void visit(Archive& archive, lennard_jones& p) {
  archive(p.epsilon, "epsilon");
  archive(p.sigma, "sigma");
}

template <class Archive>
void visit(Archive& archive, force_field& field) {
  visit(archive, field.parameters);
  archive(field.cutoff, "cutoff");
  archive(field.shape, "potential");
  archive(field.edges, "boundary");
}

template <class Archive>
void visit(Archive& archive, atoms& all) {
  archive.array(all.position, "position");
  archive.array(all.velocity, "velocity");
  archive.array(all.charge, "charge");
  archive.array(all.mass, "mass");
  archive.array(all.id, "id");
  archive.array(all.type, "type");
  archive.names(all.type_name);
  archive(all.box, "box");
  archive(all.box_is_given, "box_is_given");
  lennard_jones p = all.parameters.value_or(lennard_jones{});
  bool given = all.parameters.has_value();
  archive(given, "parameters_are_given");
  visit(archive, p);
  if (given) all.parameters = p;
}

template <class Archive>
void visit(Archive& archive, checkpoint& point) {
  archive(point.step, "step");
  archive(point.time_step, "dt");
  archive(point.skin, "skin");
  archive(point.single_precision, "single_precision");
  archive(point.all_pairs, "all_pairs");
  visit(archive, point.field);
  visit(archive, point.state);
  archive.array(point.rebuilt_at, "rebuilt_at");
}

class packer {
 public:
  template <class T>
  void operator()(T const& value, std::string_view) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(&value, sizeof value);
  }
  template <class T>
  void array(std::vector<T> const& values, std::string_view name) {
    (*this)(std::uint64_t(values.size()), name);
    add(values.data(), values.size() * sizeof(T));
  }
  void names(std::vector<std::string> const& names) {
    (*this)(std::uint64_t(names.size()), "type_name");
    for (auto const& name : names) array(std::vector<char>(name.begin(), name.end()), "type_name");
  }
  std::string const& bytes() const { return bytes_; }

 private:
  void add(void const* from, std::size_t size) { bytes_.append(static_cast<char const*>(from), size); }

  std::string bytes_;
};

class unpacker {
 public:
  explicit unpacker(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(T& value, std::string_view name) {
    // Reading another value into one of these would not be defined.
    if constexpr (std::is_same_v<T, bool>) {
      value = raw<std::uint8_t>(name, 1) != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(raw<std::underlying_type_t<T>>(name, 1));
    } else {
      std::memcpy(&value, take(sizeof value, name).data(), sizeof value);
    }
  }
  template <class T>
  void array(std::vector<T>& values, std::string_view name) {
    auto const count = length(name, sizeof(T));
    auto const part = take(count * sizeof(T), name);
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), part.data(), part.size());
  }
  void names(std::vector<std::string>& names) {
    auto const count = length("type_name", sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<char> name;
      array(name, "type_name");
      names.emplace_back(name.begin(), name.end());
    }
  }
  void expect_end() const {
    if (!bytes_.empty()) throw_bad_argument("what follows rebuilt_at", bytes_.size(), "0 bytes");
  }

 private:
  template <class Integer>
  Integer raw(std::string_view name, Integer most) {
    Integer value{};
    std::memcpy(&value, take(sizeof value, name).data(), sizeof value);
    if (value < 0 || value > most) throw_bad_argument(name, value, "0 to " + std::to_string(most));
    return value;
  }
  std::size_t length(std::string_view name, std::size_t size_of_one) {
    std::uint64_t count = 0;
    (*this)(count, name);
    auto const most = bytes_.size() / size_of_one;
    if (count > most) {
      throw_bad_argument("the length of " + std::string(name), count,
                         "0 to " + std::to_string(most) + ", for which there are bytes");
    }
    return static_cast<std::size_t>(count);
  }
  std::string_view take(std::size_t size, std::string_view name) {
    if (size > bytes_.size()) throw_bad_argument(name, "beyond the end", "within the checkpoint");
    auto const part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }

  std::string_view bytes_;
};

}  // namespace

std::string packed(checkpoint const& point) {
  packer pack;
  visit(pack, const_cast<checkpoint&>(point));  // a packer only reads
  return pack.bytes();
}

checkpoint unpacked(std::string_view bytes, std::string const& path) {
  try {
    checkpoint point;
    unpacker unpack(bytes);
    visit(unpack, point);
    unpack.expect_end();
    check_checkpoint(point);
    return point;
  } catch (bad_argument const& problem) {
    throw bad_file(path, 0, std::string("the checkpoint is damaged: ") + problem.what() + ".");
  }
}

}  // namespace ballast::md
