// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/queue/ring_words.cuh"
#include "ballast/detail/resident/task_record.cuh"

namespace ballast::detail {

inline constexpr std::uint32_t no_graph_task = ~std::uint32_t(0);  ///< and no node

/// A task of a graph as workers read it, or some blocks of a grid task. The nodes of a grid task follow each
/// other in the order, wait at one counter, and all count for its successors. A warp reads a node at once.
struct alignas(128) graph_node {
  static constexpr std::uint32_t words = 32;
  static constexpr std::uint32_t near_successors = 16;
  /// In `needs`, if not 0: the task's prepare() runs before the wait.
  static constexpr std::uint32_t prepares_bit = 1u << 31;
  /// In `runs_on`, if not no_graph_task: the node is of a grid task, and its first node follows.
  static constexpr std::uint32_t grid_bit = 1u << 31;

  task_record task;
  std::uint32_t needs;  ///< nodes of predecessors; 0 if another node runs on with this one; prepares_bit
  /// The node that the same worker runs next, and that waits for nothing else. A grid task has none, but
  /// here its first node, whose counter all its nodes use, and grid_bit.
  std::uint32_t runs_on;
  std::uint32_t successors;             ///< without runs_on
  std::uint32_t first_far;              ///< the others lie in graph_memory::successor() from here on
  std::uint32_t near[near_successors];  ///< the first successors
};
static_assert(sizeof(graph_node) == 4 * graph_node::words);

/// The memory of a graph: claim words, nodes, counters, durations, numbers of tasks, and the successors of
/// all nodes. The first nodes are the order in which workers claim. Cheap to copy.
struct graph_memory {
  array_ref<std::byte> at;
  std::uint32_t nodes = 0;

  static constexpr std::size_t node_offset = 2 * sizeof(own_line<std::uint32_t>);
  static constexpr std::size_t bytes_of(std::size_t nodes, std::size_t successors) {
    return node_offset + nodes * (sizeof(graph_node) + 12) + successors * 4;
  }

  /// Counts the claims of the even, and of the odd rounds.
  BALLAST_HD std::uint32_t& claims(std::uint32_t round) const {
    return from<own_line<std::uint32_t>>(0)[round % 2].word;
  }
  BALLAST_HD graph_node& node(std::uint32_t index) const { return from<graph_node>(node_offset)[index]; }
  /// Counts, over all rounds, the nodes of the task's predecessors that have run.
  BALLAST_HD std::uint32_t& counter(std::uint32_t index) const { return words()[index]; }
  /// The node's shortest run in the rounds that measured, modulo 2^32 ns; 0: none has.
  BALLAST_HD std::uint32_t& duration_ns(std::uint32_t index) const { return (words() + nodes)[index]; }
  /// The number of the node's task, as added to the graph, plus `left` once a worker has left without running
  /// the node.
  BALLAST_HD std::uint32_t& number(std::uint32_t index) const {
    return (words() + 2 * std::size_t(nodes))[index];
  }
  static constexpr std::uint32_t left = std::uint32_t(1) << 31;
  BALLAST_HD std::uint32_t& successor(std::uint32_t index) const {
    return (words() + 3 * std::size_t(nodes))[index];
  }

 private:
  template <class T>
  BALLAST_HD T* from(std::size_t offset) const {
    return reinterpret_cast<T*>(at.data() + offset);
  }
  BALLAST_HD std::uint32_t* words() const {
    return from<std::uint32_t>(node_offset + std::size_t(nodes) * sizeof(graph_node));
  }
};

/// One execution of a graph. Travels as a batch of tasks, one for each worker that is to walk through it, in
/// the words of their records.
struct graph_round {
  static constexpr std::uint32_t measures_bit = 1u << 31;  ///< of the word with the number of nodes

  graph_memory memory;
  std::uint32_t places = 0;  ///< nodes that are claimed; more than 0
  std::uint32_t number = 0;  ///< rounds before this one since the memory was cleared
  bool measures = false;     ///< workers write the durations of nodes
  std::uint32_t traced = 0;  ///< the round's number in the queue's trace, from 1; 0: not traced. Not in of()

