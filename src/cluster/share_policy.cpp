// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/cluster/share_policy.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "ballast/cluster_queue.hpp"
#include "ballast/detail/base/policy_registry.hpp"
#include "ballast/error.hpp"
#include "lifelines.hpp"

namespace ballast::detail {
namespace {

constexpr std::int64_t longest_pause_ns = 1'000'000;

/// The tasks that a rank executes in the time of two round trips of a question.
double meanwhile(share_view const& view, share_state const& rank) {
  return 2.0 * double(view.round_trip_ns) * rank.tasks_per_ns;
}
double meanwhile(share_view const& view) { return meanwhile(view, view.own); }

/// Splitmix64 (Steele, Lea and Flood 2014), reduced to a number below `end`.
std::uint64_t next_random(std::uint64_t& state, std::uint64_t end) {
  auto z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % end;
}

/// Makes a rank ask ever more slowly while no answer suffices.
class question_pace {
 public:
  /// `at_once`: the number of answers after which it asks without a pause. Each pause is `growth` times the
  /// last.
  question_pace(std::uint32_t at_once, std::int64_t growth) : at_once_(at_once), growth_(growth) {}

  void was_answered() { has_answer_ = true; }
  void suffices() {
    has_answer_ = false;
    answers_ = 0;
    pause_ns_ = resume_ns_ = 0;
  }
  /// True if the next question has to wait; then sets the time in `next`.
  bool is_paused(share_view const& view, share_decision& next) {
    if (std::exchange(has_answer_, false) && ++answers_ > at_once_) {
      pause_ns_ = std::min(longest_pause_ns, std::max(growth_ * pause_ns_, view.round_trip_ns));
      resume_ns_ = view.now_ns + pause_ns_;
    }
    if (view.now_ns >= resume_ns_) return false;
    next.look_again_ns = resume_ns_;
    return true;
  }

 private:
  std::uint32_t at_once_, answers_ = 0;
  std::int64_t growth_;
  bool has_answer_ = false;
  std::int64_t pause_ns_ = 0, resume_ns_ = 0;
};

/// A rank that asked, and has got nothing since.
struct waiter {
  std::uint32_t rank;
  share_state state;
  std::int64_t since_ns = -1;  ///< when its question was seen
  bool knows = false;          ///< true once its question was answered
  double gift = 0;             ///< tasks that it will get

  /// The rest of its backlog now, given the rate at which it executes tasks.
  double backlog(std::int64_t now_ns) const { return rest_of(state.backlog, now_ns); }
  /// The rest of all its tasks now.
  double tasks(std::int64_t now_ns) const { return rest_of(state.backlog + state.running, now_ns); }
  double rest_of(std::uint64_t count, std::int64_t now_ns) const {
    if (state.tasks_per_ns == 0) return 0;  // or its tasks would seem to last for ever
    return std::max(0.0, double(count) - state.tasks_per_ns * double(now_ns - since_ns));
  }
};

/// The common part of all policies: at most one question is in transit; gifts leave in pieces, in turn to all
/// ranks that were promised some; and a rank that asks in vain is declined. A policy decides which rank to
/// ask, how much to give, and whether a declined rank is remembered.
///
/// A gift in one message would keep every other rank waiting for its last byte, so pieces are limited and
/// gifts are not.
class asking_policy : public share_policy {
 public:
  explicit asking_policy(share_place const& place) : place_(place), is_lost_(place.ranks) {}

  // The question may have been sent before that rank was promised its gift, or before it got the gift's last
  // piece.
  void asked(std::uint32_t by, share_state const& state) final {
    if (is_lost_[by]) return;
    was_asked();
    auto const is_by = [&](waiter const& one) { return one.rank == by; };
    if (auto const promised = std::ranges::find_if(promised_, is_by); promised != promised_.end()) {
      promised->knows = false;  // the next piece is the answer, or a decline
      return;
    }
    std::erase_if(waiting_, is_by);
    waiting_.push_back({by, state});
  }
  void received(std::uint32_t from) final {
    if (asked_ == from) asked_.reset();
    has_received(from);
  }
  void declined(std::uint32_t by) final {
    if (asked_ == by) asked_.reset();
    was_declined(by);
  }
  void withdrawn(std::uint32_t by) final {
    std::erase_if(waiting_, [&](waiter const& one) { return one.rank == by; });
    was_withdrawn();
  }
  void lost(std::uint32_t rank) final {
    is_lost_[rank] = true;
    if (asked_ == rank) asked_.reset();
    std::erase_if(waiting_, [&](waiter const& one) { return one.rank == rank; });
    std::erase_if(promised_, [&](waiter const& one) { return one.rank == rank; });
    was_lost(rank);
  }
  share_decision decide(share_view const& view) final {
    share_decision next;
    auto const spare = view.own.backlog - std::min(view.own.backlog, reserve(view));
    promise_gifts(view, spare);
    give_pieces(view, spare, next);
    next.wanting = created_wanted(view);
    decline(next);
    withdraw(view, next);
    ask(view, next);
    return next;
  }

