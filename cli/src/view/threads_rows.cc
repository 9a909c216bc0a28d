// ThreadsRows: grouping threads by name, and tables.

#include "view/threads_rows.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace fathom::cli {

namespace {

using std::chrono::nanoseconds;

// What a thread did in a part of the time, and for how long it existed then.
struct Part {
  diag::ThreadFigures figures;
  nanoseconds lived{0};
};

Part part_of(const diag::RecordedThread& thread, nanoseconds from, nanoseconds to, bool last) {
  Part part;
  part.figures = last ? static_cast<const diag::ThreadFigures&>(thread) : thread.figures_at(to);
  if (from > thread.began) {
    diag::ThreadFigures before = thread.figures_at(from);
    if (before != diag::ThreadFigures()) part.figures -= before;
  }
  part.lived = std::min(thread.until, to) - std::max(thread.began, from);
  return part;
}

std::optional<nanoseconds> asleep_in(const Part& part) {
  if (!part.figures.processor || !part.figures.run_delay) return std::nullopt;
  return std::max(part.lived - *part.figures.processor - *part.figures.run_delay, nanoseconds(0));
}

template <class T>
void add_known(std::optional<T>& sum, const std::optional<T>& value) {
  if (value) sum = sum.value_or(T{}) + *value;
}

bool comes_before(const ThreadsRow& a, const ThreadsRow& b, ThreadsOrder order) {
  switch (order) {
    case ThreadsOrder::processor:
      return a.figures.processor > b.figures.processor;
    case ThreadsOrder::kept_waiting:
      return a.figures.run_delay > b.figures.run_delay;
    case ThreadsOrder::asleep:
      return a.asleep > b.asleep;
    case ThreadsOrder::waits:
      return a.figures.voluntary_switches > b.figures.voluntary_switches;
    case ThreadsOrder::preempted:
      return a.figures.involuntary_switches > b.figures.involuntary_switches;
    case ThreadsOrder::migrations:
      return a.figures.migrations > b.figures.migrations;
    case ThreadsOrder::name:
      return a.name < b.name;
  }
  return false;
}

// Collects rows in the order of their first threads.
class Rows {
 public:
  explicit Rows(ThreadsBy by) : by_(by) {}

  void add(const diag::RecordedThread& thread, const Part& part) {
    ThreadsRow& row = row_of(thread);
    ++row.threads;
    if (row.name != thread.name) row.name = std::string(diag::family_of(thread.name)) + '*';
    row.figures += part.figures;
    add_known(row.asleep, asleep_in(part));
  }

  // Sorted; equal rows keep the order in which their first threads began.
  std::vector<ThreadsRow> take(const ThreadsRequest& request) {
    std::stable_sort(rows_.begin(), rows_.end(), [&request](const auto& a, const auto& b) {
      return comes_before(a, b, request.order);
    });
    if (request.top > 0 && rows_.size() > request.top) join_from(request.top);
    return std::move(rows_);
  }

 private:
  ThreadsRow& row_of(const diag::RecordedThread& thread) {
    const std::string_view key =
        by_ == ThreadsBy::family ? diag::family_of(thread.name) : std::string_view(thread.name);
    const auto [place, is_new] = by_key_.try_emplace(std::string(key), rows_.size());
    if (!is_new && by_ != ThreadsBy::thread) return rows_[place->second];
    ThreadsRow& row = rows_.emplace_back();
    row.name = thread.name;
    row.threads = 0;
    row.process = thread.process;
    row.thread = thread.id;
    return row;
  }

  void join_from(std::size_t first) {
    ThreadsRow others;
    others.kind = ThreadsRow::Kind::others;
    others.threads = 0;
    for (std::size_t i = first; i < rows_.size(); ++i) {
      others.threads += rows_[i].threads;
      others.figures += rows_[i].figures;
      add_known(others.asleep, rows_[i].asleep);
    }
    rows_.resize(first);
    rows_.push_back(std::move(others));
  }

