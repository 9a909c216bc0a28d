// RowChanges: pairs are read in portions, each by one task.

#include "diff/row_changes.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/rt/parallel.h"

namespace fathom::store {

namespace {

// About how many rows a task compares, on both sides together. It reads whole pages, so the first
// and the last one are often read by two tasks.
constexpr std::uint64_t kPortionRows = 32 * 1024;

// The rows of one side of a portion, and to which pair each interval of them belongs.
struct SideRows {
  struct Owned {
    RowInterval rows;
    std::uint32_t pair;  // its index in the portion
  };
  std::vector<Owned> intervals;
};

[[noreturn]] void directories_overlap(const CompareSide& side) {
  throw base::Error(side.entries.label() + " is damaged: its directories overlap");
}

// Counts the rows of one side that are compared.
class RowCount {
 public:
  explicit RowCount(const CompareSide& side) : side_(side), most_(side.entries.get().rows()) {}

  // Each row belongs to one directory, unless the file is damaged.
  void add(std::uint64_t begin, std::uint64_t end) {
    rows_ += end - begin;
    if (end > most_ || rows_ > most_) overlap();
  }
  [[noreturn]] void overlap() const { directories_overlap(side_); }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  const CompareSide& side_;
  const std::uint64_t most_;
  std::uint64_t rows_ = 0;
};

struct Portion {
  std::vector<DirectoryPair> pairs;
  SideRows before;
  SideRows after;
};

// The rows of a directory and of its entries that are not directories.
void add_own_rows(DirectoryTable& table, std::uint64_t row, std::uint32_t pair, SideRows& side,
                  RowCount& count) {
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    count.add(begin, end);
    side.intervals.push_back({.rows = {.begin = begin, .end = end}, .pair = pair});
  };
  const RowInterval all = table.entries(row);
  const RowInterval inside = table.subdirectories(row);
  std::uint64_t next = all.begin;
  // The first row is the directory itself, so no subdirectory begins there.
  std::uint64_t least = all.begin + 1;
  for (std::uint64_t at = inside.begin; at < inside.end; ++at) {
    const RowInterval subtree = table.entries(at);
    if (subtree.begin < least || subtree.end > all.end) count.overlap();
    add(next, subtree.begin);
    next = subtree.end;
    least = next;
  }
  add(next, all.end);
}

// The rows of roots that are not directories.
std::vector<RowInterval> other_roots(const CompareSide& side) {
  std::vector<RowInterval> others;
  std::uint64_t next = 0;
  const RowInterval roots = side.directories.roots();
  const auto add = [&](std::uint64_t end) {
    if (next < end) others.push_back({.begin = next, .end = end});
  };
  // Roots are ordered by name, in both files.
  for (std::uint64_t at = roots.begin; at < roots.end; ++at) {
    const RowInterval subtree = side.directories.entries(at);
    add(subtree.begin);
    next = std::max(next, subtree.end);
  }
  add(side.entries.get().rows());
  return others;
}

void add_other_roots(const CompareSide& side, SideRows& rows, RowCount& count) {
  for (const RowInterval& interval : other_roots(side)) {
    count.add(interval.begin, interval.end);
    rows.intervals.push_back({.rows = interval, .pair = 0});
  }
}

// Divides the pairs into portions. The order of their rows in the files is that of the pairs in the
// portions, as far as possible, so that few pages are read twice.
std::vector<Portion> portions_of(const CompareSide& before, const CompareSide& after,
                                 const std::vector<DirectoryPair>& pairs) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const DirectoryPair& pair = pairs[i];
    const bool was = pair.before != kNoRow;
    DirectoryTable& table = was ? before.directories : after.directories;
    order.emplace_back(table.entries(was ? pair.before : pair.after).begin, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<Portion> portions(1);
  portions.front().pairs.push_back({.from = 0, .to = 0});
  RowCount rows_before(before);
  RowCount rows_after(after);
  add_other_roots(before, portions.front().before, rows_before);
  add_other_roots(after, portions.front().after, rows_after);
  std::uint64_t last = 0;  // how many rows there were at the beginning of the portion
  for (const auto& [first, index] : order) {
    const std::uint64_t rows = rows_before.rows() + rows_after.rows();
    if (rows - last >= kPortionRows) {
      portions.emplace_back();
      last = rows;
    }
    const DirectoryPair& pair = pairs[index];
    Portion& portion = portions.back();
    const auto number = static_cast<std::uint32_t>(portion.pairs.size());
    portion.pairs.push_back(pair);
    if (pair.before != kNoRow) {
      add_own_rows(before.directories, pair.before, number, portion.before, rows_before);
    }
    if (pair.after != kNoRow) {
      add_own_rows(after.directories, pair.after, number, portion.after, rows_after);
    }
  }
  return portions;
}

// The facts of one side, and for each pair its rows among them, in the order of the file.
struct ReadSide {
  RowFacts facts;
  std::vector<std::vector<std::uint32_t>> rows;  // by pair