  BALLAST_HD static graph_round of(task_record const& record) {
    auto* const at = static_cast<std::byte*>(const_cast<void*>(record.members()));
    auto const nodes = record.data[2] & ~measures_bit;
    return {{array_ref<std::byte>(at), nodes}, record.data[3], record.data[4], nodes != record.data[2]};
  }
  BALLAST_HD task_record record() const {
    auto const word = memory.nodes | (measures ? measures_bit : 0);
    task_record made{{0, 0, word, places, number, traced, 0, 0, 0, 0, 0, 0}};
    made.point_to(memory.at.data());
    made.describe({0, 1}, task_record::graph);
    return made;
  }
};

/// The walk of a worker through a round of a graph, kept in its worker_state(). It claims the nodes of the
/// order one by one, waits for each until its predecessors have run, and runs on where the node says so.
///
/// Every wait ends: predecessors of a node are claimed before it, and a worker runs and counts what it has
/// claimed before it waits, so the first node that has not run can always run. Counters and claims need no
/// reset: a counter counts on from round to round, and the worker that has claimed the first node clears the
/// claims of the next round, which begins only when this one has ended
/// (tests/queue/graph_interleavings_test.cpp).
template <class WorkerGroup, template <class> class Atomic = device_atomic>
class graph_walk {
  using atomic = Atomic<std::uint32_t>;

 public:
  BALLAST_HD explicit graph_walk(WorkerGroup& worker_group) : worker_group_(&worker_group) { read_round(); }

  BALLAST_HD bool is_under_way() const { return word(worker_word::grid) == worker_word::walks; }
  /// Begins to walk through the round in the worker's record. By the leader.
  BALLAST_HD void begin() {
    auto const& record = worker_group_->record();
    for (int i = 0; i < 5; ++i) word(worker_word::graph + i) = record.data[i];
    read_round();
    word(worker_word::grid) = worker_word::walks;
    word(worker_word::traced_round) = record.data[5];
    word(worker_word::node) = no_graph_task;
    word(worker_word::node_successors) = 0;
    word(worker_word::node_runs_on) = no_graph_task;
  }

  /// Counts the node that has run for its successors, and puts the task of the next node into the record;
  /// false: none is left, and the walk has ended. By the only thread of the worker; a GPU's warp does the
  /// same by the parts below.
  BALLAST_HD bool advance() const {
    count_for_successors(0, 1);
    auto const node = runs_on() ? follower() : claim();
    if (!runs_on() && !is_left(node)) {
      end();
      return false;
    }
    auto const near = round_.memory.node(node).successors;
    auto const used =
        graph_node::words - (near < graph_node::near_successors ? graph_node::near_successors - near : 0);
    for (std::uint32_t i = 0; i < used; ++i) keep(i, word_of(node, i));
    arrive(node);
    return true;
  }

