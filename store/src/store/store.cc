// Store: a marked directory; a snapshot is written under a temporary name and renamed.
//
// .tmp-X is being written, or was when its writer was killed; .gone-X is being removed. A writer
// holds the lock shared while it has a .tmp-X, and who holds it alone may rename each .tmp-X to
// .gone-X, which anybody may remove. So nobody waits for a scan to be written, and removing
// snapshots needs no lock.

#include "fathom/store/store.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "fathom/base/error.h"
#include "os/file.h"
#include "os/store_ops.h"
#include "store/compared_file_text.h"

namespace fathom::store {

namespace {

constexpr const char* kMark = "fathom-store";
constexpr std::string_view kMarkText = "fathom.store/1\n";
constexpr std::string_view kMarkBegin = "fathom.store/";
constexpr const char* kLock = "lock";
constexpr const char* kCompared = "compared-files";
constexpr const char* kComparedLock = "compared-files.lock";
constexpr std::string_view kGone = ".gone-";
constexpr const char* kMetaFile = "meta.json";
constexpr std::size_t kMostMeta = std::size_t{16} << 20;

// "20261123T060000Z-91ab3c0d"
std::string name_of(const SnapshotMeta& meta) {
  const std::chrono::sys_time<std::chrono::nanoseconds> ended{
      std::chrono::nanoseconds(meta.ended_ns)};
  const auto day = std::chrono::floor<std::chrono::days>(ended);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(ended - day));
  std::string name(32, '\0');
  const int length = std::snprintf(
      name.data(), name.size(), "%04d%02u%02uT%02d%02d%02dZ-", int{date.year()},
      unsigned{date.month()}, unsigned{date.day()}, static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  name.resize(static_cast<std::size_t>(length));
  return name + meta.id.substr(0, 8);
}

bool is_snapshot_name(std::string_view name) {
  constexpr std::string_view kForm = "00000000T000000Z-xxxxxxxx";
  return std::equal(name.begin(), name.end(), kForm.begin(), kForm.end(), [](char c, char form) {
    const bool digit = c >= '0' && c <= '9';
    if (form == '0') return digit;
    return form == 'x' ? digit || (c >= 'a' && c <= 'f') : c == form;
  });
}

SnapshotMeta read_meta(int folder) {
  const auto text = read_small_file(folder, kMetaFile, kMostMeta);
  if (!text) throw base::Error("meta.json is missing");
  try {
    return parse_meta(*text);
  } catch (const base::Error& error) {
    throw base::Error("meta.json " + std::string(error.what()));
  }
}

}  // namespace

std::uint64_t StoredSnapshot::bytes() const {
  std::uint64_t bytes = 0;
  for (const SnapshotFile& file : meta.files) bytes += file.bytes;
  return bytes;
}

// ---- Opening

Store::Store(std::string path, base::Fd folder, std::unique_ptr<StoreOps> ops)
    : path_(std::move(path)), folder_(std::move(folder)), ops_(std::move(ops)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::string& path, Listener before) {
  Store store(path, open_folder(path), std::make_unique<StoreOps>(path, std::move(before)));
  if (!store.has_mark()) {
    throw base::Error(path + " is not a store of snapshots: it has no file " + kMark);
  }
  return store;
}

Store Store::open_or_create(const std::string& path, Listener before) {
  auto ops = std::make_unique<StoreOps>(path, std::move(before));
  ops->make_path();
  Store store(path, open_folder(path), std::move(ops));
  if (const auto owner = foreign_owner(store.folder_.get())) {
    throw base::Error(path + " belongs to another user (id " + std::to_string(*owner) +
                      "), who alone may add snapshots");
  }
  if (!store.has_mark()) store.create_mark();
  return store;
}

bool Store::has_mark() const {
  std::optional<std::string> text;
  try {
    text = read_small_file(folder_.get(), kMark, kMarkText.size() + 20);
  } catch (const base::SystemError& error) {
    throw base::SystemError(path_ + ": cannot open " + kMark, error.code());
  } catch (const base::Error& error) {
    throw base::Error(path_ + " is not a store of snapshots: " + error.what());
  }
  if (!text || *text == kMarkText) return text.has_value();
  if (text->starts_with(kMarkBegin)) {
    throw base::Error(path_ + " is a store of a later version (" +
                      text->substr(0, text->find('\n')) + "): use a newer fathom");
  }
  throw base::Error(path_ + " is not a store of snapshots: the content of " + kMark +
                    " is something else");
}

void Store::create_mark() {
  // A process that was killed here may have left a temporary file.
  for (const std::string& name : names_in(folder_.get())) {
    if (name.starts_with(kTemporary)) continue;
    if (has_mark()) return;  // another process has created it meanwhile
    throw base::Error(path_ + " is not a store of snapshots, and not empty");
  }
  ops_->make_private(folder_.get());
  const std::string temporary = temporary_name();
  ops_->write_file(folder_.get(), temporary, kMarkText);
  // If another process has created the mark, it may have removed this file.
  if (ops_->rename(folder_.get(), temporary, kMark) != 0) {
    ops_->remove_file(folder_.get(), temporary);
  }
  ops_->sync(folder_.get());
}

std::string Store::path_of(std::string_view name) const {
  return path_ + '/' + std::string(name);
}

// ---- Snapshots

StoreContents Store::list(const StoreContents& earlier) const {
  std::map<std::string_view, const StoredSnapshot*> known;
  for (const StoredSnapshot& snapshot : earlier.snapshots) known.emplace(snapshot.name, &snapshot);
  StoreContents contents;
  for (const std::string& name : names_in(folder_.get())) {
    if (!is_snapshot_name(name)) continue;
    if (const auto found = known.find(name); found != known.end()) {
      contents.snapshots.push_back(*found->second);
      continue;
    }
    try {
      const base::Fd folder = open_existing_folder(folder_.get(), name);
      if (!folder) continue;  // removed meanwhile
      contents.snapshots.push_back({.name = name, .meta = read_meta(folder.get())});
    } catch (const base::Error& error) {
      if (!has_name(name)) continue;  // removed meanwhile
      contents.unreadable.push_back({.name = name, .why = error.what()});
    }
  }
  std::sort(contents.snapshots.begin(), contents.snapshots.end(),
            [](const StoredSnapshot& a, const StoredSnapshot& b) {
              return std::tie(a.meta.ended_ns, a.name) < std::tie(b.meta.ended_ns, b.name);
            });
  return contents;
}

// A snapshot loses its name before it loses a file.
bool Store::has_name(const std::string& name) const {
  const std::vector<std::string> now = names_in(folder_.get());
  return std::binary_search(now.begin(), now.end(), name);
}

std::optional<Snapshot> Store::open_snapshot(const std::string& name) const {
  try {
    if (const base::Fd folder = open_existing_folder(folder_.get(), name)) {
      return Snapshot::open(folder.get(), path_of(name));
    }
  } catch (const base::SystemError& error) {
    if (has_name(name)) throw base::SystemError("cannot open " + path_of(name), error.code());
  } catch (const base::Error&) {
    if (has_name(name)) throw;
  }
  return std::nullopt;
}

StoredSnapshot Store::add(const Write& write) {
  collect_if_possible();
  const base::Fd lock = ops_->lock_shared(folder_.get(), kLock);
  const std::string temporary = temporary_name();
  StoredSnapshot added;
  bool is_named = false;
  try {
    ops_->make_folder(folder_.get(), temporary);
    const base::Fd folder = open_existing_folder(folder_.get(), temporary);
    added.meta = write(folder.get());
    ops_->sync(folder.get());
    added.name = name_of(added.meta);
    if (ops_->rename(folder_.get(), temporary, added.name) != 0) {
      throw AlreadyKept(path_ + " has this snapshot already: " + added.name);
    }
    is_named = true;
    ops_->sync(folder_.get());
  } catch (...) {
    try {
      if (is_named) {
        remove(added.name);
      } else {
        ops_->erase(folder_.get(), temporary);
      }
    } catch (const base::Error&) {
      // The first error counts; the next process removes the rest.
    }
    throw;
  }
  return added;
}

void Store::remove(const std::string& name) {
  const std::string gone = std::string(kGone) + name;
  int renamed = ops_->rename(folder_.get(), name, gone);
  if (renamed == EEXIST) {  // the rest of an earlier snapshot of this name
    ops_->erase(folder_.get(), gone);
    renamed = ops_->rename(folder_.get(), name, gone);
  }
  if (renamed != 0) return;
  // Otherwise a power failure could bring back the name, but not the files.
  ops_->sync(folder_.get());
  ops_->erase(folder_.get(), gone);
  ops_->sync(folder_.get());
}

// ---- What searches for duplicates have learned

fs::ComparedFiles Store::compared_files() const {
  const std::string path = path_of(kCompared);
  std::optional<std::string> text;
  try {
    text = read_small_file(folder_.get(), kCompared, kMostComparedBytes);
  } catch (const base::SystemError& error) {
    throw base::SystemError("cannot read " + path, error.code());
  } catch (const base::Error& error) {
    throw base::Error(path_ + '/' + error.what());
  }
  if (!text) return {};
  try {
    return parse_compared_files(*text);
  } catch (const base::Error& error) {
    throw base::Error(path + ' ' + error.what());
  }
}

void Store::add_compared_files(fs::ComparedFiles learned, std::uint16_t today) {
  collect_if_possible();
  const base::Fd writing = ops_->lock_shared(folder_.get(), kLock);
  const base::Fd alone = ops_->lock_alone(folder_.get(), kComparedLock);
  fs::ComparedFiles known;
  try {
    known = compared_files();
  } catch (const base::Error&) {
    // It is replaced.
  }
  if (known.take(std::move(learned), today)) replace_file(kCompared, write_compared_files(known));
}

// Call it with the lock held.
void Store::replace_file(const std::string& name, std::string_view text) {
  const std::string temporary = temporary_name();
  try {
    ops_->write_file(folder_.get(), temporary, text);
    ops_->replace(folder_.get(), temporary, name);
  } catch (const base::SystemError& error) {
    const std::string what = "cannot write " + path_of(name);
    try {
      ops_->remove_file(folder_.get(), temporary);
    } catch (const base::Error&) {
      // The first error counts; the next process removes the rest.
    }
    throw base::SystemError(what, error.code());
  }
  ops_->sync(folder_.get());
}

// ---- What is left over

void Store::collect_if_possible() {
  try {
    collect();
  } catch (const base::Error&) {
    // What cannot be removed costs space, and no snapshot; `fathom store gc` says why.
  }
}

LeftOvers Store::collect() {
  LeftOvers found;
  // One that cannot be removed does not keep the others.
  std::exception_ptr first_error;
  const auto attempt = [&first_error](const auto& act) {
    try {
      act();
    } catch (const base::Error&) {
      if (!first_error) first_error = std::current_exception();
    }
  };
  if (const base::Fd lock = ops_->try_lock(folder_.get(), kLock)) {
    for (const std::string& name : names_in(folder_.get())) {
      if (!name.starts_with(kTemporary)) continue;
      const std::string gone = std::string(kGone) + name.substr(kTemporary.size());
      attempt([&] { static_cast<void>(ops_->rename(folder_.get(), name, gone)); });
    }
  } else {
    found.writing = true;
  }
  for (const std::string& name : names_in(folder_.get())) {
    if (!name.starts_with(kGone)) continue;
    attempt([&] {
      found.bytes += ops_->erase(folder_.get(), name);
      found.names.push_back(name);
    });
  }
  if (first_error) std::rethrow_exception(first_error);
  return found;
}

}  // namespace fathom::store
