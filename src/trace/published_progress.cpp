// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

#include "ballast/completion.hpp"
#include "ballast/detail/base/host_waits.hpp"
#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"
#include "ballast/trace.hpp"
#include "progress_memory.hpp"

namespace ballast {

using namespace detail;
namespace {

constexpr auto between_samples = std::chrono::milliseconds(100);
constexpr std::size_t samples_of_rate = 11;  ///< a second

/// The name of a file says whose it is, so that nobody need trust what it has.
struct file_name {
  int process = 0;
  unsigned long long number = 0;

  std::string text() const {
    return "ballast.progress." + std::to_string(process) + '.' + std::to_string(number);
  }
  static std::optional<file_name> of(std::string const& text) {
    file_name found;
    auto const read = std::sscanf(text.c_str(), "ballast.progress.%d.%llu", &found.process, &found.number);
    return read == 2 && found.text() == text ? std::optional(found) : std::nullopt;
  }
  auto operator<=>(file_name const&) const = default;
};

std::vector<file_name> all_file_names() {
  std::vector<file_name> all;
  auto* const folder = ::opendir("/dev/shm");
  if (folder == nullptr) return all;
  while (auto const* const entry = ::readdir(folder))
    if (auto const name = file_name::of(entry->d_name)) all.push_back(*name);
  ::closedir(folder);
  std::ranges::sort(all);
  return all;
}

/// The memory of a file, or null.
progress_memory* mapped(int file, int protection) {
  auto* const there = ::mmap(nullptr, sizeof(progress_memory), protection, MAP_SHARED, file, 0);
  return there == MAP_FAILED ? nullptr : static_cast<progress_memory*>(there);
}

[[noreturn]] void refuse(int cause) {
  throw error(std::string("progress cannot be published in /dev/shm: ") + std::strerror(cause));
}

/// A new file of this process, which holds a lock on it: the system releases that when the process ends.
class own_file {
 public:
  explicit own_file(std::string const& name) : file_(new_file(path_)) {
    // All pages now: a store to one that the system no longer has would end the process.
    auto const cause = ::posix_fallocate(file_, 0, sizeof(progress_memory));
    memory_ = cause == 0 ? mapped(file_, PROT_READ | PROT_WRITE) : nullptr;
    auto const why = cause != 0 ? cause : errno;
    if (memory_ == nullptr) {
      ::shm_unlink(path_.c_str());
      ::close(file_);
      refuse(why);
    }
    memory_->set_name(name);
  }
  ~own_file() {
    ::shm_unlink(path_.c_str());
    ::munmap(memory_, sizeof *memory_);
    ::close(file_);
  }
  own_file& operator=(own_file&&) = delete;

  progress_memory& memory() { return *memory_; }

 private:
  /// Numbers may be used: by another copy of the library, or by the program before an exec().
  static int new_file(std::string& path) {
    constexpr int max_tries = 1'000;
    static std::atomic<unsigned long long> last = 0;
    for (int tries = 1;; ++tries) {
      path = '/' + file_name{::getpid(), ++last}.text();
      int const file = ::shm_open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
      if (file < 0 && (errno != EEXIST || tries == max_tries)) refuse(errno);
      if (file < 0) continue;
      // Before the file has a size: without one nobody removes it.
      if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
      auto const why = errno;
      ::shm_unlink(path.c_str());
      ::close(file);
      refuse(why);
    }
  }

