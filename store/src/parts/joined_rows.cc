// JoinedRows: a merge of cursors, of which all stand at the first entry that was not taken yet.

#include "parts/joined_rows.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "fathom/base/error.h"

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

// ---- Places

JoinedRows::JoinedRows(std::span<const std::string> roots, const Survey& survey,
                       const JoinedDevices& devices, const Survey::OpenPart& open)
    : roots_(roots), survey_(survey), devices_(devices), open_(open) {
  const std::vector<std::string>& paths = survey.first_paths();
  for (std::size_t part = 0; part < paths.size(); ++part) {
    if (paths[part].empty()) continue;
    waiting_.push_back({.root = root_of(paths[part]), .path = paths[part], .part = part});
  }
  std::sort(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
    return a.root != b.root ? a.root < b.root : path_precedes(a.path, b.path);
  });
}

// The root that contains the path; no root contains another one.
std::size_t JoinedRows::root_of(const std::string& path) const {
  const auto contains = [&](const std::string& root) {
    if (!path.starts_with(root)) return false;
    return path.size() == root.size() || root.ends_with('/') || path[root.size()] == '/';
  };
  return static_cast<std::size_t>(std::find_if(roots_.begin(), roots_.end(), contains) -
                                  roots_.begin());
}

// Whether the first entry of the part comes before the path, or is there.
bool JoinedRows::precedes(const Waiting& waiting, const std::string& path) const {
  const std::size_t root = root_of(path);
  return waiting.root != root ? waiting.root < root : !path_precedes(path, waiting.path);
}

// Whether the first entry of the part is in the directory where the merge is.
bool JoinedRows::is_here(const Waiting& waiting) const {
  if (path_.empty()) return true;
  return waiting.path.starts_with(path_) &&
         (path_.ends_with('/') || waiting.path[path_.size()] == '/');
}

void JoinedRows::open_next_part() {
  std::unique_ptr<PartCursor> cursor = open_(waiting_.front().part);
  waiting_.pop_front();
  while (cursor->entry() != nullptr && cursor->shared() != nullptr && cursor->shared()->written) {
    cursor->next();
  }
  if (cursor->entry() != nullptr) cursors_.push_back(std::move(cursor));
}

// ---- Merging

// A cursor whose entry comes next in the current directory; null if it has no more.
PartCursor* JoinedRows::choose() {
  for (;;) {
    PartCursor* first = nullptr;
    for (const auto& cursor : cursors_) {
      if (cursor->entry()->depth != above_.size()) continue;
      if (first == nullptr || cursor->entry()->name < first->entry()->name) first = cursor.get();
    }
    if (waiting_.empty()) return first;
    const bool opens =
        first == nullptr ? is_here(waiting_.front()) : precedes(waiting_.front(), first->path());
    if (!opens) return first;
    open_next_part();
  }
}

std::optional<RowGroup> JoinedRows::next(std::size_t most) {
  Group group(most, above_);
  while (!group.is_full() && row_ < survey_.entries()) step(group);
  if (group.empty()) return std::nullopt;
  return group.finish();
}

// Takes the next entry, or leaves a directory that has no more.
void JoinedRows::step(Group& group) {
  if (inside_ != nullptr) {
    if (inside_->entry() != nullptr && inside_->entry()->depth > inside_depth_) {
      return add(*inside_, group);
    }
    above_.resize(inside_depth_);
    path_.resize(above_.empty() ? 0 : above_.back().path);
    inside_ = nullptr;
    std::erase_if(cursors_, [](const auto& cursor) { return cursor->entry() == nullptr; });
  }
  if (PartCursor* const cursor = choose()) return add(*cursor, group);
  if (above_.empty()) throw base::Error("the parts of the scan have changed meanwhile");
  above_.pop_back();
  path_.resize(above_.empty() ? 0 : above_.back().path);
}

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

void JoinedRows::add(PartCursor& cursor, Group& group) {
  const LoadedEntry& entry = *cursor.entry();
  SharedDirectory* const shared = cursor.shared();
  above_.resize(entry.depth);
  const std::string path = cursor.path();
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
  const bool directory = facts.kind() == fs::Kind::directory;
  if (directory) {
    above_.push_back({.row = row_,
                      .name = std::string(entry.name),
                      .entry = facts,
                      .flags = flags,
                      .path = path.size(),
                      .length = std::min(length, kMostPath + 1)});
    path_ = path;
  }
  ++row_;
  if (shared != nullptr) {
    shared->written = true;
    // All cursors at this directory go on together.
    for (const auto& other : cursors_) {
      if (other->shared() == shared) other->next();
    }
  } else {
    if (directory && inside_ == nullptr) {
      inside_ = &cursor;
      inside_depth_ = entry.depth;
    }
    cursor.next();
  }
  if (inside_ == nullptr) {
    std::erase_if(cursors_, [](const auto& each) { return each->entry() == nullptr; });
  }
}

}  // namespace fathom::store
