// RowReader: decodes pages column by column, and picks rows from them.

#include "diff/row_reader.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string>

#include "fathom/base/saturating.h"
#include "parquet/damage.h"

namespace fathom::store {

std::uint64_t hash_of_filesystem(std::string_view fs_uuid) {
  return fs_uuid.empty() ? 0 : XXH3_64bits(fs_uuid.data(), fs_uuid.size()) | 1;
}

RowReader::RowReader(const LazyTable& file, fs::Measure measure, bool owners)
    : label_(file.label()), rows_(file), measure_(measure), owners_(owners) {}

RowFacts RowReader::read(std::span<const RowInterval> rows) {
  RowFacts facts;
  std::uint64_t wanted = 0;
  for (const RowInterval& interval : rows) wanted += interval.size();
  facts.reserve(wanted);
  for (const EntryRows::Part& part : rows_.parts(rows)) read_part(part, facts);
  return facts;
}

void RowReader::read_part(const EntryRows::Part& part, RowFacts& facts) {
  const std::size_t first = facts.size();
  const std::size_t rows = part.rows();
  facts.bytes.resize(first + rows);
  facts.identities.resize(first + rows);
  facts.kinds.resize(first + rows);
  facts.flags.resize(first + rows);
  std::size_t at = first;
  const auto each = [&](EntryColumn column, const auto& take) {
    at = first;
    rows_.each(
        column, part, [&](const Values& values, std::size_t value) { take(values, value), ++at; },
        [&] { ++at; });
  };
  each(EntryColumn::flags, [&](const Values& values, std::size_t value) {
    facts.flags[at] = static_cast<std::uint8_t>(values.numbers[value]);
  });
  each(EntryColumn::mode, [&](const Values& values, std::size_t value) {
    facts.kinds[at] = fs::kind_of(static_cast<std::uint16_t>(values.numbers[value]));
  });
  const bool disk = measure_ == fs::Measure::disk;
  each(disk ? EntryColumn::charged_blocks : EntryColumn::size,
       [&](const Values& values, std::size_t value) {
         const std::int64_t number = values.numbers[value];
         if (number < 0) reading(label_, []() -> void { damaged("a size is negative"); });
         const bool charged = disk || (facts.flags[at] & (fs::kExtraLink | fs::kUncounted)) == 0;
         facts.bytes[at] = charged ? base::saturating_mul(static_cast<std::uint64_t>(number),
                                                          disk ? fs::kBlockBytes : 1)
                                   : 0;
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

}  // namespace fathom::store
