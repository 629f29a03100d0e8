// SPDX-License-Identifier: Apache-2.0
#include "ballast/mpi.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "mpi_ranks.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint32_t most_to_a_rank = 8;  // messages in transit at once
constexpr std::uint32_t most_in_all = 256;   // so 31 ranks that receive nothing leave some to the others
constexpr int tags = 32768;                  // the number that MPI guarantees

// A message's tag is its number among those from one rank to another, starting at 0 again after 32 767.
int tag_after(int tag) { return (tag + 1) % tags; }

// Receives that wait for a message of any rank: as many as the other ranks can have in transit to this one.
// MPI matches them in order, but they complete in any order, and one from a rank that is lost amid a message
// never completes. Tags tell the order, so no message waits for another rank's.
class posted_receives {
 public:
  explicit posted_receives(mpi_ranks const& ranks)
      : communicator_(ranks.communicator()), next_tags_(ranks.place().ranks, 0) {
    auto const count = std::min(most_to_a_rank * (ranks.place().ranks - 1), most_in_all);
    bytes_.resize(count * transport::max_message_bytes);
    requests_.resize(count, MPI_REQUEST_NULL);
    complete_.resize(count);
    statuses_.resize(count);
    for (int i = 0; i < int(count); ++i) post(i);
  }

  std::optional<incoming_message> next() {
    if (given_ >= 0) post(std::exchange(given_, -1));
    auto due = first_due();
    if (due == arrived_.end()) {
      look();
      due = first_due();
    }
    if (due == arrived_.end()) return std::nullopt;
    auto const message = *due;
    arrived_.erase(due);
    given_ = message.receive;
    next_tags_[message.from] = tag_after(message.tag);
    return incoming_message{message.from, {buffer_of(message.receive), std::size_t(message.bytes)}};
  }

  // Does not wait for other ranks, since no message is in transit to this one.
  void cancel() {
    for (auto& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      check_mpi(MPI_Cancel(&request), "MPI_Cancel");
      check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
  }

 private:
  struct arrival {
    int receive;
    std::uint32_t from;
    int tag;
    int bytes;
  };

  std::byte* buffer_of(int receive) { return bytes_.data() + receive * transport::max_message_bytes; }
  void post(int receive) {
    check_mpi(MPI_Irecv(buffer_of(receive), int(transport::max_message_bytes), MPI_BYTE, MPI_ANY_SOURCE,
                        MPI_ANY_TAG, communicator_, &requests_[receive]),
              "MPI_Irecv");
  }
  std::vector<arrival>::iterator first_due() {
    return std::ranges::find_if(arrived_, [this](arrival const& a) { return a.tag == next_tags_[a.from]; });
  }
  /// The number of receives that have completed since the last call, which `complete_` and `statuses_`
  /// describe.
  int test() {
    int count = 0;
    check_mpi(
        MPI_Testsome(int(requests_.size()), requests_.data(), &count, complete_.data(), statuses_.data()),
        "MPI_Testsome");
    return count == MPI_UNDEFINED ? 0 : count;  // none is posted
  }
  // Records arrivals; tests again if the first test finds none. Open MPI tests first, and looks for messages
  // only if nothing has completed. It reports messages found then only at the next call, which a thread that
  // sleeps in between would delay.
  void look() {
    auto count = test();
    if (count == 0) count = test();
    for (int i = 0; i < count; ++i) {
      arrival a{complete_[i], std::uint32_t(statuses_[i].MPI_SOURCE), statuses_[i].MPI_TAG, 0};
      check_mpi(MPI_Get_count(&statuses_[i], MPI_BYTE, &a.bytes), "MPI_Get_count");
      arrived_.push_back(a);
    }
  }

  MPI_Comm communicator_;
  std::vector<std::byte> bytes_;
  std::vector<MPI_Request> requests_;
  std::vector<int> complete_;
  std::vector<MPI_Status> statuses_;
  std::vector<arrival> arrived_;
  std::vector<int> next_tags_;  // of each rank
  int given_ = -1;              // the receive whose buffer the caller reads
};

// Memory that is posted for placed messages. MPI may write there until such a message has come.
class posted_memory {
 public:
  explicit posted_memory(MPI_Comm communicator) : communicator_(communicator) {}

