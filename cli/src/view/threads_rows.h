// ThreadsRows: the rows of the report of threads: threads, or groups of them, in an order.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/diag/thread_recording.h"
#include "fathom/fs/table.h"
#include "flags/threads_request.h"

namespace fathom::cli {

struct ThreadsRow {
  enum class Kind : std::uint8_t { threads, others, rest, all };
  Kind kind = Kind::threads;  // others: those beyond --top; rest: what no sample has seen
  std::string name;           // of a group with several names: "worker-*"
  std::size_t threads = 1;
  long process = 0;  // of a single thread
  long thread = 0;
  diag::ThreadFigures figures;
  std::optional<std::chrono::nanoseconds> asleep;
};

// A part of a recording.
struct ThreadsSlice {
  std::chrono::nanoseconds from{0};
  std::chrono::nanoseconds to{0};
  std::vector<ThreadsRow> rows;
};

// The whole time: at most as many rows of threads as requested, the sum of the others, what was not
// seen, and the sum of all.
[[nodiscard]] ThreadsSlice whole_of(const diag::ThreadRecording& recording,
                                    const ThreadsRequest& request);
// Equal parts of the time. Threads that did not exist have no row. Requires samples.
[[nodiscard]] std::vector<ThreadsSlice> slices_of(const diag::ThreadRecording& recording,
                                                  const ThreadsRequest& request);

// One table of the slices for formats that programs read: with the kind of each row, and with the
// times of the slice if there are several. The slices must outlive it.
[[nodiscard]] fs::Table full_table(const std::vector<ThreadsSlice>& slices, ThreadsBy by,
                                   bool with_times);
// For people. The slice and the title must outlive it.
[[nodiscard]] fs::Table short_table(const ThreadsSlice& slice, ThreadsBy by,
                                    std::string_view title);

// A cell of a duration in seconds, and one of a count.
[[nodiscard]] fs::Cell cell_of(const std::optional<std::chrono::nanoseconds>& duration);
[[nodiscard]] fs::Cell cell_of(const std::optional<std::uint64_t>& count);

// The columns of figures, and their cells in the same order.
[[nodiscard]] const std::vector<fs::Column>& figure_columns();
void add_figures(std::vector<fs::Cell>& cells, const diag::ThreadFigures& figures,
                 const std::optional<std::chrono::nanoseconds>& asleep);

}  // namespace fathom::cli