 protected:
  /// The rank to ask now, a living one. If it returns none, it may set when to look again.
  virtual std::optional<std::uint32_t> victim(share_view const& view, share_decision& next) = 0;
  /// Sets waiter::gift of each waiting rank. `spare`: tasks that no rank was promised and that need not stay.
  virtual void divide(share_view const& view, double spare, std::vector<waiter>& waiting) const = 0;
  /// True if a declined rank gets tasks later, without asking again.
  virtual bool remembers() const = 0;
  /// Tasks that the rank never gives away.
  virtual std::uint64_t reserve(share_view const& view) const {
    return std::uint64_t(std::ceil(meanwhile(view)));
  }
  /// A gift, from tasks not promised to any rank, for a rank that did not ask; or none.
  virtual std::optional<waiter> unasked(share_view const&, double) { return std::nullopt; }
  /// If this rank has enough tasks, notifies ranks that would give it more, which others need.
  virtual void withdraw(share_view const&, share_decision&) {}
  /// A rank asks when its backlog is below this.
  virtual double low(share_view const& view) const { return view.own.workers; }
  virtual void has_enough() {}
  virtual void was_asked() {}
  virtual void was_withdrawn() {}
  virtual void has_received(std::uint32_t) {}
  virtual void was_declined(std::uint32_t) {}
  virtual void was_lost(std::uint32_t) {}

  share_place const& place() const { return place_; }
  std::vector<bool> const& is_lost() const { return is_lost_; }

 private:
  /// True if the rank runs out of tasks before the answer to a question can arrive.
  bool is_short(share_view const& view) const {
    return !view.has_created && double(view.own.backlog) < std::max(low(view), meanwhile(view));
  }

  /// The number of waiting ranks' workers to which this rank's workers may hand out created tasks at a time:
  /// at most half of its own number. More would soon take all of its tasks. It would then wait for other
  /// ranks, which remember it and do the same.
  std::uint64_t created_wanted(share_view const& view) const {
    std::uint64_t workers = 0;
    for (auto const& one : waiting_) workers += one.state.workers;
    return std::min<std::uint64_t>(workers, std::max(1u, view.own.workers / 2));
  }

  void promise_gifts(share_view const& view, std::uint64_t spare) {
    double free = double(spare);
    for (auto const& one : promised_) free -= one.gift;
    if (free < 1) return;
    if (waiting_.empty() && promised_.empty())
      if (auto const one = unasked(view, free)) promised_.push_back(*one);
    if (waiting_.empty()) return;
    for (auto& one : waiting_)
      if (one.since_ns < 0) one.since_ns = view.now_ns;
    divide(view, free, waiting_);
    for (auto const& one : waiting_)
      if (one.gift >= 1) promised_.push_back(one);
    std::erase_if(waiting_, [](waiter const& one) { return one.gift >= 1; });
  }

  void give_pieces(share_view const& view, std::uint64_t spare, share_decision& next) {
    for (std::uint32_t sent = 0; sent < view.messages && spare > 0 && !promised_.empty(); ++sent) {
      auto first = promised_.front();
      promised_.pop_front();
      auto const tasks = std::min({std::uint64_t(first.gift), spare, std::uint64_t(view.piece_tasks)});
      next.actions.push_back({share_action::kind::give, first.rank, tasks});
      spare -= tasks;
      first.gift -= double(tasks);
      first.knows = true;  // it has its answer
      if (first.gift >= 1) promised_.push_back(first);
    }
    // Tasks that cannot be kept go to the next rank that asks.
    if (spare > 0) return;
    for (auto const& left : promised_)
      if (remembers() || !left.knows) waiting_.push_back(left);
    promised_.clear();
  }

