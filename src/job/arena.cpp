// SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <string>

#include "ballast/error.hpp"
#include "range_map.hpp"

namespace ballast::detail {

class arena::state {
 public:
  state(std::size_t all, operations const& operations)
      : ops(operations), bytes(all), free(all), users(all, {}) {}

  op_set not_ended(std::span<op_id const> some) const {
    op_set found;
    for (auto const op : some) ops.add_newest(found, op);
    return found;
  }

  void check(byte_range memory) const {
    if (memory.end > bytes)
      throw_bad_argument("memory", memory.end, "within the " + std::to_string(bytes) + " bytes");
  }

  operations const& ops;
  std::size_t bytes;
  free_ranges free;
  range_map<op_set> users;  ///< users of memory given back, also if it was taken since
};

arena::arena(std::size_t bytes, operations const& ops)
    : state_(std::make_unique<state>(bytes / memory_alignment * memory_alignment, ops)) {}
arena::arena(arena&&) noexcept = default;
arena::~arena() = default;

std::size_t arena::bytes() const { return state_->bytes; }
free_ranges const& arena::free() const { return state_->free; }

std::optional<byte_range> arena::take(std::size_t bytes) {
  if (bytes % memory_alignment != 0)
    throw_bad_argument("bytes", bytes, "a multiple of " + std::to_string(memory_alignment));
  return state_->free.take(bytes);
}

void arena::add_users(byte_range memory, std::span<op_id const> users) {
  state_->check(memory);
  state_->users.change(memory, [&](op_set& all) {
    all = state_->not_ended(all);
    for (auto const user : users) state_->ops.add_newest(all, user);
  });
}

void arena::give_back(byte_range memory) {
  state_->check(memory);
  state_->free.give_back(memory);
}

op_set arena::users(byte_range memory) const {
  op_set found;
  state_->users.visit(memory, [&](byte_range, op_set const& some) {
    for (auto const user : some) state_->ops.add_newest(found, user);
  });
  return found;
}

}  // namespace ballast::detail
