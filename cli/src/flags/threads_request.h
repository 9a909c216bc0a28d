// ThreadsRequest: the parsed arguments of `fathom threads`.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/diag/record_threads.h"
#include "flags/common_request.h"

namespace fathom::cli {

// What has a row of its own.
enum class ThreadsBy : std::uint8_t {
  family,  // names that differ only in a number at their end
  name,
  thread,
};

// Names ascend; of everything else, the largest value comes first.
enum class ThreadsOrder : std::uint8_t {
  processor,
  kept_waiting,
  asleep,
  waits,
  preempted,
  migrations,
  name,
};

struct ThreadsRequest : CommonRequest {
  std::vector<std::string> command;  // empty with --pid
  std::optional<long> process;       // a running process to record instead
  std::optional<std::chrono::seconds> longest;
  std::size_t interval = 100;  // ms
  bool children = true;
  diag::SwitchSource source = diag::SwitchSource::automatic;

  TableFormat format = TableFormat::text;
  ThreadsBy by = ThreadsBy::family;
  std::size_t slices = 0;  // 0: only the whole time
  ThreadsOrder order = ThreadsOrder::processor;
};

}  // namespace fathom::cli