  void decline(share_decision& next) {
    for (auto& one : waiting_) {
      if (one.knows) continue;
      next.actions.push_back({share_action::kind::decline, one.rank, 0});
      one.knows = true;
    }
    if (!remembers()) waiting_.clear();
  }

  void ask(share_view const& view, share_decision& next) {
    if (!is_short(view)) return has_enough();
    if (asked_) return;
    asked_ = victim(view, next);
    if (asked_) next.actions.push_back({share_action::kind::ask, *asked_, 0});
  }

  share_place place_;
  std::vector<bool> is_lost_;
  std::optional<std::uint32_t> asked_;
  std::vector<waiter> waiting_;
  std::deque<waiter> promised_;  ///< first: the receiver of the next piece
};

/// Each rank executes the tasks that were submitted there.
class none_policy final : public asking_policy {
 public:
  using asking_policy::asking_policy;

 private:
  std::optional<std::uint32_t> victim(share_view const&, share_decision&) override { return std::nullopt; }
  void divide(share_view const&, double, std::vector<waiter>&) const override {}
  bool remembers() const override { return false; }
};

/// The first living rank holds the tasks that all others ask for, as the host of Chen et al. 2010 holds them
/// for its devices.
class central_policy final : public asking_policy {
 public:
  using asking_policy::asking_policy;

 private:
  std::uint32_t centre() const {
    return std::uint32_t(std::ranges::find(is_lost(), false) - is_lost().begin());
  }
  std::optional<std::uint32_t> victim(share_view const&, share_decision&) override {
    if (centre() == place().rank || is_remembered_) return std::nullopt;
    return centre();
  }
  std::optional<waiter> unasked(share_view const&, double free) override {
    if (centre() == place().rank) return std::nullopt;
    return waiter{.rank = centre(), .state = {}, .gift = free};
  }
  /// The tasks that the rank executes in two round trips, at least one for each worker.
  static double at_once(share_view const& view, share_state const& rank) {
    return std::max(double(rank.workers), meanwhile(view, rank));
  }
  void divide(share_view const& view, double spare, std::vector<waiter>& waiting) const override {
    for (auto& one : waiting) {
      auto const wanted = at_once(view, one.state) - one.backlog(view.now_ns);
      one.gift = centre() == place().rank ? std::clamp(wanted, 0.0, spare) : spare;
      spare -= one.gift;
    }
  }
  /// Always true: also remembers a rank that mistakes this one for the centre, because it learned of a loss
  /// first.
  bool remembers() const override { return true; }
  /// Keeps more than the centre gives, so that not all of a gift goes back.
  std::uint64_t reserve(share_view const& view) const override {
    return centre() == place().rank ? 0 : std::uint64_t(2 * at_once(view, view.own));
  }
  void has_received(std::uint32_t) override { is_remembered_ = false; }
  void was_declined(std::uint32_t) override { is_remembered_ = true; }
  void withdraw(share_view const& view, share_decision& next) override {
    if (view.has_created && std::exchange(is_remembered_, false))
      next.actions.push_back({share_action::kind::withdraw, centre(), 0});
  }
  void was_lost(std::uint32_t) override { is_remembered_ = false; }

  bool is_remembered_ = false;
};

/// Asks a random rank for half of its tasks (Blumofe and Leiserson 1999; half: Hendler and Shavit 2002), and
/// another one if that rank has none, ever more slowly.
class random_policy final : public asking_policy {
 public:
  explicit random_policy(share_place const& place) : asking_policy(place), random_(place.seed + place.rank) {}

 private:
  std::optional<std::uint32_t> victim(share_view const& view, share_decision& next) override {
    if (std::ranges::count(is_lost(), false) < 2) return std::nullopt;
    if (pace_.is_paused(view, next)) return std::nullopt;
    for (;;) {
      auto const rank = std::uint32_t(next_random(random_, place().ranks));
      if (rank != place().rank && !is_lost()[rank]) return rank;
    }
  }
  void divide(share_view const&, double spare, std::vector<waiter>& waiting) const override {
    for (auto& one : waiting) one.gift = std::ceil(spare / 2 / double(waiting.size()));
  }
  bool remembers() const override { return false; }
  void has_received(std::uint32_t) override { pace_.suffices(); }
  void was_declined(std::uint32_t) override { pace_.was_answered(); }

