// PartFolder: a part is written under a temporary name and renamed.

#include "fathom/store/part_folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/fs/json_writer.h"
#include "os/file.h"
#include "os/store_ops.h"
#include "parts/joined_rows.h"
#include "parts/part_cursor.h"
#include "parts/survey.h"
#include "snapshot/files_writer.h"
#include "snapshot/json_object.h"
#include "snapshot/loaded_entries.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

namespace {

constexpr std::string_view kFirst = "root";
constexpr std::string_view kRest = "rest-";
constexpr const char* kPartFile = "part.json";
constexpr std::string_view kPartSchema = "fathom.part/1";
constexpr std::size_t kMostPart = std::size_t{1} << 20;

bool is_id(std::string_view text) {
  return text == kFirst ||
         (text.size() == 16 && text.find_first_not_of("0123456789abcdef") == text.npos);
}

std::string rest_name(std::size_t batch) {
  return std::string(kRest) + std::to_string(batch);
}

// Paths, each ended by a zero byte.
std::vector<std::string> paths_in(const std::string& text) {
  std::vector<std::string> paths;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\0', at);
    if (end == std::string::npos) throw base::Error("is cut off");
    paths.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return paths;
}

struct Batch {
  std::string paths;  // each ended by a zero byte
  std::size_t entries = 0;

  void add(const std::string& path) {
    paths.append(path).push_back('\0');
    ++entries;
  }
};

// What is left, in batches that take about as long as each other.
//
// Nobody knows how large directories are, but neighbours are often alike: each batch gets one in
// turn. Names that are not known to be directories take equally long, and are left together,
// because parts whose entries alternate would take longer to join.
std::vector<Batch> dealt(const std::vector<std::string>& rest, std::size_t most) {
  std::vector<Batch> batches(std::min(std::max<std::size_t>(most, 1), rest.size()));
  std::vector<const std::string*> names;
  std::size_t turn = 0;
  for (const std::string& path : rest) {
    if (path.ends_with('/')) {
      batches[turn++ % batches.size()].add(path);
    } else {
      names.push_back(&path);
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool few = names.size() < batches.size();
    batches[few ? turn++ % batches.size() : i * batches.size() / names.size()].add(*names[i]);
  }
  return batches;
}

std::string describe(const PartWork& work, const fs::Scan& scan, const SnapshotMeta& meta,
                     const std::vector<Batch>& batches) {
  fs::JsonWriter json;
  json.begin_object();
  json.string("schema", kPartSchema);
  json.string("id", work.id());
  // A selection may leave out directories that are above.
  json.number("entries", meta.totals.entries() - std::min(scan.above, meta.totals.entries()));
  json.number("disk_bytes", meta.totals.disk_bytes);
  json.number("errors", meta.errors);
  json.number("changed", meta.changed);
  json.decimal("seconds", scan.seconds);
  json.bytes("host", meta.host);
  json.begin_array("rest");
  for (std::size_t i = 0; i < batches.size(); ++i) {
    json.begin_object();
    json.string("id", PartWork{.parent = work.id(), .batch = i}.id());
    json.number("entries", batches[i].entries);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_line();
  return std::move(json).take();
}

Part parse_part(const std::string& text, const std::string& id) {
  const rapidjson::Document document = parsed_json(text);
  const JsonObject from(document, "");
  if (from.bytes("schema") != kPartSchema) from.wrong("schema", std::string(kPartSchema).c_str());
  if (from.bytes("id") != id) from.wrong("id", "the name of its directory");
  Part part{.text = text, .errors = from.number("errors"), .batches = {}};
  from.each("rest", [&](const JsonObject& rest) {
    const PartWork next{.parent = id, .batch = part.batches.size()};
    if (rest.bytes("id") != next.id()) rest.wrong("id", "the one of this batch");
    part.batches.push_back(rest.number("entries"));
  });
  return part;
}

// The facts about the whole scan that two of its parts must agree on.
void check_same(const SnapshotMeta& a, const SnapshotMeta& b) {
  if (a.roots != b.roots || !same_selection(a, b)) {
    throw base::Error("is part of another scan: its paths or its selection differ");
  }
}

void add_facts(const SnapshotMeta& part, SnapshotMeta& all) {
  if (all.roots.empty()) {
    const auto not_before = [](const std::string& a, const std::string& b) { return a >= b; };
    const std::vector<std::string>& roots = part.roots;
    if (roots.empty() ||
        std::adjacent_find(roots.begin(), roots.end(), not_before) != roots.end()) {
      throw base::Error("is damaged: its roots are not in order");
    }
    all = part;
    return;
  }
  check_same(part, all);
  all.started_ns = std::min(all.started_ns, part.started_ns);
  all.ended_ns = std::max(all.ended_ns, part.ended_ns);
  all.users.insert(part.users.begin(), part.users.end());
  all.groups.insert(part.groups.begin(), part.groups.end());
  all.changed += part.changed;
}

}  // namespace

// ---- The work of a part

std::optional<PartWork> PartWork::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || !is_id(text.substr(0, slash))) return std::nullopt;
  PartWork work{.parent = std::string(text.substr(0, slash))};
  text.remove_prefix(slash + 1);
  if (!text.starts_with(kRest)) return std::nullopt;
  text.remove_prefix(kRest.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), work.batch);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return work;
}

