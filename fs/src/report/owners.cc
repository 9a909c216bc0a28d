// owners: totals per user and per group.

#include "report/owners.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "report/columns.h"
#include "report/per_id.h"
#include "report/tally.h"

namespace fathom::fs {

namespace {

struct Owner {
  const char* kind;
  std::uint32_t id;
  std::optional<std::string> name;
  Tally tally;
};

// Appends the owners of one kind, the largest first.
void append(const PerId<Tally>& tallies, const char* kind, const OwnerNames::NameOf& name_of,
            Measure measure, std::vector<Owner>& owners) {
  const auto first = static_cast<std::ptrdiff_t>(owners.size());
  for (const auto& [id, tally] : tallies.items()) {
    const auto name = id == kUnknownOwner ? std::nullopt : name_of(id);
    owners.push_back({kind, id, name, tally});
  }
  std::sort(owners.begin() + first, owners.end(), [measure](const Owner& a, const Owner& b) {
    const std::uint64_t bytes_a = bytes_of(a.tally, measure);
    const std::uint64_t bytes_b = bytes_of(b.tally, measure);
    return bytes_a != bytes_b ? bytes_a > bytes_b : a.id < b.id;
  });
}

std::vector<Owner> owners_of(const ReportInput& input, const OwnerNames& names) {
  const Tree& tree = input.tree();
  PerId<Tally> users;
  PerId<Tally> groups;
  input.part().for_each_node([&](NodeId node) {
    if ((tree.flags(node) & kUncounted) != 0) return;
    users.of(tree.uid(node)).add(tree, node);
    groups.of(tree.gid(node)).add(tree, node);
  });
  std::vector<Owner> owners;
  append(users, "user", names.user, input.measure(), owners);
  append(groups, "group", names.group, input.measure(), owners);
  return owners;
}

}  // namespace

Table owners(const ReportInput& input, const OwnerNames& names) {
  const Measure measure = input.measure();
  std::vector<Owner> found = owners_of(input, names);
  std::vector<Column> columns = {
      {"kind", "Kind", CellType::text},
      {"id", "Id", CellType::number, 2},
      {"name", "Name", CellType::path},
      {"files", "Files", CellType::count, 4},
      {"entries", "Entries", CellType::count, 1},
      disk_bytes_column(measure),
      apparent_bytes_column(measure),
      {"share", "Share", CellType::share, 2},
  };
  const std::size_t rows = found.size();
  const std::uint64_t whole = bytes_of(input.sums(), measure);
  auto read = [found = std::move(found), measure, whole](std::size_t row,
                                                         std::vector<Cell>& cells) {
    const Owner& owner = found[row];
    add_cells(cells, std::string(owner.kind), owner_cell(owner.id));
    if (owner.name) {
      cells.emplace_back(*owner.name);
    } else {
      cells.emplace_back();
    }
    add_cells(cells, owner.tally.files, owner.tally.entries, owner.tally.disk_bytes,
              owner.tally.apparent_bytes, share_of(bytes_of(owner.tally, measure), whole));
  };
  return {report_info(ReportKind::owners).head, std::move(columns), rows, std::move(read)};
}

Table owners(const ReportInput& input) {
  return owners(input, input.scan().owner_names());
}

}  // namespace fathom::fs