  std::uint64_t random_;
  question_pace pace_{0, 2};
};

/// Asks the ranks of its host, then a random one, then its lifelines, each once, and ever more slowly while
/// it gets too little to occupy its workers. Then it waits. A rank that has no tasks remembers the asker and
/// gives later (Saraswat et al. 2011, "Lifeline-based global load balancing"). Gifts divide tasks by speed,
/// so that unequal hosts end together.
///
/// A rank with plenty of tasks that was asked also deals: it sends tasks to random ranks, one after another,
/// until one reports that it has plenty too. Otherwise all tasks that leave it would lie with the few ranks
/// that asked.
class lifeline_policy final : public asking_policy {
 public:
  explicit lifeline_policy(share_place const& place)
      : asking_policy(place),
        random_(place.seed + place.rank),
        remembered_by_(place.ranks),
        has_withdrawn_from_(place.ranks) {
    plan();
  }

 private:
  /// With this many tasks a rank needs no more. A rank that asks is promised at most half of that, so that no
  /// requested gift brings more.
  static double plenty(share_view const& view, share_state const& rank) {
    return 4.0 * std::max(view.piece_tasks, rank.workers);
  }
  std::optional<std::uint32_t> victim(share_view const& view, share_decision& next) override {
    bool const is_occupied = view.own.backlog + view.own.running >= view.own.workers;
    if (is_occupied) pace_.suffices();
    if (next_ < plan_.size() && pace_.is_paused(view, next)) return std::nullopt;
    while (next_ < plan_.size()) {
      auto const rank = plan_[next_++];
      if (remembered_by_[rank] || is_lost()[rank]) continue;
      has_withdrawn_from_[rank] = false;
      return rank;
    }
    return std::nullopt;
  }
  // A rank that asks earlier gets less, since others have less to spare, and asks more often.
  double low(share_view const& view) const override { return std::ceil(view.own.workers / 4.0); }

  /// Divides the tasks of this rank and the receivers by speed, or by workers if a rank's speed is unknown.
  /// The waiting ranks get the tasks that this rank does not need itself.
  void divide(share_view const& view, double spare, std::vector<waiter>& waiting) const override {
    bool const is_known = view.own.tasks_per_ns > 0 && std::ranges::all_of(waiting, [](waiter const& one) {
                            return one.state.tasks_per_ns > 0;
                          });
    auto const speed = [&](share_state const& of) { return is_known ? of.tasks_per_ns : double(of.workers); };
    double tasks = view.has_created ? spare : double(view.own.backlog + view.own.running);
    double speeds = view.has_created ? 0 : speed(view.own);
    double level = 0, least = 0;  // tasks for each unit of speed; the sum of the least gifts
    for (auto& one : waiting) {
      auto const has = one.tasks(view.now_ns);
      auto const gift = view.has_created ? 0 : least_gift(one, has, least == 0);
      auto const all = tasks + has, of = speeds + speed(one.state);
      auto const needed = std::max(level, (has + gift) / speed(one.state));
      one.gift = 0;
      if (!view.has_created && (all / of < needed || least + gift > spare)) continue;
      one.gift = 1;
      tasks = all, speeds = of, level = needed, least += gift;
    }
    for (auto& one : waiting) {
      if (one.gift == 0) continue;
      auto const wanted = tasks * speed(one.state) / speeds - one.tasks(view.now_ns);
      auto const most = std::min(spare, plenty(view, one.state) / 2);
      one.gift = std::clamp(view.has_created ? std::ceil(wanted) : std::floor(wanted), 0.0, most);
      if (view.has_created) spare -= one.gift;
    }
  }
  /// A few gifts that suffice are better than one task for each waiting rank. A declined rank that still has
  /// tasks can wait until a gift is worth a message, if it is known when its tasks will have run.
  static double least_gift(waiter const& one, double has, bool is_first) {
    if (has < one.state.workers) return is_first ? 1 : std::max(1.0, one.state.workers - has);
    return one.knows && one.state.tasks_per_ns > 0 ? 2 * one.state.workers : 1;
  }
  bool remembers() const override { return true; }
  std::optional<waiter> unasked(share_view const& view, double free) override {
    if (!is_dealing_ || view.messages == 0 || view.has_created || free < plenty(view, view.own))
      return std::nullopt;
    auto const to = at_random();
    if (is_lost()[to]) return std::nullopt;
    auto const tasks = std::min<std::uint64_t>(view.piece_tasks, 32u * std::uint64_t(view.own.workers));
    return waiter{.rank = to, .state = {}, .knows = true, .gift = double(tasks)};
  }
  void was_asked() override { is_dealing_ = place().ranks > 1; }
  void was_withdrawn() override { is_dealing_ = false; }
  void has_received(std::uint32_t from) override {
    remembered_by_[from] = false;
    pace_.was_answered();
    givers_.push_back(from);
    if (next_ > 0) plan();
  }
  // A rank that declines a question older than the withdrawal has forgotten this rank since.
  void was_declined(std::uint32_t by) override {
    remembered_by_[by] = !has_withdrawn_from_[by];
    if (has_withdrawn_from_[by]) plan();
    pace_.was_answered();
  }
  void has_enough() override { pace_.suffices(); }
  void withdraw(share_view const& view, share_decision& next) override {
    bool const has_plenty = double(view.own.backlog) > plenty(view, view.own);
    for (auto const giver : std::exchange(givers_, {})) {
      if (!has_plenty || is_lost()[giver]) continue;
      next.actions.push_back({share_action::kind::withdraw, giver, 0});
      has_withdrawn_from_[giver] = true;
    }
    if (!view.has_created || std::ranges::count(remembered_by_, true) == 0) return;
    for (std::uint32_t rank = 0; rank < place().ranks; ++rank)
      if (remembered_by_[rank] && !is_lost()[rank])
        next.actions.push_back({share_action::kind::withdraw, rank, 0});
    remembered_by_.assign(place().ranks, false);
    plan();
  }
  void was_lost(std::uint32_t) override { plan(); }