  [[nodiscard]] EntryFacts entry(std::uint32_t row) const {
    EntryFacts entry{.identity = facts.identities[row],
                     .bytes = facts.bytes[row],
                     .kind = facts.kinds[row],
                     .further_link = (facts.flags[row] & fs::kExtraLink) != 0};
    if (!facts.users.empty()) {
      entry.user = facts.users[row];
      entry.group = facts.groups[row];
    }
    return entry;
  }
};

ReadSide read_side(const CompareSide& from, RowReader& reader, SideRows& side, std::size_t pairs) {
  std::sort(side.intervals.begin(), side.intervals.end(),
            [](const SideRows::Owned& a, const SideRows::Owned& b) {
              return a.rows.begin < b.rows.begin;
            });
  std::vector<RowInterval> intervals;
  for (const SideRows::Owned& owned : side.intervals) {
    if (!intervals.empty() && owned.rows.begin < intervals.back().end) directories_overlap(from);
    intervals.push_back(owned.rows);
  }
  ReadSide read{.facts = reader.read(intervals), .rows = {}};
  read.rows.resize(pairs);
  std::uint32_t next = 0;
  for (const SideRows::Owned& owned : side.intervals) {
    auto& rows = read.rows[owned.pair];
    for (std::uint64_t row = owned.rows.begin; row < owned.rows.end; ++row) rows.push_back(next++);
  }
  return read;
}

// Of one thread.
struct Readers {
  Readers(const CompareSide& side_before, const CompareSide& side_after, const DiffOptions& options)
      : before(side_before.entries, options.measure, options.by_owner),
        after(side_after.entries, options.measure, options.by_owner) {}

  RowReader before;
  RowReader after;
};

// Compares the rows of one pair.
class PairComparison {
 public:
  PairComparison(const DirectoryPair& pair, const ReadSide& before, const ReadSide& after,
                 std::size_t index, std::vector<DiffNode>& nodes, RowChanges& changes)
      : pair_(pair),
        before_(before),
        after_(after),
        lost_(before.rows[index]),
        gained_(after.rows[index]),
        nodes_(nodes),
        changes_(changes) {}

  void run() {
    std::size_t lost = 0;
    std::size_t gained = 0;
    // The first row is the directory itself, whatever its name.
    if ((pair_.before != kNoRow && lost_.empty()) || (pair_.after != kNoRow && gained_.empty())) {
      throw base::Error("a directory of a snapshot has no rows: dirs.parquet is damaged");
    }
    if (pair_.before != kNoRow && pair_.after != kNoRow) match(lost_[lost++], gained_[gained++]);
    while (lost < lost_.size() && gained < gained_.size()) {
      const int compared =
          before_.facts.names[lost_[lost]].compare(after_.facts.names[gained_[gained]]);
      if (compared < 0) {
        lose(lost_[lost++]);
      } else if (compared > 0) {
        gain(gained_[gained++]);
      } else {
        match(lost_[lost++], gained_[gained++]);
      }
    }
    while (lost < lost_.size()) lose(lost_[lost++]);
    while (gained < gained_.size()) gain(gained_[gained++]);
  }

 private:
  void match(std::uint32_t before, std::uint32_t after) {
    const EntryFacts was = before_.entry(before);
    const EntryFacts is = after_.entry(after);
    const bool same_kind = was.kind == is.kind;
    const bool same_entry = !was.identity.certain() || !is.identity.certain() ||
                            was.identity == is.identity || was.kind == fs::Kind::directory;
    if (!same_kind || !same_entry) {
      lose(before);
      gain(after);
      if (same_kind && !is_repeated(before_, before) && !is_repeated(after_, after)) {
        changes_.replaced.emplace_back(changes_.gone.size() - 1, changes_.come.size() - 1);
      }
      return;
    }
    if (pair_.moved) {
      charge(nodes_[pair_.from].balance.moved_out, was.bytes);
      charge(nodes_[pair_.to].balance.moved_in, was.bytes);
      carry(before);
    }
    const bool same = was.bytes == is.bytes && was.further_link == is.further_link &&
                      was.user == is.user && was.group == is.group;
    if (same) return;
    changes_.changed.push_back({.from = pair_.from,
                                .to = pair_.to,
                                .name = name_of(after_, after),
                                .before = was,
                                .after = is});
  }

