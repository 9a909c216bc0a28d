// ages: totals by time since modification, for everyone and for each user.

#include "report/ages.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "report/columns.h"
#include "report/per_id.h"
#include "report/tally.h"

namespace fathom::fs {

namespace {

constexpr std::int64_t kDay = 24 * 60 * 60;
constexpr std::int64_t kFirstSecond = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLastSecond = std::numeric_limits<std::int64_t>::max();

// Modified up to that many seconds ago, and longer ago than the previous age. Months have 30 days
// and years 365: an age is a length of time, independent of the calendar.
struct Age {
  std::string_view label;
  std::string_view range;  // as text shows it: the label names only its end
  std::int64_t seconds;
};
constexpr std::array<Age, 11> kAges = {{
    {"future", "future", -1},
    {"1 day", "up to 1 day", kDay},
    {"1 week", "1 to 7 days", 7 * kDay},
    {"1 month", "7 to 30 days", 30 * kDay},
    {"3 months", "1 to 3 months", 90 * kDay},
    {"6 months", "3 to 6 months", 180 * kDay},
    {"1 year", "6 to 12 months", 365 * kDay},
    {"2 years", "1 to 2 years", 2 * 365 * kDay},
    {"5 years", "2 to 5 years", 5 * 365 * kDay},
    {"older", "over 5 years", kLastSecond},
    {"unknown", "unknown", kLastSecond},  // an import may lack the time
}};
constexpr std::size_t kOlder = kAges.size() - 2;
constexpr std::size_t kUnknownAge = kAges.size() - 1;

// The modification times that belong to each age.
class Bounds {
 public:
  explicit Bounds(std::int64_t now) {
    for (std::size_t age = 0; age < kOlder; ++age) {
      const std::int64_t seconds = kAges[age].seconds;
      if (__builtin_sub_overflow(now, seconds, &first_[age])) {
        first_[age] = seconds < 0 ? kLastSecond : kFirstSecond;
      }
    }
    first_[kOlder] = kFirstSecond;
  }

  [[nodiscard]] std::size_t age_of(std::int64_t mtime) const {
    if (mtime == kUnknownTime) return kUnknownAge;
    std::size_t age = 0;
    while (mtime < first_[age]) ++age;
    return age;
  }

  // The first and the last second; nothing if there is no limit. Only for an age that has entries:
  // another may not contain any second.
  [[nodiscard]] Cell from(std::size_t age) const {
    return age >= kOlder ? Cell() : Cell(first_[age]);
  }
  [[nodiscard]] Cell until(std::size_t age) const {
    return age == 0 || age == kUnknownAge ? Cell() : Cell(first_[age - 1] - 1);
  }