std::string PartWork::text() const {
  return parent.empty() ? std::string(kFirst) : parent + '/' + rest_name(batch);
}

std::string PartWork::id() const {
  return parent.empty() ? std::string(kFirst) : id_of(text());
}

// ---- Opening

PartFolder::PartFolder(std::string path, base::Fd folder, std::unique_ptr<StoreOps> ops)
    : path_(std::move(path)), folder_(std::move(folder)), ops_(std::move(ops)) {}
PartFolder::PartFolder(PartFolder&&) noexcept = default;
PartFolder::~PartFolder() = default;

PartFolder PartFolder::open(const std::string& path) {
  const std::string parts = path + "/parts";
  return {parts, open_folder(parts), std::make_unique<StoreOps>(parts, Listener())};
}

PartFolder PartFolder::open_or_create(const std::string& path, Listener before) {
  const std::string parts = path + "/parts";
  auto ops = std::make_unique<StoreOps>(parts, std::move(before));
  ops->make_path();
  return {parts, open_folder(parts), std::move(ops)};
}

// ---- Parts

std::vector<std::string> PartFolder::entries_of(const PartWork& work) const {
  if (work.parent.empty()) return {};
  const std::optional<Part> parent = read(work.parent);
  if (!parent) throw NotFound(path_of(work.parent) + " does not exist");
  if (work.batch >= parent->batches.size()) {
    throw NotFound(path_of(work.parent) + " has left no " + rest_name(work.batch));
  }
  return paths_of(work, parent->batches[work.batch]);
}

// A batch that has so many paths.
std::vector<std::string> PartFolder::paths_of(const PartWork& work, std::uint64_t count) const {
  const std::string shown = path_of(work.text());
  std::vector<std::string> paths;
  try {
    const base::Fd folder = open_existing_folder(folder_.get(), work.parent);
    const OldFile file(folder.get(), rest_name(work.batch));
    std::string text(file.size(), '\0');
    file.read(0, text);
    paths = paths_in(text);
  } catch (const base::SystemError& error) {
    throw base::SystemError("cannot open " + shown, error.code());
  } catch (const base::Error& error) {
    throw base::Error(shown + ' ' + error.what());
  }
  if (paths.empty() || paths.size() != count) {
    throw base::Error(shown + " is damaged: it does not have the number of paths that " +
                      kPartFile + " says");
  }
  return paths;
}

std::optional<Part> PartFolder::find(const PartWork& work) const {
  return read(work.id());
}

std::optional<Part> PartFolder::read(const std::string& id) const {
  const std::string shown = path_of(id) + '/' + kPartFile;
  std::string text;
  try {
    const base::Fd folder = open_existing_folder(folder_.get(), id);
    if (!folder) return std::nullopt;
    const OldFile file(folder.get(), kPartFile);
    if (file.size() > kMostPart) throw base::Error("is too long");
    text.resize(file.size());
    file.read(0, text);
  } catch (const base::SystemError& error) {
    if (error.code() != ENOENT) throw base::SystemError("cannot open " + shown, error.code());
    throw base::Error(path_of(id) + " is not a part: it has no " + kPartFile);
  } catch (const base::Error& error) {
    throw base::Error(shown + ' ' + error.what());
  }
  return reading(shown, [&] { return std::optional<Part>(parse_part(text, id)); });
}

void PartFolder::check_same_scan(const std::vector<std::string>& roots,
                                 const std::vector<std::string>& selection) const {
  const PartWork first;
  if (!find(first)) return;
  SnapshotMeta asked;
  asked.roots = roots;
  asked.selection = selection;
  const std::string path = path_of(first.id());
  reading(path, [&] { check_same(asked, Snapshot::open(path).meta()); });
}

