// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arrays/operations.hpp"
#include "ballast/job_scheduler.hpp"
#include "plan/planned_work.hpp"
#include "run/device_executor.hpp"

namespace ballast::detail {

/// Sees the operations of a dispatcher. No exception may leave a call.
class operation_watcher {
 public:
  virtual ~operation_watcher() = default;
  virtual void submitted(op_id op, operation const& planned, job_number job) = 0;
  /// Exchanges are left out.
  virtual void ended(op_id op, operation const& about) = 0;
};

/// Turns planned work into operations of executors, and decides which of their reported ends count. It only
/// asks where memory lies: no device, no clock, no mutex; one thread at a time.
class operation_dispatcher final : public work_sink {
 public:
  struct device {
    backend kind = backend::host;
    std::byte* memory = nullptr;  ///< for arrays
  };
  /// Passes an operation to the executor of a device.
  using submission = std::function<void(std::uint32_t device, device_operation work)>;
  /// Begins an exchange with another rank. When the exchange ends, the progress is marked as ended.
  using exchange_begin = std::function<void(exchange_work const& work, std::shared_ptr<operation_progress>)>;
  /// Called when work has ended on a device; `failed` is also set if only the source of its data has failed.
  using end_listener = std::function<void(planned_work const& work, std::uint32_t device,
                                          ended_operation const& end, bool failed)>;

  /// Of the options it uses `check_maps` and `trace_to`: a recorder makes copies timed. `ops` must outlive
  /// this object. Kernels that are issued when `is_stopped` returns true fail instead of running; executors
  /// call `is_stopped`.
  operation_dispatcher(operations& ops, std::vector<device> devices, job_options const& options,
                       submission submit, exchange_begin begin = {}, std::function<bool()> is_stopped = {});

  void take(planned_work work) override;
  bool waits_to_be_issued(op_id op) const override;
  /// Calls `ended` for each end that counts now, in the order of the operations.
  void handle_ends(std::uint32_t on_device, std::vector<ended_operation> const& ends,
                   end_listener const& ended);
  /// Forgets the unfinished operations, which the caller must destroy.
  std::vector<planned_work> forget_all();

  std::size_t unfinished() const { return in_flight_.size(); }
  /// Fails the exchanges, which will never end, and returns their ends for handle_ends().
  std::vector<ended_operation> give_up_exchanges(std::exception_ptr const& why);
  /// An unfinished operation, for messages.
  struct unfinished_operation {
    op_id op;
    bool is_kernel, is_issued;
    std::uint32_t device;
    exchanged_bytes const* exchange;  ///< null if it is no exchange
    std::shared_ptr<job_record> job;  ///< of a kernel
  };
  std::optional<unfinished_operation> oldest() const;
  /// From now on calls `by`, unless it is null.
  void watch(operation_watcher* by) { watcher_ = by; }

 private:
  struct work_in_flight {
    std::shared_ptr<operation_progress> progress;
    planned_work work;
  };
  struct reported_end {
    std::uint32_t device;
    ended_operation end;
  };

  void submit_copy(copy_work copy);
  void submit_kernel(kernel_work kernel);
  void submit_exchange(exchange_work exchange);
  void check_not_stopped() const;
  void begin_exchanges();
  void submit(op_id op, job_number job, planned_work work, device_operation operation);
  std::byte* memory_at(place_id place, array_state const& array) const;
  progress_list progress_of(op_set const& ops) const;
  void end(reported_end const& reported, end_listener const& ended);

  operations& ops_;
  std::vector<device> const devices_;
  bool const check_maps_, times_copies_;
  submission const submit_;
  exchange_begin const begin_;
  std::function<bool()> const is_stopped_;
  std::unordered_map<std::uint64_t, work_in_flight> in_flight_;    ///< by operation
  boost::container::flat_map<op_id, reported_end> reported_ends_;  ///< reported ends that do not count yet
  std::vector<op_id> waiting_exchanges_;                           ///< waiting for their dependencies,
                                                                   ///< ascending
  operation_watcher* watcher_ = nullptr;
};

}  // namespace ballast::detail