  void post(placed_receive what) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Irecv(what.into.data(), int(what.into.size()), MPI_BYTE, int(what.from), int(what.tag),
                        communicator_, &request),
              "MPI_Irecv");
    requests_.push_back(request);
    posted_.push_back(std::move(what));
    complete_.resize(requests_.size());
    statuses_.resize(requests_.size());
  }

  std::optional<std::uint64_t> next() {
    if (come_.empty()) look();
    if (come_.empty()) return std::nullopt;
    auto const number = come_.front();
    come_.pop_front();
    return number;
  }

 private:
  void look() {
    if (requests_.empty()) return;
    int count = 0;
    check_mpi(
        MPI_Testsome(int(requests_.size()), requests_.data(), &count, complete_.data(), statuses_.data()),
        "MPI_Testsome");
    if (count == MPI_UNDEFINED || count == 0) return;
    for (int i = 0; i < count; ++i) {
      auto const& one = posted_[std::size_t(complete_[i])];
      int bytes = 0;
      check_mpi(MPI_Get_count(&statuses_[i], MPI_BYTE, &bytes), "MPI_Get_count");
      check_placed_size(one, std::size_t(bytes));
      come_.push_back(one.number);
    }
    std::erase_if(posted_, [&](placed_receive const& one) {
      return requests_[std::size_t(&one - posted_.data())] == MPI_REQUEST_NULL;
    });
    std::erase(requests_, MPI_REQUEST_NULL);
  }

  MPI_Comm communicator_;
  std::vector<placed_receive> posted_;
  std::vector<MPI_Request> requests_;  // one for each, in the same order
  std::vector<int> complete_;
  std::vector<MPI_Status> statuses_;
  std::deque<std::uint64_t> come_;
};

// Copies of the messages that MPI has not sent yet.
class sends_under_way {
 public:
  sends_under_way(MPI_Comm communicator, std::uint32_t ranks)
      : communicator_(communicator), to_(ranks), complete_(most_in_all), statuses_(most_in_all) {}

  std::uint32_t count() const { return std::uint32_t(requests_.size()); }
  std::uint32_t room_for(std::uint32_t rank) const {
    return std::min(most_to_a_rank - to_[rank].under_way, most_in_all - count());
  }

  // The tag is the message's number.
  void send(std::uint32_t to, std::span<std::byte const> message) {
    send(to, to_[to].next_tag, message);
    to_[to].next_tag = tag_after(to_[to].next_tag);
  }
  void send(std::uint32_t to, int tag, std::span<std::byte const> message) {
    auto& receiver = to_[to];
    if (!receiver.failure.empty()) {
      throw error("rank " + std::to_string(to) + " cannot be reached: " + receiver.failure);
    }
    auto copy = spare_buffer();
    copy.assign(message.begin(), message.end());
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(copy.data(), int(copy.size()), MPI_BYTE, int(to), tag, communicator_, &request),
              "MPI_Isend");
    requests_.push_back(request);
    messages_.push_back({to, std::move(copy)});
    ++receiver.under_way;
  }

  void look() {
    if (requests_.empty()) return;
    int count = 0;
    auto const status =
        MPI_Testsome(int(requests_.size()), requests_.data(), &count, complete_.data(), statuses_.data());
    if (status != MPI_ERR_IN_STATUS) check_mpi(status, "MPI_Testsome");
    for (int i = 0; status == MPI_ERR_IN_STATUS && i < count; ++i)
      note_failure(complete_[i], statuses_[i].MPI_ERROR);
    std::sort(complete_.begin(), complete_.begin() + count, std::greater<>());
    for (int i = 0; i < count; ++i) remove(complete_[i]);
  }

 private:
  struct peer {
    std::uint32_t under_way = 0;
    int next_tag = 0;
    std::string failure;
  };
  struct copied_message {
    std::uint32_t to;
    std::vector<std::byte> bytes;
  };

  std::vector<std::byte> spare_buffer() {
    if (spare_.empty()) return {};
    auto buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }
  void note_failure(int index, int status) {
    if (status != MPI_SUCCESS) to_[messages_[index].to].failure = words_of_mpi(status);
  }
  // Removes a send that has ended, and moves the last send into its place.
  void remove(int index) {
    --to_[messages_[index].to].under_way;
    spare_.push_back(std::move(messages_[index].bytes));
    if (std::size_t(index) + 1 < messages_.size()) messages_[index] = std::move(messages_.back());
    requests_[index] = requests_.back();
    messages_.pop_back();
    requests_.pop_back();
  }

  MPI_Comm communicator_;
  std::vector<peer> to_;
  std::vector<MPI_Request> requests_;
  std::vector<copied_message> messages_;  // one for each, in the same order
  std::vector<std::vector<std::byte>> spare_;
  std::vector<int> complete_;
  std::vector<MPI_Status> statuses_;
};