Part PartFolder::add(const PartWork& work, const fs::Scan& scan, std::size_t most_batches,
                     const SnapshotOptions& options, rt::Executor& executor) {
  const std::vector<Batch> batches = dealt(scan.rest, most_batches);
  const std::string temporary = temporary_name();
  std::string text;
  try {
    ops_->make_folder(folder_.get(), temporary);
    const base::Fd part = open_existing_folder(folder_.get(), temporary);
    const SnapshotMeta meta = write_snapshot(scan, options, executor, part.get());
    for (std::size_t i = 0; i < batches.size(); ++i) {
      ops_->write_file(part.get(), rest_name(i), batches[i].paths);
    }
    text = describe(work, scan, meta, batches);
    ops_->write_file(part.get(), kPartFile, text);
    ops_->sync(part.get());
    if (ops_->rename(folder_.get(), temporary, work.id()) != 0) {
      std::optional<Part> there = find(work);
      if (!there) throw base::Error(path_of(temporary) + " was removed while it was written");
      erase(temporary);
      return *std::move(there);
    }
  } catch (...) {
    erase(temporary);
    throw;
  }
  ops_->sync(folder_.get());
  Part part{.text = text, .errors = scan.errors.size(), .batches = {}};
  for (const Batch& batch : batches) part.batches.push_back(batch.entries);
  return part;
}

// The driver removes what cannot be removed now.
void PartFolder::erase(const std::string& name) {
  try {
    static_cast<void>(ops_->erase(folder_.get(), name));
  } catch (const base::Error&) {
  }
}

// ---- Joining

// All parts, in an order in which each comes after those that have left entries to it.
struct PartFolder::Found {
  std::vector<std::string> ids;
  std::vector<PartWork> missing;
  SnapshotMeta meta;
  std::vector<fs::ScanError> errors;
  SharedDirectories shared;
};

PartFolder::Found PartFolder::find_all(bool accept_missing) const {
  Found found;
  std::vector<PartWork> works = {PartWork()};
  while (!works.empty()) {
    const PartWork work = std::move(works.back());
    works.pop_back();
    const std::string id = work.id();
    const std::optional<Part> described = find(work);
    if (!described) {
      if (!accept_missing || work.parent.empty()) {
        throw NotFound("the scan in " + path_ + " is not finished: the part " + id +
                       (work.parent.empty() ? "" : ", which continues " + work.text() + ',') +
                       " is missing");
      }
      found.missing.push_back(work);
      continue;
    }
    const Snapshot part = Snapshot::open(path_of(id));
    try {
      add_facts(part.meta(), found.meta);
    } catch (const base::Error& error) {
      throw base::Error(path_of(id) + ' ' + error.what());
    }
    const std::vector<fs::ScanError> errors = load_errors(part.files());
    found.errors.insert(found.errors.end(), errors.begin(), errors.end());
    for (std::size_t batch = described->batches.size(); batch-- > 0;) {
      works.push_back({.parent = id, .batch = batch});
      const auto paths = paths_of(works.back(), described->batches[batch]);
      for (const std::string& path : paths) found.shared.add_above(path);
    }
    found.ids.push_back(id);
  }
  for (const std::string& root : found.meta.roots) found.shared.add_root(root);
  return found;
}

JoinedParts PartFolder::join(const JoinOptions& options, rt::Executor& executor, int folder) const {
  Found found = find_all(options.accept_missing);
  JoinedDevices devices;
  const Survey::OpenPart open = [&](std::size_t part) {
    return std::make_unique<PartCursor>(
        [path = path_of(found.ids[part])] { return Snapshot::open(path); }, found.shared, devices,
        executor);
  };
  const Survey survey(found.ids.size(), open, found.shared, devices);
  devices.choose_numbers(found.meta.host);
  for (const PartWork& work : found.missing) {
    for (std::string& path : entries_of(work)) {
      if (SharedDirectory* const in = found.shared.find_above(path)) in->flags |= fs::kIncomplete;
      if (path.ends_with('/')) path.pop_back();
      found.errors.push_back({.path = std::move(path), .operation = "open", .code = ECANCELED});
    }
  }
  fs::order_errors(found.errors);
  SnapshotOptions facts;
  facts.meta = found.meta;
  facts.meta.tag = options.tag;
  if (!options.host.empty()) facts.meta.host = options.host;
  facts.filesystem_ids = devices.filesystems();
  facts.group_rows = options.group_rows;
  FilesWriter files(facts, executor, targets_in(folder));
  JoinedRows rows(found.meta.roots, survey, devices, open, options.most_open);
  files.add([&](std::size_t most) { return rows.next(most); }, found.errors, found.meta.changed);
  return {.meta = files.finish(),
          .errors = std::move(found.errors),
          .missing = std::move(found.missing)};
}

}  // namespace fathom::store