  const ThreadsBy by_;
  std::vector<ThreadsRow> rows_;
  std::map<std::string, std::size_t> by_key_;
};

// The columns that a person sees. The others are for programs.
struct Figure {
  fs::Column column;
  bool is_short;
};

// The order of add_figures().
constexpr Figure kFigures[] = {
    {{"processor", "processor", fs::CellType::seconds, 0}, true},
    {{"user", "user", fs::CellType::seconds, 3}, true},
    {{"system", "system", fs::CellType::seconds, 3}, true},
    {{"run_delay", "kept waiting", fs::CellType::seconds, 0}, true},
    {{"asleep", "asleep", fs::CellType::seconds, 2}, true},
    {{"disk_wait", "disk", fs::CellType::seconds, 4}, false},
    {{"voluntary_switches", "waits", fs::CellType::count, 0}, true},
    {{"involuntary_switches", "preempted", fs::CellType::count, 0}, true},
    {{"migrations", "migrations", fs::CellType::count, 1}, true},
    {{"minor_faults", "faults", fs::CellType::count, 4}, false},
    {{"major_faults", "from disk", fs::CellType::count, 4}, false},
};

std::string_view kind_name(ThreadsRow::Kind kind) {
  switch (kind) {
    case ThreadsRow::Kind::threads:
      break;
    case ThreadsRow::Kind::others:
      return "others";
    case ThreadsRow::Kind::rest:
      return "rest";
    case ThreadsRow::Kind::all:
      return "all";
  }
  return "threads";
}

std::string shown_name(const ThreadsRow& row) {
  switch (row.kind) {
    case ThreadsRow::Kind::threads:
      break;
    case ThreadsRow::Kind::others:
      return "(others)";
    case ThreadsRow::Kind::rest:
      return "(rest)";
    case ThreadsRow::Kind::all:
      return "(all)";
  }
  return row.name;
}

void add_subject(std::vector<fs::Cell>& cells, const ThreadsRow& row, ThreadsBy by) {
  const bool one = row.kind == ThreadsRow::Kind::threads;
  if (by == ThreadsBy::thread) {
    cells.emplace_back(one ? fs::Cell(std::int64_t{row.process}) : fs::Cell());
    cells.emplace_back(one ? fs::Cell(std::int64_t{row.thread}) : fs::Cell());
  } else if (row.kind == ThreadsRow::Kind::rest) {
    cells.emplace_back();  // nobody has counted them
  } else {
    cells.emplace_back(std::uint64_t{row.threads});
  }
}

std::vector<fs::Column> subject_columns(ThreadsBy by) {
  if (by != ThreadsBy::thread) return {{"threads", "threads", fs::CellType::count, 0}};
  return {{"process", "process", fs::CellType::number, 1},
          {"thread", "thread", fs::CellType::number, 0}};
}

// Whether the text shows the row. The rest is often noise: figures that are read at different times
// differ a little.
bool is_worth_a_row(const ThreadsRow& row) {
  if (row.kind != ThreadsRow::Kind::rest) return true;
  return row.figures.voluntary_switches.value_or(0) > 0 ||
         row.figures.involuntary_switches.value_or(0) > 0 ||
         row.figures.processor.value_or(nanoseconds(0)) > std::chrono::milliseconds(1);
}

}  // namespace

ThreadsSlice whole_of(const diag::ThreadRecording& recording, const ThreadsRequest& request) {
  Rows rows(request.by);
  ThreadsRow all;
  all.kind = ThreadsRow::Kind::all;
  all.threads = recording.threads.size();
  all.figures = recording.total;
  for (const diag::RecordedThread& thread : recording.threads) {
    rows.add(thread, {thread, thread.until - thread.began});
    add_known(all.asleep, thread.asleep());
  }
  ThreadsRow rest;
  rest.kind = ThreadsRow::Kind::rest;
  rest.figures = recording.unseen;
  ThreadsSlice slice{nanoseconds(0), recording.elapsed, rows.take(request)};
  slice.rows.push_back(std::move(rest));
  slice.rows.push_back(std::move(all));
  return slice;
}

