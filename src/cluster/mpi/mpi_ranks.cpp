// SPDX-License-Identifier: Apache-2.0
#include "mpi_ranks.hpp"

#include <array>
#include <atomic>
#include <cctype>
#include <memory>
#include <string_view>
#include <thread>

namespace ballast::detail {
namespace {

std::string name_of_level(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "SINGLE";
    case MPI_THREAD_FUNNELED:
      return "FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "SERIALIZED";
    default:
      return "MULTIPLE";
  }
}

/// A cluster of this process has initialised MPI, for a thread of its own.
std::atomic<bool> is_of_a_cluster = false;

int thread_level() {
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

void check_thread_level() {
  int is_main = 0;
  check_mpi(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
  auto const level = thread_level();
  if (is_main != 0 || level >= MPI_THREAD_SERIALIZED) return;
  if (is_of_a_cluster)
    throw error(
        "another cluster of this process has initialised MPI for itself, so there cannot be a second one; a "
        "program that initialises MPI with MPI_THREAD_MULTIPLE before can have several");
  throw_bad_argument("thread level of MPI", "MPI_THREAD_" + name_of_level(level),
                     "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, if the program initialises MPI itself");
}

// Initialises MPI. False if it was initialised before.
bool initialise() {
  int is_true = 0;
  check_mpi(MPI_Finalized(&is_true), "MPI_Finalized");
  if (is_true != 0) throw error("MPI was finalised in this process, which cannot use it again");
  check_mpi(MPI_Initialized(&is_true), "MPI_Initialized");
  if (is_true != 0) {
    check_thread_level();
    return false;
  }
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level), "MPI_Init_thread");
  is_of_a_cluster = true;
  return true;
}

void await_all(MPI_Request request, clock::duration timeout) {
  wait_limit end(deadline::in(timeout));
  for (int is_complete = 0;;) {
    check_mpi(MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_complete != 0) return;
    if (end.passed()) throw timed_out("all ranks to start a cluster over MPI", "some have not come");
    std::this_thread::yield();
  }
}

// Returns when all ranks have arrived. The later collective calls wait without a deadline, so they must not
// wait for a missing rank.
MPI_Comm duplicate(MPI_Comm of, clock::duration timeout) {
  auto copy = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(of, copy.get(), &request), "MPI_Comm_idup");
  try {
    await_all(request, timeout);
  } catch (...) {
    static_cast<void>(copy.release());  // MPI may write there as long as it runs
    throw;
  }
  check_mpi(MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return *copy;
}

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of(MPI_Comm communicator) {
  int size = 1;
  check_mpi(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  return size;
}

void free_communicator(MPI_Comm& communicator) { check_mpi(MPI_Comm_free(&communicator), "MPI_Comm_free"); }

// "Open MPI 4.1.4" of "Open MPI v4.1.4, package: ..." and "MPICH 4.0.2" of "MPICH Version: 4.0.2\n...".
std::string name_of_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  std::string_view const said(text.data(), std::size_t(length));
  auto const first = said.substr(0, said.find_first_of(",\n"));
  auto const version = first.find_first_of("0123456789");
  auto const name = first.substr(0, first.find_first_of(" \t", first.starts_with("Open MPI") ? 5 : 0));
  if (version == std::string_view::npos) return std::string(first);
  return std::string(name) + " " + std::string(first.substr(version));
}

std::string counted(std::uint32_t count, std::string const& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string describe(ranks_by_host const& ranks) {
  int major = 0, minor = 0;
  check_mpi(MPI_Get_version(&major, &minor), "MPI_Get_version");
  return name_of_library() + ", MPI " + std::to_string(major) + "." + std::to_string(minor) +
         ", thread level " + name_of_level(thread_level()) + ", " + counted(ranks.place.ranks, "rank") +
         " on " + counted(std::uint32_t(ranks.hosts), "host");
}

}  // namespace

std::string words_of_mpi(int status) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(status, text.data(), &length) != MPI_SUCCESS) return std::to_string(status);
  return {text.data(), std::size_t(length)};
}

void check_mpi(int status, char const* call) {
  if (status != MPI_SUCCESS) throw error(std::string(call) + ": " + words_of_mpi(status));
}

ranks_by_host order_by_host(MPI_Comm all, MPI_Comm host) {
  auto const host_rank = rank_in(host);
  int first = rank_in(all);  // the first rank of the host is the host's key
  check_mpi(MPI_Bcast(&first, 1, MPI_INT, 0, host), "MPI_Bcast");
  ranks_by_host ranks;
  check_mpi(MPI_Comm_split(all, 0, first, &ranks.communicator), "MPI_Comm_split");
  check_mpi(MPI_Comm_set_errhandler(ranks.communicator, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int const is_first = host_rank == 0 ? 1 : 0;
  check_mpi(MPI_Allreduce(&is_first, &ranks.hosts, 1, MPI_INT, MPI_SUM, all), "MPI_Allreduce");
  auto const rank = std::uint32_t(rank_in(ranks.communicator));
  ranks.place = {rank, std::uint32_t(size_of(all)), rank - std::uint32_t(host_rank),
                 std::uint32_t(size_of(host))};
  return ranks;
}

mpi_ranks::mpi_ranks(MPI_Comm of, clock::duration timeout) : initialised_here_(initialise()) {
  auto all = duplicate(of, timeout);
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank_in(all), MPI_INFO_NULL, &host),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  ranks_ = order_by_host(all, host);
  check_mpi(MPI_Comm_dup(ranks_.communicator, &placed_), "MPI_Comm_dup");
  free_communicator(host);
  free_communicator(all);
  description_ = describe(ranks_);
}

void mpi_ranks::end() {
  free_communicator(placed_);
  free_communicator(ranks_.communicator);
  if (initialised_here_) check_mpi(MPI_Finalize(), "MPI_Finalize");
}

}  // namespace ballast::detail
