// JoinedRows: a heap of parts, each at its first entry that was not taken yet.

#include "parts/joined_rows.h"

#include <algorithm>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/path.h"

namespace fathom::store {

namespace {

// As paths below the same root are ordered in a snapshot: by the names along them.
bool path_precedes(std::string_view a, std::string_view b) {
  const std::size_t common = std::min(a.size(), b.size());
  const auto [at_a, at_b] =
      std::mismatch(a.begin(), a.begin() + static_cast<long>(common), b.begin());
  if (at_a == a.begin() + static_cast<long>(common)) return a.size() < b.size();
  const auto rank = [](char c) { return c == '/' ? -1 : int{static_cast<unsigned char>(c)}; };
  return rank(*at_a) < rank(*at_b);
}

// The survey has seen something else.
[[noreturn]] void changed() {
  throw base::Error("the parts of the scan have changed while they were joined");
}

}  // namespace

// ---- A group of rows

class JoinedRows::Group {
 public:
  // Begins with the directories above the first row.
  Group(std::size_t most, const std::vector<Above>& above) : most_(most) {
    appender_.emplace(builder_);
    for (const Above& directory : above) {
      const auto added =
          appender_->add_directory(parent(), static_cast<std::uint32_t>(above_.size()),
                                   directory.name, directory.entry, directory.flags);
      above_.push_back(added.id);
    }
  }

  [[nodiscard]] bool is_full() const { return rows_.size() == most_ || paths_ >= kMostPaths; }
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // `row` lacks what the tree decides: name, node and directory. `path_length` is that of a
  // directory's path.
  void add(Row row, std::string_view name, const fs::Entry& entry, std::uint8_t flags,
           std::uint64_t number, std::size_t path_length) {
    above_.resize(row.depth);
    if (entry.kind() == fs::Kind::directory) {
      const auto added = appender_->add_directory(parent(), row.depth, name, entry, flags);
      row.node = added.node;
      row.directory = added.id;
      above_.push_back(added.id);
      if (row.end != number + 1 && path_length <= kMostPath) paths_ += path_length;
    } else {
      row.node = appender_->add(parent(), name, entry);
      row.directory = fs::kNoDir;
      if (flags != 0) marked_.push_back({.node = row.node, .flags = flags});
    }
    rows_.push_back(row);
  }

  RowGroup finish() {
    appender_.reset();
    RowGroup group{.tree = builder_.finish_as_marked(marked_), .rows = std::move(rows_)};
    for (Row& row : group.rows) row.name = group.tree.name(row.node);
    return group;
  }

 private:
  [[nodiscard]] fs::DirId parent() const { return above_.empty() ? fs::kNoDir : above_.back(); }