std::vector<ThreadsSlice> slices_of(const diag::ThreadRecording& recording,
                                    const ThreadsRequest& request) {
  std::vector<ThreadsSlice> slices;
  const auto count = static_cast<std::int64_t>(request.slices);
  for (std::int64_t i = 0; i < count; ++i) {
    const nanoseconds from(recording.elapsed.count() * i / count);
    const nanoseconds to(recording.elapsed.count() * (i + 1) / count);
    Rows rows(request.by);
    for (const diag::RecordedThread& thread : recording.threads) {
      if (thread.began >= to || thread.until <= from) continue;
      rows.add(thread, part_of(thread, from, to, thread.until <= to));
    }
    slices.push_back({from, to, rows.take(request)});
  }
  return slices;
}

fs::Table full_table(const std::vector<ThreadsSlice>& slices, ThreadsBy by, bool with_times) {
  std::vector<fs::Column> columns;
  if (with_times) {
    columns.push_back({"from", "from", fs::CellType::seconds});
    columns.push_back({"to", "to", fs::CellType::seconds});
  }
  columns.push_back({"row", "row", fs::CellType::text});
  for (const fs::Column& column : subject_columns(by)) columns.push_back(column);
  for (const fs::Column& column : figure_columns()) columns.push_back(column);
  columns.push_back({"name", "name", fs::CellType::path});
  std::vector<std::pair<const ThreadsSlice*, const ThreadsRow*>> rows;
  for (const ThreadsSlice& slice : slices) {
    for (const ThreadsRow& row : slice.rows) rows.emplace_back(&slice, &row);
  }
  const std::size_t count = rows.size();
  const auto read = [rows = std::move(rows), by, with_times](std::size_t at,
                                                             std::vector<fs::Cell>& cells) {
    const auto& [slice, row] = rows[at];
    if (with_times) {
      cells.push_back(cell_of(std::optional(slice->from)));
      cells.push_back(cell_of(std::optional(slice->to)));
    }
    cells.emplace_back(std::string(kind_name(row->kind)));
    add_subject(cells, *row, by);
    add_figures(cells, row->figures, row->asleep);
    cells.emplace_back(row->name);
  };
  return fs::Table({.key = "rows", .title = "Threads"}, std::move(columns), count, read);
}

fs::Table short_table(const ThreadsSlice& slice, ThreadsBy by, std::string_view title) {
  std::vector<fs::Column> columns = subject_columns(by);
  for (const Figure& figure : kFigures) {
    if (figure.is_short) columns.push_back(figure.column);
  }
  columns.push_back({"name", "name", fs::CellType::path});
  std::vector<const ThreadsRow*> rows;
  for (const ThreadsRow& row : slice.rows) {
    if (is_worth_a_row(row)) rows.push_back(&row);
  }
  const std::size_t count = rows.size();
  const auto read = [rows = std::move(rows), by](std::size_t at, std::vector<fs::Cell>& cells) {
    const ThreadsRow& row = *rows[at];
    add_subject(cells, row, by);
    std::vector<fs::Cell> figures;
    add_figures(figures, row.figures, row.asleep);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      if (kFigures[i].is_short) cells.push_back(std::move(figures[i]));
    }
    cells.emplace_back(shown_name(row));
  };
  return fs::Table({.key = "rows", .title = title}, std::move(columns), count, read);
}

fs::Cell cell_of(const std::optional<nanoseconds>& duration) {
  return duration ? fs::Cell(std::chrono::duration<double>(*duration).count()) : fs::Cell();
}

fs::Cell cell_of(const std::optional<std::uint64_t>& count) {
  return count ? fs::Cell(*count) : fs::Cell();
}

const std::vector<fs::Column>& figure_columns() {
  static const std::vector<fs::Column> columns = [] {
    std::vector<fs::Column> all;
    for (const Figure& figure : kFigures) all.push_back(figure.column);
    return all;
  }();
  return columns;
}

void add_figures(std::vector<fs::Cell>& cells, const diag::ThreadFigures& figures,
                 const std::optional<nanoseconds>& asleep) {
  fs::add_cells(cells, cell_of(figures.processor), cell_of(figures.user), cell_of(figures.system),
                cell_of(figures.run_delay), cell_of(asleep), cell_of(figures.disk_wait),
                cell_of(figures.voluntary_switches), cell_of(figures.involuntary_switches),
                cell_of(figures.migrations), cell_of(figures.minor_faults),
                cell_of(figures.major_faults));
}

}  // namespace fathom::cli