  /// Called by `lanes` threads together.
  BALLAST_HD void count_for_successors(std::uint32_t lane, std::uint32_t lanes) const {
    auto const count = word(worker_word::node_successors);
    for (auto i = lane; i < count; i += lanes) {
      auto const far = i - graph_node::near_successors;
      auto const node = i < graph_node::near_successors
                            ? word(worker_word::node_near + int(i))
                            : round_.memory.successor(word(worker_word::node_first_far) + far);
      atomic(round_.memory.counter(node)).add_release(1);
    }
  }
  BALLAST_HD bool has_successors() const { return word(worker_word::node_successors) != 0; }
  BALLAST_HD std::uint32_t follower() const { return word(worker_word::node_runs_on); }
  BALLAST_HD bool runs_on() const { return (follower() & graph_node::grid_bit) == 0; }
  /// Claims a node, unless this worker has claimed the last one.
  BALLAST_HD std::uint32_t claim() const {
    if (word(worker_word::graph_places) == 0) return no_graph_task;
    return atomic(round_.memory.claims(round_.number)).add_relaxed(1);
  }
  /// True if the claim was not too late.
  BALLAST_HD bool is_left(std::uint32_t claimed) const { return claimed < round_.places; }
  BALLAST_HD std::uint32_t const* place_of(std::uint32_t node, std::uint32_t i) const {
    return reinterpret_cast<std::uint32_t const*>(&round_.memory.node(node)) + i;
  }
  BALLAST_HD std::uint32_t word_of(std::uint32_t node, std::uint32_t i) const { return *place_of(node, i); }
  /// The nodes of predecessors that have counted for a node; acquires.
  BALLAST_HD std::uint32_t counted_for(std::uint32_t node) const {
    return atomic(round_.memory.counter(node)).load_acquire();
  }
  /// Keeps a word of the node that the worker takes.
  BALLAST_HD void keep(std::uint32_t i, std::uint32_t value) const {
    auto& kept = i < task_record::words ? worker_group_->record().data[i]
                                        : word(worker_word::node_needs + int(i - task_record::words));
    kept = value;
  }
  /// By the leader, once all words of the node are kept.
  BALLAST_HD void arrive(std::uint32_t node) const {
    word(worker_word::node) = node;
    if (node == 0) atomic(round_.memory.claims(round_.number + 1)).store_relaxed(0);
    if (node + 1 == round_.places) word(worker_word::graph_places) = 0;
  }
  /// True if the taken node is to be prepared before the wait for its predecessors.
  BALLAST_HD bool prepares() const { return (word(worker_word::node_needs) & graph_node::prepares_bit) != 0; }
  /// True if this count of nodes is all that the taken node waits for.
  BALLAST_HD bool has_all(std::uint32_t counted) const {
    auto const needs = word(worker_word::node_needs) & ~graph_node::prepares_bit;
    return needs == 0 || std::int32_t(counted - (round_.number + 1) * needs) >= 0;
  }
  /// True if the predecessors of the taken node have run. On a GPU acquire() must follow.
  BALLAST_HD bool may_run() const { return has_all(poll(counter())); }
  BALLAST_HD void acquire() const { acquire_polled(counter()); }
  BALLAST_HD bool shares_counter() const { return !runs_on() && follower() != no_graph_task; }
  /// Notes that the taken node waits for nothing, so that its prepare() is no more than a part of it.
  BALLAST_HD void drop_needs() const { word(worker_word::node_needs) = 0; }
  /// Marks what the worker has not run, before it leaves for a stop: the node that it took, or, if that
  /// `has_run`, the one that it would run on with. All other claimed nodes have run once every worker has
  /// left, and so has what runs on with them, up to a mark. By the leader.
  BALLAST_HD void leave(bool has_run) const {
    if (has_run && !runs_on()) return;
    auto const node = has_run ? follower() : word(worker_word::node);
    atomic(round_.memory.number(node)).add_relaxed(graph_memory::left);
  }
  /// The number of the node's task in the graph.
  BALLAST_HD std::uint32_t number() const { return round_.memory.number(word(worker_word::node)); }
  ///@{
  /// By the leader, before and after each node. In rounds that do not measure they do nothing.
  BALLAST_HD void begin_timing() const {
    if (round_.measures) word(worker_word::begun_ns) = std::uint32_t(worker_group_->now_ns());
  }
  BALLAST_HD void end_timing() const {
    auto const node = word(worker_word::node);
    if (!round_.measures || node == no_graph_task) return;
    auto const took = std::uint32_t(worker_group_->now_ns()) - word(worker_word::begun_ns);
    auto& shortest = round_.memory.duration_ns(node);
    if (shortest == 0 || took < shortest) shortest = took == 0 ? 1 : took;
  }
  ///@}
  /// Ends the walk once no node is left. The worker's record is its last node's then. By the leader.
  BALLAST_HD void end() const { word(worker_word::grid) = 0; }

 private:
  BALLAST_HD std::uint32_t& word(int index) const { return worker_group_->worker_state()[index]; }
  BALLAST_HD void read_round() {
    task_record record;
    for (int i = 0; i < 5; ++i) record.data[i] = word(worker_word::graph + i);
    round_ = graph_round::of(record);
  }
  BALLAST_HD atomic counter() const {
    auto const at = shares_counter() ? follower() & ~graph_node::grid_bit : word(worker_word::node);
    return atomic(round_.memory.counter(at));
  }

  WorkerGroup* worker_group_;
  graph_round round_;
};

}  // namespace ballast::detail