  const std::size_t most_;
  std::size_t paths_ = 0;  // the bytes of the paths of directories
  fs::TreeBuilder builder_{true};
  std::optional<fs::TreeBuilder::Appender> appender_;
  std::vector<fs::DirId> above_;  // the directories above the next row, by depth
  std::vector<fs::TreeBuilder::Marked> marked_;
  std::vector<Row> rows_;
};

// ---- Parts

bool JoinedRows::After::operator()(const Head& a, const Head& b) const {
  return a.root != b.root ? a.root > b.root : path_precedes(b.path, a.path);
}

JoinedRows::JoinedRows(std::span<const std::string> roots, const Survey& survey,
                       const JoinedDevices& devices, const Survey::OpenPart& open,
                       std::size_t most_open)
    : roots_(roots),
      survey_(survey),
      devices_(devices),
      open_(open),
      most_open_(most_open),
      cursors_(survey.first_paths().size()),
      used_(cursors_.size()) {
  for (std::size_t part = 0; part < cursors_.size(); ++part) {
    const std::string& path = survey.first_paths()[part];
    if (!path.empty()) heads_.push_back({.root = root_of(path), .path = path, .part = part});
  }
  std::make_heap(heads_.begin(), heads_.end(), After());
}

// The root that contains the path; no root contains another one.
std::size_t JoinedRows::root_of(const std::string& path) const {
  const auto contains = [&](const std::string& root) { return base::is_at_or_below(path, root); };
  return static_cast<std::size_t>(std::find_if(roots_.begin(), roots_.end(), contains) -
                                  roots_.begin());
}

// At the first entry that is not in the joined snapshot yet.
PartCursor& JoinedRows::cursor_of(std::size_t part) {
  std::unique_ptr<PartCursor>& cursor = cursors_[part];
  if (cursor == nullptr) {
    use(part);
    cursor = open_(part);
    while (cursor->shared() != nullptr && cursor->shared()->written) cursor->next();
    if (cursor->entry() == nullptr) changed();
  }
  return *cursor;
}

// Before a cursor is opened or moved: closes the one that was not used for the longest time, if too
// many are open.
void JoinedRows::use(std::size_t part) {
  used_[part] = ++uses_;
  if (cursors_[part] != nullptr && cursors_[part]->is_open()) return;
  std::size_t open = 0;
  std::size_t oldest = part;
  for (std::size_t other = 0; other < cursors_.size(); ++other) {
    if (cursors_[other] == nullptr || !cursors_[other]->is_open()) continue;
    ++open;
    if (used_[other] < used_[oldest]) oldest = other;
  }
  if (open >= most_open_) cursors_[oldest]->close();
}

std::size_t JoinedRows::pop() {
  std::pop_heap(heads_.begin(), heads_.end(), After());
  const std::size_t part = heads_.back().part;
  heads_.pop_back();
  return part;
}

// The part goes on at the next entry of its cursor, if it has one.
void JoinedRows::push(std::size_t part) {
  PartCursor& cursor = *cursors_[part];
  if (cursor.entry() == nullptr) return cursors_[part].reset();
  std::string path = cursor.path();
  const std::size_t root = root_of(path);
  heads_.push_back({.root = root, .path = std::move(path), .part = part});
  std::push_heap(heads_.begin(), heads_.end(), After());
}

// ---- Merging

std::optional<RowGroup> JoinedRows::next(std::size_t most) {
  Group group(most, above_);
  while (!group.is_full() && row_ < survey_.entries()) step(group);
  if (!group.empty()) return group.finish();
  if (inside_) push(*std::exchange(inside_, std::nullopt));
  if (!heads_.empty()) changed();
  return std::nullopt;
}

// Takes the next entry.
void JoinedRows::step(Group& group) {
  if (inside_) {
    PartCursor& cursor = *cursors_[*inside_];
    if (cursor.entry() != nullptr && cursor.entry()->depth > inside_depth_) {
      add(cursor, group);
      return cursor.next();
    }
    push(*std::exchange(inside_, std::nullopt));
  }
  if (heads_.empty()) changed();
  if (last_ && !After()(heads_.front(), *last_)) {
    throw base::Error("two parts of the scan have " + heads_.front().path);
  }
  last_ = heads_.front();
  const std::string path = last_->path;
  leave_directories(path);
  const std::size_t part = pop();
  PartCursor& cursor = cursor_of(part);
  if (cursor.path() != path) changed();
  SharedDirectory* const shared = cursor.shared();
  add(cursor, group);
  use(part);
  if (shared == nullptr && cursor.entry()->entry.kind() == fs::Kind::directory) {
    inside_ = part;
    inside_depth_ = cursor.entry()->depth;
    return cursor.next();
  }
  cursor.next();
  push(part);
  if (shared == nullptr) return;
  // All parts that have the directory go on in it together.
  while (!heads_.empty() && heads_.front().path == path) {
    const std::size_t other = pop();
    PartCursor& same = cursor_of(other);
    if (same.shared() != shared) throw base::Error("two parts of the scan have " + path);
    use(other);
    same.next();
    push(other);
  }
  shared->written = true;
}

// Goes up to the directory that contains the path.
void JoinedRows::leave_directories(const std::string& path) {
  if (!above_.empty()) path_.resize(above_.back().path);
  while (!above_.empty() && !base::is_below(path, path_)) {
    above_.pop_back();
    path_.resize(above_.empty() ? 0 : above_.back().path);
  }
}

// `path` is that of the entry, and empty if neither links nor copies depend on it.
std::uint8_t JoinedRows::flags_of(const PartCursor& cursor, const std::string& path) const {
  const LoadedEntry& entry = *cursor.entry();
  std::uint8_t flags = cursor.shared() != nullptr ? cursor.shared()->flags : entry.flags;
  if (entry.entry.kind() == fs::Kind::directory || entry.depth == 0) {
    if (survey_.is_repeated(path)) flags |= fs::kRepeated;
  } else if ((above_.back().flags & fs::kRepeated) != 0) {
    flags |= fs::kRepeated;
  }
  if ((flags & fs::kRepeated) == 0 && survey_.is_extra_link(entry, path)) flags |= fs::kExtraLink;
  return flags;
}

void JoinedRows::add(const PartCursor& cursor, Group& group) {
  const LoadedEntry& entry = *cursor.entry();
  // Most entries need no path.
  const bool plain = entry.entry.kind() != fs::Kind::directory && entry.entry.links < 2;
  const std::string path = plain && entry.depth != 0 ? std::string() : cursor.path();
  const SharedDirectory* const shared = cursor.shared();
  if (above_.size() < entry.depth) changed();
  above_.resize(entry.depth);
  fs::Entry facts = shared != nullptr ? shared->entry : entry.entry;
  facts.device = devices_.number_of(facts.device);
  const std::uint8_t flags = flags_of(cursor, path);
  const std::uint64_t below = shared != nullptr ? shared->below : entry.below;
  const std::size_t length = entry.name.size() + (above_.empty() ? 0 : above_.back().length + 1);
  group.add({.name = {},
             .node = fs::kNoNode,
             .directory = fs::kNoDir,
             .parent = above_.empty() ? kNoRow : above_.back().row,
             .end = row_ + 1 + below,
             .depth = entry.depth},
            entry.name, facts, flags, row_, length);
  if (facts.kind() == fs::Kind::directory) {
    above_.push_back({.row = row_,
                      .name = std::string(entry.name),
                      .entry = facts,
                      .flags = flags,
                      .path = path.size(),
                      .length = std::min(length, kMostPath + 1)});
    path_ = path;
  }
  ++row_;
}

}  // namespace fathom::store