  void lose(std::uint32_t row) {
    if (pair_.moved && pair_.after == kNoRow) return carry(row);
    if (is_repeated(before_, row)) return;
    changes_.gone.push_back(
        {.node = pair_.from, .name = name_of(before_, row), .facts = before_.entry(row)});
  }
  void gain(std::uint32_t row) {
    if (is_repeated(after_, row)) return;
    changes_.come.push_back(
        {.node = pair_.to, .name = name_of(after_, row), .facts = after_.entry(row)});
  }

  // Sums what was moved with the directory.
  void carry(std::uint32_t row) {
    if (pair_.crossing == Crossing::none) return;
    const EntryFacts facts = before_.entry(row);
    const std::string_view name = before_.facts.names[row];
    pair_.crossing == Crossing::out ? changes_.carried.take(facts, name)
                                    : changes_.carried.add(facts, name);
  }

  // Whether the entry comes and goes at another path, where it is counted.
  static bool is_repeated(const ReadSide& side, std::uint32_t row) {
    return (side.facts.flags[row] & fs::kRepeated) != 0;
  }

  static std::string name_of(const ReadSide& side, std::uint32_t row) {
    // The only directory among the rows is the one whose rows they are.
    if (side.facts.kinds[row] == fs::Kind::directory) return {};
    return std::string(side.facts.names[row]);
  }

  const DirectoryPair& pair_;
  const ReadSide& before_;
  const ReadSide& after_;
  const std::vector<std::uint32_t>& lost_;
  const std::vector<std::uint32_t>& gained_;
  std::vector<DiffNode>& nodes_;
  RowChanges& changes_;
};

}  // namespace

void RowChanges::append(RowChanges&& other) {
  const auto move = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  for (auto [lost, gained] : other.replaced) {
    replaced.emplace_back(lost + gone.size(), gained + come.size());
  }
  move(other.gone, gone);
  move(other.come, come);
  move(other.changed, changed);
  carried.append(other.carried);
}

std::uint64_t bytes_of_other_roots(const CompareSide& side, fs::Measure measure,
                                   const std::set<std::string_view>& names) {
  const std::vector<RowInterval> rows = other_roots(side);
  if (rows.empty()) return 0;
  const RowFacts facts = RowReader(side.entries, measure, false).read(rows);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (names.contains(facts.names[i])) charge(bytes, facts.bytes[i]);
  }
  return bytes;
}

RowChanges compare_rows(const CompareSide& before, const CompareSide& after,
                        const std::vector<DirectoryPair>& pairs, std::vector<DiffNode>& nodes,
                        const DiffOptions& options, rt::Executor& executor) {
  std::vector<Portion> portions = portions_of(before, after, pairs);
  std::vector<RowChanges> parts(portions.size());
  std::vector<std::unique_ptr<Readers>> readers(executor.max_threads() + 1);
  // Each node belongs to one pair, so no two tasks change the same one.
  const auto compare_portion = [&](std::size_t i) {
    Portion& portion = portions[i];
    parts[i].carried = GroupSums(options);
    auto& reader = readers[executor.slot()];
    if (reader == nullptr) reader = std::make_unique<Readers>(before, after, options);
    const std::size_t size = portion.pairs.size();
    const ReadSide read_before = read_side(before, reader->before, portion.before, size);
    const ReadSide read_after = read_side(after, reader->after, portion.after, size);
    for (std::size_t pair = 0; pair < portion.pairs.size(); ++pair) {
      PairComparison(portion.pairs[pair], read_before, read_after, pair, nodes, parts[i]).run();
    }
    portion = {};
  };
  rt::parallel_for(executor, std::size_t{0}, portions.size(), compare_portion, options.cancel);
  if (options.cancel.cancelled()) throw base::Error("the comparison was cancelled");
  RowChanges all;
  all.carried = GroupSums(options);
  for (RowChanges& part : parts) all.append(std::move(part));
  return all;
}

}  // namespace fathom::store
