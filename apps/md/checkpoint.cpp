// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/text_file.hpp"
#include "force_field.hpp"
#include "splitmix.hpp"

namespace ballast::md {
namespace {

using command_line::bad_file;

constexpr std::int64_t max_step = 1'000'000'000'000'000'000;  ///< leaves room for the steps of the next run
constexpr double max_side = 2 * max_coordinate;               ///< an origin and a length within 1e9

void check_lengths(checkpoint const& point) {
  auto const& s = point.state;
  std::pair<std::string_view, std::size_t> const lengths[] = {
      {"velocity", s.velocity.size()}, {"charge", s.charge.size()},
      {"mass", s.mass.size()},         {"id", s.id.size()},
      {"type", s.type.size()},         {"rebuilt_at", point.rebuilt_at.size()}};
  for (auto const& [name, length] : lengths)
    if (length != s.size())
      throw_bad_argument(fmt::format("the length of {}", name), length,
                         fmt::format("{}, as of position", s.size()));
}

/// Throws bad_argument unless the name is one word: a trajectory writes it as one word of a line.
void check_name(std::string const& name, std::size_t type) {
  auto const words = command_line::words_of(name);
  if (words.size() == 1 && words[0] == name && name.find('\n') == name.npos) return;
  throw_bad_argument(fmt::format("type_name {}", type), "\"" + name + "\"", "one word, without line ends");
}

void check_types(atoms const& all) {
  auto const names = all.type_name.size();
  if (names == 0) throw_bad_argument("the length of type_name", names, "at least 1");
  for (std::size_t type = 0; type < names; ++type) check_name(all.type_name[type], type);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all.type[i] >= names)
      throw_bad_argument(fmt::format("the type of atom {}", all.id[i]), all.type[i],
                         fmt::format("0 to {}", names - 1));
}

void check_side(std::string const& axis, double low, double high) {
  auto const is_sound = [](double side) { return std::abs(side) <= max_side; };
  auto const legal = "a finite coordinate within 2e9 Angstrom";
  if (!is_sound(low)) throw_bad_argument("the lower " + axis + " of box", low, legal);
  if (!is_sound(high)) throw_bad_argument("the upper " + axis + " of box", high, legal);
  if (low > high) throw_bad_argument("the upper " + axis + " of box", high, "the lower side or more");
}

void check_box(bounds const& box) {
  check_side("x", box.low.x, box.high.x);
  check_side("y", box.low.y, box.high.y);
  check_side("z", box.low.z, box.high.z);
}

void check_rebuilt(checkpoint const& point) {
  for (std::size_t i = 0; i < point.rebuilt_at.size(); ++i) {
    auto const& p = point.rebuilt_at[i];
    for (double const x : {p.x, p.y, p.z})
      if (!(std::abs(x) <= max_coordinate))
        throw_bad_argument(fmt::format("rebuilt_at of atom {}", point.state.id[i]), x,
                           "a finite coordinate within 1e9 Angstrom");
  }
}

/// Throws bad_argument unless the parameters are finite and within bounds. They are only stored: a run uses
/// those of its force field.
void check_parameters(lennard_jones const& kept) {
  auto const legal = "a finite number within 1e9";
  if (!(std::abs(kept.epsilon) <= max_coordinate))
    throw_bad_argument("the file's epsilon", kept.epsilon, legal);
  if (!(std::abs(kept.sigma) <= max_coordinate)) throw_bad_argument("the file's sigma", kept.sigma, legal);
}

/// Throws bad_argument for a checkpoint that no run can have written, with the field, its value, and the
/// legal values. A run may begin from any other checkpoint.
void check_checkpoint(checkpoint const& point) {
  if (point.step < 0 || point.step > max_step) throw_bad_argument("step", point.step, "0 to 1e18");
  check_lengths(point);
  check_atoms(point.state);
  check_types(point.state);
  check_box(point.state.box);
  if (point.state.parameters) check_parameters(*point.state.parameters);
  check_physics({point.field, point.single_precision, point.all_pairs, point.time_step, point.skin},
                point.state);
  check_rebuilt(point);
}

/// The visits below define the order of the fields in the file; one function serves reading and writing.
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
    // Reading any other value into a bool would be undefined.
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
    if (value < 0 || value > most) throw_bad_argument(name, value, fmt::format("0 to {}", most));
    return value;
  }
  std::size_t length(std::string_view name, std::size_t size_of_one) {
    std::uint64_t count = 0;
    (*this)(count, name);
    auto const most = bytes_.size() / size_of_one;
    if (count > most)
      throw_bad_argument(fmt::format("the length of {}", name), count,
                         fmt::format("0 to {}, for which there are bytes", most));
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

constexpr char magic[8] = {'b', 'a', 'l', 'l', 'a', 's', 't', 'M'};
constexpr std::uint32_t version = 1;
constexpr std::uint32_t byte_order = 0x01020304;

/// A checksum over words of 8 bytes; a changed, lost or moved byte goes undetected once in 2^64.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = splitmix::mix(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    sum = splitmix::mix(sum ^ word);
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
  auto const refuse = [&](std::string const& sentence) { throw bad_file(path, 0, sentence); };
  if (std::memcmp(head.magic, magic, sizeof magic) != 0) refuse("this is no checkpoint of md.");
  if (head.byte_order != byte_order)
    refuse("the checkpoint was written on a machine with another byte order.");
  if (head.version != version)
    refuse(
        fmt::format("the checkpoint has format {}, but only format {} can be read.", head.version, version));
  if (body.size() < head.size)
    refuse(fmt::format("the checkpoint is cut off after {} of {} bytes.", body.size(), head.size));
  if (body.size() > head.size || checksum(body) != head.checksum)
    refuse("the checkpoint is damaged: its checksum does not match.");
}

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
    throw bad_file(path, 0, fmt::format("the checkpoint is damaged: {}.", problem.what()));
  }
}

void write_checkpoint(std::string const& path, checkpoint const& point) {
  auto const body = packed(point);
  header const head = header_of(body);
  replace_file(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<char const*>(&head), sizeof head);
    out.write(body.data(), static_cast<std::streamsize>(body.size()));
  });
}

checkpoint read_checkpoint(std::string const& path) {
  std::string const bytes = command_line::read_whole(path);
  header head{};
  if (bytes.size() < sizeof head) throw bad_file(path, 0, "this is no checkpoint of md.");
  std::memcpy(&head, bytes.data(), sizeof head);
  auto const body = std::string_view(bytes).substr(sizeof head);
  check_header(path, head, body);
  return unpacked(body, path);
}

}  // namespace ballast::md