class transport_over_mpi final : public transport {
 public:
  transport_over_mpi(MPI_Comm of, clock::duration timeout)
      : timeout_(timeout),
        ranks_(of, timeout),
        receives_(std::make_unique<posted_receives>(ranks_)),
        sends_(std::make_unique<sends_under_way>(ranks_.communicator(), ranks_.place().ranks)),
        posted_(std::make_unique<posted_memory>(ranks_.placed_communicator())),
        placed_sends_(std::make_unique<sends_under_way>(ranks_.placed_communicator(), ranks_.place().ranks)) {
  }
  ~transport_over_mpi() override {
    if (is_closed_) return;
    // MPI may read and write these buffers as long as it runs.
    static_cast<void>(receives_.release());
    static_cast<void>(sends_.release());
    static_cast<void>(posted_.release());
    static_cast<void>(placed_sends_.release());
  }

  cluster_place place() const override { return ranks_.place(); }
  std::string describe() const override { return ranks_.description(); }
  std::uint32_t room_for(std::uint32_t rank) const override { return sends_->room_for(rank); }
  void send(std::uint32_t to, std::span<std::byte const> message) override {
    check_message(*this, to, message.size());
    sends_->send(to, message);
  }
  std::optional<incoming_message> receive() override {
    sends_->look();
    placed_sends_->look();
    return receives_->next();
  }
  void post(placed_receive what) override { posted_->post(std::move(what)); }
  std::optional<std::uint64_t> next_placed() override { return posted_->next(); }
  std::uint32_t placed_room_for(std::uint32_t rank) const override { return placed_sends_->room_for(rank); }
  void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) override {
    check_placed(*this, to, bytes.size());
    placed_sends_->send(to, int(tag), bytes);
  }

  void close() override {
    await_others();
    receives_->cancel();
    is_closed_ = true;
    ranks_.end();
  }

 private:
  void await_others() {
    MPI_Request all = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibarrier(ranks_.communicator(), &all), "MPI_Ibarrier");
    wait_limit end(deadline::in(timeout_));
    for (int have_come = 0;;) {
      sends_->look();
      placed_sends_->look();
      check_mpi(MPI_Test(&all, &have_come, MPI_STATUS_IGNORE), "MPI_Test");
      auto const under_way = sends_->count() + placed_sends_->count();
      if (have_come != 0 && under_way == 0) return;
      if (end.passed()) {
        throw timed_out("all ranks to close", counted(under_way, "message") + " of this rank under way");
      }
      std::this_thread::yield();
    }
  }

  clock::duration const timeout_;
  mpi_ranks ranks_;
  std::unique_ptr<posted_receives> receives_;
  std::unique_ptr<sends_under_way> sends_;
  std::unique_ptr<posted_memory> posted_;
  std::unique_ptr<sends_under_way> placed_sends_;
  bool is_closed_ = false;
};

}  // namespace

std::function<std::unique_ptr<transport>()> mpi_transport(mpi_options const& options) {
  auto const of =
      options.communicator == nullptr ? MPI_COMM_WORLD : *static_cast<MPI_Comm const*>(options.communicator);
  return [of, timeout = options.timeout] { return std::make_unique<transport_over_mpi>(of, timeout); };
}

}  // namespace ballast::detail
