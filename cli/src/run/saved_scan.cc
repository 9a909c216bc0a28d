// SavedScan: reads the snapshot or the export, and translates its errors.

#include "run/saved_scan.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/fd.h"
#include "fathom/store/snapshot.h"
#include "run/named_file.h"
#include "run/named_snapshots.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

[[noreturn]] void cannot_read(const std::string& name, const std::string& why) {
  throw UsageError("cannot read " + name + ": " + why);
}

fs::NcduImport read_export(const std::string& file, const fs::SelectionAt& selection) {
  const std::string name = file == "-" ? "standard input" : escaped(file);
  const base::Fd input = file == "-" ? base::Fd(::dup(STDIN_FILENO)) : open_any(file, O_RDONLY);
  if (!input) cannot_read(name, std::generic_category().message(errno));
  try {
    return fs::read_ncdu(fs::descriptor_source(input.get()), selection);
  } catch (const base::SystemError& error) {
    cannot_read(name, std::generic_category().message(error.code()));
  } catch (const base::Error& error) {
    cannot_read(name, error.what());
  }
}

// ---- Snapshots

bool is_name(const std::string& from) {
  return from.starts_with('@');
}

// The directory of the snapshot.
std::string path_of_snapshot(const CommonRequest& request, const std::string& name) {
  return is_name(name) ? NamedSnapshots(open_store(request)).folder_of(name) : name;
}

// A snapshot is read as a whole.
void check_selects_all(const fs::Selection& selection) {
  if (selection.matches_all() && !selection.checks_names()) return;
  throw UsageError(
      "a snapshot is read as a whole; options that select entries apply to scans and exports");
}

// The inode numbers of a snapshot are those of its host.
void check_is_of_here(const store::SnapshotMeta& meta) {
  if (meta.imported) {
    throw UsageError("the snapshot is of an export, which does not say which inodes its files are");
  }
  if (meta.host != host_name()) {
    throw UsageError("the snapshot is of another host, " + escaped(meta.host) +
                     ", so its files cannot be read here");
  }
}

using CheckMeta = void (*)(const store::SnapshotMeta& meta);

SavedScan read_snapshot(const CommonRequest& request, const fs::SelectionAt& selection,
                        CheckMeta check) {
  const std::string path = path_of_snapshot(request, *request.from);
  try {
    const store::Snapshot snapshot = store::Snapshot::open(path);
    check(snapshot.meta());
    const store::SnapshotMeta& meta = snapshot.meta();
    const std::int64_t taken = base::whole_seconds(meta.ended_ns);
    check_selects_all(selection(taken));
    return {snapshot.load(), taken, {meta.host, !meta.imported, meta.started_ns}};
  } catch (const UsageError&) {
    throw;
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

bool names_snapshot(const std::string& from) {
  return is_name(from) || leads_to_directory(from);
}

SavedScan read_saved_here(const CommonRequest& request, const fs::SelectionAt& selection) {
  if (!names_snapshot(*request.from)) {
    throw UsageError("'" + escaped(*request.from) +
                     "' is not a snapshot; an export does not say which inodes its files are");
  }
  return read_snapshot(request, selection, check_is_of_here);
}

SavedScan read_saved(const CommonRequest& request, const fs::SelectionAt& selection) {
  const std::string& from = *request.from;
  if (names_snapshot(from)) {
    return read_snapshot(request, selection, [](const store::SnapshotMeta&) {});
  }
  const std::int64_t now = base::wall_now();
  fs::NcduImport read =
      read_export(from, [&](std::int64_t taken) { return selection(taken == 0 ? now : taken); });
  return {std::move(read.scan),
          read.taken == 0 ? now : read.taken,
          {"", false, base::to_nanoseconds(read.taken)}};
}

}  // namespace fathom::cli
