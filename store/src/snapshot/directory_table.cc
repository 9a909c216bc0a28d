// DirectoryTable: pages by column, decoded on demand.

#include "snapshot/directory_table.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fathom/base/saturating.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/parallel.h"
#include "parquet/damage.h"

namespace fathom::store {

namespace {

// The most bytes of texts of a column that are kept. A page of equal names is short, so a small
// file could have very many.
constexpr std::uint64_t kMostKept = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostRatio = 64;  // for each byte of the file

std::size_t index_of(DirectoryColumn column) {
  return static_cast<std::size_t>(column);
}

const Column& column_of(DirectoryColumn column) {
  return directories_schema().columns[index_of(column)];
}

}  // namespace

DirectoryTable::DirectoryTable(const LazyTable& file)
    : label_(file.label()), reader_(file.get()), columns_(directories_schema().columns.size()) {
  for (std::size_t group = 0; group < reader_.groups(); ++group) {
    first_pages_.push_back(first_rows_.size());
    for (std::size_t row = 0; row < reader_.rows(group); row += directories_schema().page_rows) {
      first_rows_.push_back(reader_.first_row(group) + row);
    }
  }
  for (ColumnPages& column : columns_) column.pages.resize(first_rows_.size());
}

DirectoryTable::~DirectoryTable() = default;
DirectoryTable::DirectoryTable(DirectoryTable&&) noexcept = default;

// ---- Values

std::int64_t DirectoryTable::number(DirectoryColumn column, std::uint64_t row) {
  const Page& page = page_of(column, row);
  return page.numbers[row - page.first_row];
}

std::optional<std::int64_t> DirectoryTable::known_number(DirectoryColumn column,
                                                         std::uint64_t row) {
  const Page& page = page_of(column, row);
  const std::uint64_t at = row - page.first_row;
  if (!page.present.empty() && page.present[at] == 0) return std::nullopt;
  return page.numbers[at];
}

std::string_view DirectoryTable::text(DirectoryColumn column, std::uint64_t row) {
  const Page& page = page_of(column, row);
  return page.texts[row - page.first_row];
}

Hash128 DirectoryTable::hash(DirectoryColumn column, std::uint64_t row) {
  const std::string_view bytes = text(column, row);
  HashBytes hash;
  if (bytes.size() != hash.size()) {
    reading(label_, []() -> void { damaged("a hash does not have 16 bytes"); });
  }
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash_of(hash);
}

std::string_view DirectoryTable::name(std::uint64_t row) {
  const Page& raw = page_of(DirectoryColumn::name_raw, row);
  const std::uint64_t at = row - raw.first_row;
  return raw.present[at] != 0 ? raw.texts[at] : text(DirectoryColumn::name, row);
}

// ---- Places

RowInterval DirectoryTable::roots() {
  if (rows() == 0) return {};
  // The first subdirectory comes after the last root.
  return {.begin = 0, .end = subdirectories(0).begin};
}

RowInterval DirectoryTable::subdirectories(std::uint64_t row) {
  const auto first = static_cast<std::uint64_t>(number(DirectoryColumn::first_subdir, row));
  const auto count = static_cast<std::uint64_t>(number(DirectoryColumn::subdirs, row));
  // Otherwise a damaged file could have the same directories in many others.
  const auto expected =
      row == 0 ? first
               : static_cast<std::uint64_t>(number(DirectoryColumn::first_subdir, row - 1)) +
                     static_cast<std::uint64_t>(number(DirectoryColumn::subdirs, row - 1));
  if (first != expected || first <= row || first > rows() || count > rows() - first) {
    reading(label_, []() -> void { damaged("its directories are not breadth first"); });
  }
  return {.begin = first, .end = first + count};
}

RowInterval DirectoryTable::entries(std::uint64_t row) {
  const auto begin = static_cast<std::uint64_t>(number(DirectoryColumn::id, row));
  const auto end = static_cast<std::uint64_t>(number(DirectoryColumn::subtree_end, row));
  if (end <= begin) {
    reading(label_, []() -> void { damaged("a directory ends before it begins"); });
  }
  return {.begin = begin, .end = end};
}

bool DirectoryTable::is_repeated(std::uint64_t row) {
  return (number(DirectoryColumn::flags, row) & fs::kRepeated) != 0;
}

std::uint64_t DirectoryTable::entry_count(std::uint64_t row) {
  std::uint64_t count = 0;
  for (const DirectoryColumn column : {DirectoryColumn::files, DirectoryColumn::dirs,
                                       DirectoryColumn::symlinks, DirectoryColumn::others}) {
    count = base::saturating_add(count, static_cast<std::uint64_t>(number(column, row)));
  }
  return count;
}

std::optional<std::uint64_t> DirectoryTable::find_in(RowInterval siblings, std::string_view name) {
  while (siblings.begin < siblings.end) {
    const std::uint64_t middle = siblings.begin + siblings.size() / 2;
    const int compared = this->name(middle).compare(name);
    if (compared == 0) return middle;
    if (compared < 0) {
      siblings.begin = middle + 1;
    } else {
      siblings.end = middle;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> DirectoryTable::find(std::string_view path) {
  std::optional<std::uint64_t> found;
  std::size_t longest = 0;
  const RowInterval all = roots();
  for (std::uint64_t root = all.begin; root < all.end; ++root) {
    const std::string_view name = this->name(root);
    if (!path.starts_with(name) || (found && name.size() <= longest)) continue;
    std::string_view rest = path.substr(name.size());
    if (!rest.empty() && !rest.starts_with('/') && !name.ends_with('/')) continue;
    std::optional<std::uint64_t> at = root;
    while (at && !rest.empty()) {
      const std::size_t begin = rest.find_first_not_of('/');
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const std::string_view component = rest.substr(0, rest.find('/'));
      rest.remove_prefix(component.size());
      at = find_in(subdirectories(*at), component);
    }
    if (!at) continue;
    found = at;
    longest = name.size();
  }
  return found;
}

// ---- Pages

std::size_t DirectoryTable::page_index(std::uint64_t row) const {
  const std::size_t group = reader_.group_of(row);
  return first_pages_[group] +
         static_cast<std::size_t>(row - reader_.first_row(group)) / directories_schema().page_rows;
}

const DirectoryTable::Page& DirectoryTable::find_page(DirectoryColumn column, std::uint64_t row) {
  const std::size_t page = page_index(row);
  ColumnPages& of_column = columns_[index_of(column)];
  if (of_column.pages[page] == nullptr) decode(column, page);
  of_column.last = of_column.pages[page].get();
  return *of_column.last;
}

void DirectoryTable::decode(DirectoryColumn column, std::size_t page) {
  ColumnPages& of_column = columns_[index_of(column)];
  if (of_column.decoder == nullptr) of_column.decoder = std::make_unique<ChunkDecoder>(reader_);
  const std::uint64_t first = first_rows_[page];
  const std::size_t group = reader_.group_of(first);
  const std::uint64_t in_group = first - reader_.first_row(group);
  auto decoded = std::make_unique<Page>();
  decoded->first_row = first;
  decoded->rows =
      std::min<std::uint64_t>(directories_schema().page_rows, reader_.rows(group) - in_group);
  Values values;
  reading(label_, [&] {
    of_column.decoder->read(group, index_of(column), static_cast<std::size_t>(in_group),
                            static_cast<std::size_t>(decoded->rows), values);
  });
  spread(column_of(column), values, *decoded);
  of_column.bytes += decoded->bytes.size();
  if (of_column.bytes > kMostKept + kMostRatio * reader_.size()) {
    reading(label_, []() -> void { damaged("its texts are too long"); });
  }
  of_column.pages[page] = std::move(decoded);
}

// Gives each row a value: where one is missing, 0 or an empty text.
void DirectoryTable::spread(const Column& column, Values& values, Page& page) {
  // Texts of a dictionary are copied once, by where they are.
  const bool dictionary = column.encoding == Encoding::dictionary;
  std::unordered_map<const char*, std::string_view> copies;
  if (is_text(column.type)) {
    std::size_t bytes = 0;
    for (const std::string_view text : values.texts) {
      if (!dictionary || copies.emplace(text.data(), std::string_view()).second) {
        bytes += text.size();
      }
    }
    page.bytes.reserve(bytes);  // so that the texts stay where they are
    page.texts.reserve(page.rows);
  } else if (!column.optional) {
    page.numbers = std::move(values.numbers);
    return;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < page.rows; ++i) {
    const bool present = !column.optional || values.present[i] != 0;
    if (is_text(column.type)) {
      const std::string_view text = present ? values.texts[next++] : std::string_view();
      std::string_view copy;
      if (dictionary && !text.empty()) copy = copies[text.data()];
      if (copy.empty() && !text.empty()) {
        const std::size_t begin = page.bytes.size();
        page.bytes += text;
        copy = std::string_view(page.bytes).substr(begin);
        if (dictionary) copies[text.data()] = copy;
      }
      page.texts.push_back(copy);
    } else {
      page.numbers.push_back(present ? values.numbers[next++] : 0);
    }
  }
  page.present = std::move(values.present);
}

void DirectoryTable::prefetch(std::span<const DirectoryColumn> columns,
                              std::span<const RowInterval> rows, rt::Executor& executor) {
  std::vector<std::size_t> pages;
  for (const RowInterval& interval : rows) {
    if (interval.begin >= interval.end) continue;
    for (std::size_t page = page_index(interval.begin); page <= page_index(interval.end - 1);
         ++page) {
      pages.push_back(page);
    }
  }
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  // A column is decoded by one thread, which keeps its dictionary.
  rt::parallel_for(executor, std::size_t{0}, columns.size(), [&](std::size_t i) {
    for (const std::size_t page : pages) {
      if (columns_[index_of(columns[i])].pages[page] == nullptr) decode(columns[i], page);
    }
  });
}

}  // namespace fathom::store