 private:
  std::array<std::int64_t, kOlder + 1> first_{};  // second of each known age
};

struct OwnerAges {
  std::optional<std::uint32_t> uid;  // nothing: everyone
  std::optional<std::string> name;
  Tally all;
  std::array<Tally, kAges.size()> ages;
};

using AgeTallies = std::array<Tally, kAges.size()>;

void add(const AgeTallies& ages, OwnerAges& owner) {
  for (std::size_t age = 0; age < kAges.size(); ++age) {
    owner.ages[age].add(ages[age]);
    owner.all.add(ages[age]);
  }
}

// Everyone, then each user, the largest first. Entries without a known owner count for everyone
// only.
std::vector<OwnerAges> owners_of(const ReportInput& input, const Bounds& bounds,
                                 const OwnerNames& names) {
  const Tree& tree = input.tree();
  const Measure measure = input.measure();
  PerId<AgeTallies> users;
  input.part().for_each_node([&](NodeId node) {
    if ((tree.flags(node) & kUncounted) != 0) return;
    users.of(tree.uid(node))[bounds.age_of(tree.mtime(node))].add(tree, node);
  });
  std::vector<OwnerAges> owners(1);
  for (const auto& [uid, ages] : users.items()) {
    add(ages, owners.front());
    if (uid == kUnknownOwner) continue;
    add(ages, owners.emplace_back(OwnerAges{uid, names.user(uid), {}, {}}));
  }
  std::sort(owners.begin() + 1, owners.end(), [measure](const OwnerAges& a, const OwnerAges& b) {
    const std::uint64_t bytes_a = bytes_of(a.all, measure);
    const std::uint64_t bytes_b = bytes_of(b.all, measure);
    return bytes_a != bytes_b ? bytes_a > bytes_b : a.uid < b.uid;
  });
  return owners;
}

struct AgeRow {
  std::size_t owner;
  std::size_t age;
};

// The rows that have entries.
std::vector<AgeRow> rows_of(const std::vector<OwnerAges>& owners) {
  std::vector<AgeRow> rows;
  for (std::size_t owner = 0; owner < owners.size(); ++owner) {
    for (std::size_t age = 0; age < kAges.size(); ++age) {
      if (owners[owner].ages[age].entries > 0) rows.push_back({owner, age});
    }
  }
  return rows;
}

void add_owner(std::vector<Cell>& cells, const OwnerAges& owner) {
  if (owner.uid) {
    cells.emplace_back(std::int64_t{*owner.uid});
  } else {
    cells.emplace_back();
  }
  if (owner.name) {
    cells.emplace_back(*owner.name);
  } else {
    cells.emplace_back();
  }
}

// The places of the first columns.
enum : std::size_t { kUid, kUser, kAge };

Cell shown_user(const std::vector<Cell>& row) {
  const auto* uid = std::get_if<std::int64_t>(&row[kUid]);
  if (uid == nullptr) return std::string("everyone");
  const bool named = std::holds_alternative<std::string>(row[kUser]);
  return named ? row[kUser] : Cell(std::to_string(*uid));
}

Cell shown_age(const std::vector<Cell>& row) {
  const auto* label = std::get_if<std::string>(&row[kAge]);
  const auto is_it = [label](const Age& age) { return label != nullptr && age.label == *label; };
  const auto* const age = std::find_if(kAges.begin(), kAges.end(), is_it);
  return age == kAges.end() ? row[kAge] : Cell(std::string(age->range));
}

std::vector<Column> columns_of(Measure measure) {
  return {
      {"uid", "Uid", CellType::number, 6},
      {"user", "User", CellType::path, 0, shown_user},
      {"age", "Age", CellType::text, 0, shown_age},
      {"from", "From", CellType::time, 5, nullptr, true},
      {"until", "Until", CellType::time, 5},
      {"files", "Files", CellType::count, 1},
      {"entries", "Entries", CellType::count, 4},
      disk_bytes_column(measure),
      apparent_bytes_column(measure),
      {"share", "Share", CellType::share, 2},
  };
}

}  // namespace

Table ages(const ReportInput& input, const OwnerNames& names) {
  const Measure measure = input.measure();
  const Bounds bounds(input.now());
  std::vector<OwnerAges> found = owners_of(input, bounds, names);
  std::vector<AgeRow> places = rows_of(found);
  const std::size_t rows = places.size();
  const std::uint64_t whole = bytes_of(input.sums(), measure);
  auto read = [bounds, found = std::move(found), places = std::move(places), measure, whole](
                  std::size_t row, std::vector<Cell>& cells) {
    const auto [owner, age] = places[row];
    const Tally& tally = found[owner].ages[age];
    add_owner(cells, found[owner]);
    add_cells(cells, std::string(kAges[age].label), bounds.from(age), bounds.until(age),
              tally.files, tally.entries, tally.disk_bytes, tally.apparent_bytes,
              share_of(bytes_of(tally, measure), whole));
  };
  return {report_info(ReportKind::ages).head, columns_of(measure), rows, std::move(read)};
}

Table ages(const ReportInput& input) {
  return ages(input, input.scan().owner_names());
}

}  // namespace fathom::fs
