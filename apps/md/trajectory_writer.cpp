// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <fstream>

#include "text_file.hpp"
#include "trajectory.hpp"

namespace ballast::md {
namespace {

class frame_text {
 public:
  frame_text& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  template <class Number>
  frame_text& number(Number value) {
    char digits[40];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return *this;
  }
  frame_text& triple(double x, double y, double z) { return ((number(x) << " ").number(y) << " ").number(z); }
  std::string const& text() const { return text_; }

 private:
  std::string text_;
};

void write_comment(frame_text& to, atoms const& state, std::int64_t step, double time, boundary edges) {
  if (state.box_is_given) {
    (to << "Lattice=\"").number(state.box.length(0)) << " 0 0 0 ";
    to.number(state.box.length(1)) << " 0 0 0 ";
    to.number(state.box.length(2)) << "\" Origin=\"";
    to.triple(state.box.low.x, state.box.low.y, state.box.low.z) << "\" ";
  }
  to << "Properties=species:S:1:pos:R:3:velo:R:3:charge:R:1:mass:R:1:id:I:1 pbc=\"";
  to << (edges == boundary::periodic ? "T T T" : "F F F") << "\" step=";
  (to.number(step) << " time=").number(time);
  if (!state.parameters) return;
  (to << " epsilon=").number(state.parameters->epsilon);
  (to << " sigma=").number(state.parameters->sigma);
}

void write_atom(frame_text& to, atoms const& state, std::size_t i) {
  auto const& p = state.position[i];
  auto const& v = state.velocity[i];
  to << state.type_name[state.type[i]] << " ";
  to.triple(p.x, p.y, p.z) << " ";
  to.triple(v.x, v.y, v.z) << " ";
  to.number(state.charge[i]) << " ";
  to.number(state.mass[i]) << " ";
  to.number(state.id[i]) << "\n";
}

}  // namespace

void append_frame(std::string const& path, atoms const& state, std::int64_t step, double time,
                  boundary edges) {
  frame_text text;
  text.number(state.size()) << "\n";
  write_comment(text, state, step, time, edges);
  text << "\n";
  for (auto const i : order_of_ids(state)) write_atom(text, state, i);
  std::ofstream out(path, std::ios::app | std::ios::binary);
  out.write(text.text().data(), static_cast<std::streamsize>(text.text().size()));
  out.flush();
  if (!out) throw bad_file(path, 0, "the frame cannot be written.");
}

}  // namespace ballast::md