  std::string path_;
  int file_;
  progress_memory* memory_ = nullptr;
};

/// What a file of this user shows, if it shows anything. Removes it if its process has ended.
std::optional<process_progress> shown_in(file_name const& name) {
  auto const path = '/' + name.text();
  int const file = ::shm_open(path.c_str(), O_RDONLY, 0);
  if (file < 0) return {};
  struct stat of {};
  bool const is_whole = ::fstat(file, &of) == 0 && of.st_uid == ::geteuid() &&
                        std::size_t(of.st_size) == sizeof(progress_memory);
  bool const has_ended = is_whole && ::flock(file, LOCK_SH | LOCK_NB) == 0;
  if (has_ended) ::shm_unlink(path.c_str());
  auto* const memory = is_whole && !has_ended ? mapped(file, PROT_READ) : nullptr;
  ::close(file);
  if (memory == nullptr) return {};
  auto const sample = memory->load();
  auto const called = memory->name();
  ::munmap(memory, sizeof *memory);
  if (!sample) return {};
  return process_progress{name.process, called, sample->progress, sample->rate,
                          clock::time_point(std::chrono::nanoseconds(sample->when_ns))};
}

/// The rate of tasks over the last second.
class task_rate {
 public:
  double after(std::int64_t now_ns, std::uint64_t done) {
    if (!last_.empty() && done < last_.back().second) last_.clear();  // another run
    last_.emplace_back(now_ns, done);
    if (last_.size() > samples_of_rate) last_.pop_front();
    auto const [since_ns, before] = last_.front();
    return now_ns == since_ns ? 0 : 1e9 * double(done - before) / double(now_ns - since_ns);
  }

 private:
  std::deque<std::pair<std::int64_t, std::uint64_t>> last_;
};

std::string const& checked(std::string const& name) {
  auto const is_control = [](char sign) { return static_cast<unsigned char>(sign) < ' ' || sign == '\x7f'; };
  if (name.empty() || name.size() > progress_memory::max_name || std::ranges::any_of(name, is_control))
    throw_bad_argument("name", name, "1 to 63 bytes without control characters");
  return name;
}

}  // namespace

struct published_progress::state {
  state(std::string const& of, std::function<work_progress()> read)
      : name(checked(of)), progress(std::move(read)), file(name) {
    sample();
    thread = start_thread(
        "published progress", [this] { sample_again_and_again(); }, "ballast-progress");
  }

  void sample() noexcept {
    try {
      auto const now = progress();
      auto const now_ns = std::int64_t(steady_now_ns());
      file.memory().store({now, rate.after(now_ns, now.done), now_ns});
    } catch (std::exception const& failure) { warn(failure.what()); } catch (...) {
      warn("what was thrown is no std::exception");
    }
  }
  void warn(char const* why) noexcept {
    if (std::exchange(has_warned, true)) return;
    write_log(log_level::warning, "the progress that is published as " + name + " cannot be read: " + why);
  }
  void sample_again_and_again() {
    std::unique_lock hold(mutex);
    while (!end.wait_for(hold, between_samples, [&] { return is_over; })) {
      hold.unlock();
      sample();
      hold.lock();
    }
  }
  void join() {
    {
      std::lock_guard const hold(mutex);
      is_over = true;
    }
    end.notify_one();
    thread.join();
  }

  std::string const name;
  std::function<work_progress()> const progress;
  own_file file;
  task_rate rate;
  bool has_warned = false;
  std::mutex mutex;
  std::condition_variable end;
  bool is_over = false;
  process_of_origin const process;
  std::thread thread;
};

published_progress::published_progress(std::string const& name, std::function<work_progress()> progress) {
  if (!progress) throw_bad_argument("progress", "an empty function", "a function that returns progress");
  for (auto const& other : read(::getpid()))
    if (other.name == name)
      throw_bad_argument("name", name, "one that nothing else has that this process publishes");
  state_ = std::make_unique<state>(name, std::move(progress));
}

published_progress::~published_progress() {
  if (state_->process.is_parent())
    (void)state_.release();  // its thread and its file are the parent's
  else
    state_->join();
}

std::vector<process_progress> published_progress::read(int process) {
  std::vector<process_progress> all;
  for (auto const& name : all_file_names())
    if (process == 0 || name.process == process)
      if (auto shown = shown_in(name)) all.push_back(std::move(*shown));
  return all;
}

}  // namespace ballast
