// Evidence: one function for each check.

#include "rules/evidence.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "fathom/base/local_time.h"
#include "fathom/fs/ignore.h"
#include "os/entry_facts.h"
#include "os/listing.h"
#include "os/processes.h"
#include "os/small_file.h"
#include "os/usage.h"

namespace fathom::act {

namespace {

constexpr std::string_view kUp = "../";
constexpr std::size_t kLongestEvidence = std::size_t{4} << 20;

std::string last_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool matches_one(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(),
                     [name](const std::string& glob) { return fs::Glob(glob).matches(name); });
}

// "CMAKE_HOME_DIRECTORY:INTERNAL=/src/x" with the key that ends at '='.
std::optional<std::string> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.starts_with(key)) return std::string(text.substr(key.size(), end - key.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

constexpr std::string_view kLogSuffix = ".log";

// Whether this can be a log that a program writes: by its name, or by its directory.
bool is_log(std::string_view name, std::string_view path) {
  return name.ends_with(kLogSuffix) || path.find("/log/") != std::string_view::npos ||
         path.find("/logs/") != std::string_view::npos;
}

}  // namespace

// ---- Where the evidence is

std::optional<std::string> Evidence::below_root(std::string_view relative) const {
  std::string folder = subject_.below_root;
  while (relative.starts_with(kUp)) {
    if (folder.empty()) return std::nullopt;  // outside of what was scanned
    relative.remove_prefix(kUp.size());
    const std::size_t slash = folder.rfind('/');
    folder.resize(slash == std::string::npos ? 0 : slash);
  }
  if (!folder.empty() && !relative.empty()) folder += '/';
  return folder += relative;
}

bool Evidence::locate(std::string_view relative, Location& location) const {
  const auto path = below_root(relative);
  return path && subject_.root.folder &&
         find_location(subject_.root.folder.get(), *path, location) == 0;
}

bool Evidence::locate_itself(Location& location) const {
  return subject_.root.folder &&
         find_location(subject_.root.folder.get(), subject_.below_root, location) == 0;
}

bool Evidence::is(std::string_view relative, fs::Kind kind) const {
  Location location;
  EntryFacts facts;
  return locate(relative, location) && facts_at(location, facts) == 0 && facts.kind == kind;
}

std::optional<std::string> Evidence::text_of(std::string_view relative, std::size_t most) const {
  Location location;
  if (!locate(relative, location)) return std::nullopt;
  return read_small_file(location, most);
}

// ---- The checks

bool Evidence::holds(const Condition& condition, std::vector<std::string>& proof) {
  using Check = Condition::Check;
  Location itself;
  switch (condition.check) {
    case Check::file:
      return file(condition, proof);
    case Check::directory:
      return directory(condition, proof);
    case Check::glob:
      return glob(condition, proof);
    case Check::only:
      return only(condition);
    case Check::somewhere:
      return somewhere(condition);
    case Check::source_outside:
      return source_outside(condition, proof);
    case Check::compiled:
      return compiled();
    case Check::core_dump:
      return core_dump();
    case Check::live_log:
      return live_log(proof);
    case Check::git_ignored:
      return git().ignored;
    case Check::git_untracked:
      return git().in_tree && !git().tracks && !git().unreadable;
    case Check::not_running:
      return not_running(condition);
    case Check::not_kernel:
      return !kernel_release().empty() && last_name(subject_.path) != kernel_release();
    case Check::trashed:
      return trashed(condition, proof);
    case Check::orphan_info:
      return orphan_info();
    case Check::unused:
      return unused(condition);
    case Check::unlocked:
      return locate_itself(itself) && !is_locked(itself);
    case Check::empty:
      return empty();
    case Check::dangling:
      return locate_itself(itself) && is_dangling(itself);
  }
  return false;
}

const GitTrees::Answer& Evidence::git() {
  if (!answer_) answer_ = git_.about(subject_.path, subject_.kind == fs::Kind::directory);
  return *answer_;
}

bool Evidence::file(const Condition& condition, std::vector<std::string>& proof) const {
  for (const std::string& name : condition.names) {
    if (condition.text.empty()) {
      if (!is(name, fs::Kind::file)) continue;
    } else {
      const auto text =
          text_of(name, condition.at_start ? condition.text.size() : kLongestEvidence);
      if (!text || text->find(condition.text) == std::string::npos) continue;
    }
    proof.push_back(name);
    return true;
  }
  return false;
}

bool Evidence::directory(const Condition& condition, std::vector<std::string>& proof) const {
  for (const std::string& name : condition.names) {
    if (!is(name, fs::Kind::directory)) continue;
    proof.push_back(name);
    return true;
  }
  return false;
}

bool Evidence::glob(const Condition& condition, std::vector<std::string>& proof) const {
  for (const std::string& pattern : condition.names) {
    const std::size_t slash = pattern.rfind('/');
    const std::string above = slash == std::string::npos ? "" : pattern.substr(0, slash + 1);
    const fs::Glob glob(std::string_view(pattern).substr(above.size()));
    const auto path = below_root(above);
    base::Fd folder;
    std::vector<ListedEntry> entries;
    if (!path || !subject_.root.folder) continue;
    if (open_folder(subject_.root.folder.get(), *path, folder) < 0) continue;
    if (list_folder(folder.get(), entries) < 0) continue;
    std::vector<std::string> found;
    for (const ListedEntry& entry : entries) {
      if (entry.kind == fs::Kind::file && glob.matches(entry.name)) found.push_back(entry.name);
    }
    if (found.empty()) continue;
    proof.push_back(above + *std::min_element(found.begin(), found.end()));
    return true;
  }
  return false;
}

bool Evidence::only(const Condition& condition) const {
  base::Fd folder;
  std::vector<ListedEntry> entries;
  if (!subject_.root.folder) return false;
  if (open_folder(subject_.root.folder.get(), subject_.below_root, folder) < 0) return false;
  if (list_folder(folder.get(), entries) < 0 || entries.empty()) return false;
  return std::all_of(entries.begin(), entries.end(), [&](const ListedEntry& entry) {
    return entry.kind == fs::Kind::file && matches_one(condition.names, entry.name);
  });
}

bool Evidence::somewhere(const Condition& condition) const {
  const auto& inside = subject_.names_inside;
  return std::any_of(inside.begin(), inside.end(),
                     [&](std::string_view name) { return matches_one(condition.names, name); });
}

// The directory must exist, be another one than the entry, and not be in it.
bool Evidence::source_outside(const Condition& condition, std::vector<std::string>& proof) const {
  for (const std::string& name : condition.names) {
    const auto text = text_of(name, kLongestEvidence);
    const auto source = text ? value_of(*text, condition.text) : std::nullopt;
    if (!source || !is_plain_root(*source) || !is_directory(*source)) continue;
    if (same_or_below(*source, subject_.path)) continue;
    proof.push_back(name);
    return true;
  }
  return false;
}

// "__pycache__/a.cpython-311.pyc" is compiled from "a.py" beside the directory. Module names have
// no dots.
bool Evidence::compiled() const {
  base::Fd folder;
  std::vector<ListedEntry> entries;
  if (!subject_.root.folder) return false;
  if (open_folder(subject_.root.folder.get(), subject_.below_root, folder) < 0) return false;
  if (list_folder(folder.get(), entries) < 0) return false;
  return std::all_of(entries.begin(), entries.end(), [&](const ListedEntry& entry) {
    return is("../" + entry.name.substr(0, entry.name.find('.')) + ".py", fs::Kind::file);
  });
}

bool Evidence::core_dump() const {
  constexpr std::size_t kTypeAt = 16;
  constexpr char kCore = 4;
  Location itself;
  if (!locate_itself(itself)) return false;
  const auto header = read_small_file(itself, kTypeAt + 2);
  if (!header || header->size() < kTypeAt + 2 ||
      !header->starts_with("\x7f"
                           "ELF"))
    return false;
  const bool big_endian = (*header)[5] == 2;
  const char low = (*header)[kTypeAt + (big_endian ? 1 : 0)];
  const char high = (*header)[kTypeAt + (big_endian ? 0 : 1)];
  return low == kCore && high == 0;
}

bool Evidence::live_log(std::vector<std::string>& proof) const {
  const std::string name = last_name(subject_.path);
  for (const std::string& live : names_before_rotation(name)) {
    if (!is_log(live, subject_.path) || !is("../" + live, fs::Kind::file)) continue;
    proof.push_back("../" + live);
    return true;
  }
  return false;
}

bool Evidence::not_running(const Condition& condition) const {
  return std::none_of(condition.names.begin(), condition.names.end(), [&](const std::string& name) {
    return subject_.around.programs.contains(name);
  });
}

bool Evidence::trashed(const Condition& condition, std::vector<std::string>& proof) const {
  const std::string record = "../../info/" + last_name(subject_.path) + ".trashinfo";
  const auto text = text_of(record, kLongestEvidence);
  const auto date = text ? deletion_date(*text) : std::nullopt;
  if (!date || *date > subject_.now - condition.seconds) return false;
  proof.push_back(record);
  return true;
}

bool Evidence::orphan_info() const {
  constexpr std::string_view kRecord = ".trashinfo";
  const std::string name = last_name(subject_.path);
  if (!name.ends_with(kRecord)) return false;
  Location files;
  Location described;
  EntryFacts facts;
  if (!locate("../../files", files) || facts_at(files, facts) < 0) return false;
  if (facts.kind != fs::Kind::directory) return false;
  const std::string file = name.substr(0, name.size() - kRecord.size());
  return locate("../../files/" + file, described) && facts_at(described, facts) == -ENOENT;
}

bool Evidence::unused(const Condition& condition) const {
  Location itself;
  if (subject_.kind == fs::Kind::other || !locate_itself(itself)) return false;
  const auto last = last_use(itself);
  return last && *last <= subject_.now - condition.seconds;
}

bool Evidence::empty() const {
  base::Fd folder;
  std::vector<ListedEntry> entries;
  if (!subject_.root.folder) return false;
  if (open_folder(subject_.root.folder.get(), subject_.below_root, folder) < 0) return false;
  return list_folder(folder.get(), entries) == 0 && entries.empty();
}

// ---- Texts

std::optional<std::int64_t> deletion_date(std::string_view record) {
  constexpr std::string_view kHeading = "[Trash Info]";
  if (!record.starts_with(kHeading)) return std::nullopt;
  auto value = value_of(record, "DeletionDate=");
  if (!value) return std::nullopt;
  while (value->ends_with('\r') || value->ends_with(' ')) value->pop_back();
  const auto date = base::parse_local_date(*value);
  if (!date) return std::nullopt;
  return base::from_local(date->seconds);
}

std::vector<std::string> names_before_rotation(std::string_view name) {
  for (const std::string_view packed : {".gz", ".xz", ".zst", ".bz2"}) {
    if (!name.ends_with(packed)) continue;
    name.remove_suffix(packed.size());
    break;
  }
  std::vector<std::string> names;
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos && dot > 0 && name.size() - dot <= 3 &&
      all_digits(name.substr(dot + 1))) {
    names.emplace_back(name.substr(0, dot));
  }
  constexpr std::size_t kDate = 8;
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return names;
  const std::string_view date = name.substr(dash + 1);
  if (date.size() < kDate || !all_digits(date.substr(0, kDate))) return names;
  const std::string_view rest = date.substr(kDate);
  if (rest.empty() || rest.starts_with('.')) {
    names.push_back(std::string(name.substr(0, dash)) + std::string(rest));
  }
  return names;
}

}  // namespace fathom::act