  std::uint32_t at_random() {
    auto const& at = place();
    return std::uint32_t((at.rank + 1 + next_random(random_, at.ranks - 1)) % at.ranks);
  }
  void plan() {
    auto const& at = place();
    plan_.clear();
    next_ = 0;
    for (std::uint32_t i = 1; i < at.host_ranks; ++i)
      plan_.push_back(at.host_first + (at.rank - at.host_first + i) % at.host_ranks);
    if (at.ranks > 1) plan_.push_back(at_random());
    // Not in the order of their numbers: the first ranks to remember this one would all be near.
    auto lines = lifelines_of(at.rank, is_lost());
    for (auto left = lines.size(); left > 1; --left)
      std::swap(lines[left - 1], lines[next_random(random_, left)]);
    plan_.insert(plan_.end(), lines.begin(), lines.end());
  }

  std::uint64_t random_;
  std::vector<bool> remembered_by_;
  std::vector<bool> has_withdrawn_from_;  ///< for each rank: true if this one has withdrawn since it last
                                          ///< asked that rank
  std::vector<std::uint32_t> plan_;       ///< the ranks to ask, in this order
  std::size_t next_ = 0;                  ///< in plan_
  question_pace pace_{4, 4};
  bool is_dealing_ = false;            ///< true if it deals whenever it has plenty
  std::vector<std::uint32_t> givers_;  ///< ranks that gave tasks since the last decision
};

using share_policy_maker = std::unique_ptr<share_policy> (*)(share_place const&);

template <class Policy>
std::unique_ptr<share_policy> make_share(share_place const& place) {
  return std::make_unique<Policy>(place);
}

constexpr registry_entry<share_policy_maker> share_policy_choices[] = {
    {{"lifeline",
      "asks a few ranks, which remember it and give later, by speed (Saraswat et al. 2011; the "
      "default)"},
     &make_share<lifeline_policy>},
    {{"random", "asks ranks at random for half of what they have"}, &make_share<random_policy>},
    {{"central", "asks the first rank, which has all tasks (Chen et al. 2010)"}, &make_share<central_policy>},
    {{"none", "every rank executes what was submitted there"}, &make_share<none_policy>}};

}  // namespace

std::unique_ptr<share_policy> make_share_policy(std::string_view name, share_place const& place) {
  auto const make = find(share_policy_choices, "policy", name);
  if (place.ranks < 1) throw_bad_argument("ranks", place.ranks, "at least 1");
  if (place.rank >= place.ranks)
    throw_bad_argument("rank", place.rank, "less than " + std::to_string(place.ranks));
  if (place.host_first > place.rank || place.rank - place.host_first >= place.host_ranks ||
      place.host_ranks > place.ranks - place.host_first)
    throw_bad_argument("host_ranks", place.host_ranks, "such that the rank is one of its host's");
  return make(place);
}

}  // namespace ballast::detail

std::vector<ballast::named_policy> ballast::share_policies() {
  return descriptions(detail::share_policy_choices);
}
