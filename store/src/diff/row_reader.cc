// RowReader: decodes pages column by column, and picks rows from them.

#include "diff/row_reader.h"

#define XXH_INLINE_ALL
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <string>

#include "parquet/damage.h"

namespace fathom::store {

// Rows of one group: those to be decoded, and those that are wanted.
struct RowReader::Part {
  std::size_t group = 0;
  RowInterval pages;                // in the group
  std::vector<RowInterval> wanted;  // in the pages
};

namespace {

// Calls take(value index) for each wanted row, and none() for those without a value.
template <class Take, class None>
void pick(const Values& values, std::span<const RowInterval> wanted, const Take& take,
          const None& none) {
  const bool optional = !values.present.empty();
  std::size_t row = 0;
  std::size_t value = 0;
  for (const RowInterval& rows : wanted) {
    const auto at = [&values](std::size_t index) {
      return values.present.begin() + static_cast<std::ptrdiff_t>(index);
    };
    value += optional ? static_cast<std::size_t>(std::count(at(row), at(rows.begin), 1))
                      : rows.begin - row;
    for (row = rows.begin; row < rows.end; ++row) {
      if (!optional || values.present[row] != 0) {
        take(value++);
      } else {
        none();
      }
    }
  }
}

fs::Kind kind_of(std::int64_t mode) {
  fs::Entry entry;
  entry.mode = static_cast<std::uint16_t>(mode);
  return entry.kind();
}

}  // namespace

std::uint64_t hash_of_filesystem(std::string_view fs_uuid) {
  return fs_uuid.empty() ? 0 : XXH3_64bits(fs_uuid.data(), fs_uuid.size()) | 1;
}

RowReader::RowReader(const LazyTable& file, fs::Measure measure, bool owners)
    : file_(file), measure_(measure), owners_(owners), decoders_(entries_schema().columns.size()) {}

RowReader::~RowReader() = default;

RowFacts RowReader::read(std::span<const RowInterval> rows) {
  const ParquetReader& reader = file_.get();
  const std::size_t page_rows = entries_schema().page_rows;
  RowFacts facts;
  std::uint64_t wanted = 0;
  for (const RowInterval& interval : rows) wanted += interval.size();
  facts.reserve(wanted);
  Part part;
  const auto flush = [&] {
    if (!part.wanted.empty()) read_part(part, facts);
    part.wanted.clear();
  };
  for (RowInterval left : rows) {
    while (left.begin < left.end) {
      const std::size_t group = reader.group_of(left.begin);
      const std::uint64_t first = reader.first_row(group);
      const std::uint64_t limit = reader.rows(group);
      const RowInterval in_group = {.begin = left.begin - first,
                                    .end = std::min(left.end - first, limit)};
      const RowInterval pages = {
          .begin = in_group.begin / page_rows * page_rows,
          .end = std::min((in_group.end + page_rows - 1) / page_rows * page_rows, limit)};
      // A page between two parts is not decoded.
      if (group != part.group || part.wanted.empty() || pages.begin > part.pages.end) {
        flush();
        part.group = group;
        part.pages = pages;
      }
      part.pages.end = std::max(part.pages.end, pages.end);
      part.wanted.push_back(
          {.begin = in_group.begin - part.pages.begin, .end = in_group.end - part.pages.begin});
      left.begin = first + in_group.end;
    }
  }
  flush();
  return facts;
}

void RowReader::read_part(const Part& part, RowFacts& facts) {
  const std::size_t first = facts.size();
  std::size_t rows = 0;
  for (const RowInterval& wanted : part.wanted) rows += wanted.size();
  facts.bytes.resize(first + rows);
  facts.identities.resize(first + rows);
  facts.kinds.resize(first + rows);
  facts.flags.resize(first + rows);
  std::size_t at = first;
  const auto each = [&](EntryColumn column, const auto& take) {
    const Values& values = values_of(column, part);
    at = first;
    pick(
        values, part.wanted, [&](std::size_t value) { take(values, value), ++at; }, [&] { ++at; });
  };
  each(EntryColumn::flags, [&](const Values& values, std::size_t value) {
    facts.flags[at] = static_cast<std::uint8_t>(values.numbers[value]);
  });
  each(EntryColumn::mode, [&](const Values& values, std::size_t value) {
    facts.kinds[at] = kind_of(values.numbers[value]);
  });
  const bool disk = measure_ == fs::Measure::disk;
  each(disk ? EntryColumn::charged_blocks : EntryColumn::size,
       [&](const Values& values, std::size_t value) {
         const std::int64_t number = values.numbers[value];
         if (number < 0) reading(file_.label(), []() -> void { damaged("a size is negative"); });
         const bool charged = disk || (facts.flags[at] & (fs::kExtraLink | fs::kUncounted)) == 0;
         facts.bytes[at] =
             charged ? static_cast<std::uint64_t>(number) * (disk ? fs::kBlockBytes : 1) : 0;
       });
  each(EntryColumn::ino, [&](const Values& values, std::size_t value) {
    facts.identities[at].inode = static_cast<std::uint64_t>(values.numbers[value]);
  });
  each(EntryColumn::btime_ns, [&](const Values& values, std::size_t value) {
    facts.identities[at].btime = values.numbers[value];
  });
  std::string_view last;
  std::uint64_t hash = 0;
  each(EntryColumn::fs_uuid, [&](const Values& values, std::size_t value) {
    const std::string_view text = values.texts[value];
    if (text.data() != last.data()) hash = hash_of_filesystem(text);
    last = text;
    facts.identities[at].filesystem = hash;
  });
  if (owners_) {
    facts.users.resize(first + rows, fs::kUnknownOwner);
    facts.groups.resize(first + rows, fs::kUnknownOwner);
    each(EntryColumn::uid, [&](const Values& values, std::size_t value) {
      facts.users[at] = static_cast<std::uint32_t>(values.numbers[value]);
    });
    each(EntryColumn::gid, [&](const Values& values, std::size_t value) {
      facts.groups[at] = static_cast<std::uint32_t>(values.numbers[value]);
    });
  }
  // Names that are not UTF-8 replace their texts.
  std::vector<std::string> raw(0);
  std::vector<std::size_t> raw_at;
  each(EntryColumn::name_raw, [&](const Values& values, std::size_t value) {
    raw.emplace_back(values.texts[value]);
    raw_at.push_back(at);
  });
  std::size_t next_raw = 0;
  each(EntryColumn::name, [&](const Values& values, std::size_t value) {
    const bool is_raw = next_raw < raw_at.size() && raw_at[next_raw] == at;
    facts.names.bytes += is_raw ? std::string_view(raw[next_raw++]) : values.texts[value];
    facts.names.ends.push_back(facts.names.bytes.size());
  });
}

const Values& RowReader::values_of(EntryColumn column, const Part& part) {
  auto& decoder = decoders_[static_cast<std::size_t>(column)];
  if (decoder == nullptr) decoder = std::make_unique<ChunkDecoder>(file_.get());
  reading(file_.label(), [&] {
    decoder->read(part.group, static_cast<std::size_t>(column),
                  static_cast<std::size_t>(part.pages.begin),
                  static_cast<std::size_t>(part.pages.size()), values_);
  });
  return values_;
}

}  // namespace fathom::store
