// ScanMessages: counts errors, and words them.

#include "view/scan_messages.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <map>
#include <utility>

#include "fathom/base/path.h"
#include "run/path.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

std::size_t missing_roots(const fs::Scan& scan) {
  const auto is_missing = [&scan](const fs::ScanError& error) {
    return (error.code == ENOENT || error.code == ENOTDIR) &&
           std::find(scan.roots.begin(), scan.roots.end(), error.path) != scan.roots.end();
  };
  return static_cast<std::size_t>(
      std::count_if(scan.errors.begin(), scan.errors.end(), is_missing));
}

std::size_t unread_entries(const fs::Scan& scan) {
  return scan.errors.size() - missing_roots(scan);
}

// ---- Messages on standard error

namespace {

constexpr std::size_t kErrorsShown = 3;

}  // namespace

std::string describe(const fs::ScanError& error) {
  return "cannot " + std::string(error.operation) + ' ' + escaped(error.path) + ": " +
         fs::message_of(error);
}

std::vector<std::string> error_messages(const fs::Scan& scan, bool listed,
                                        std::string_view lister) {
  std::vector<std::string> messages;
  const std::size_t errors = scan.errors.size();
  if (errors == 0) return messages;
  const std::size_t shown = listed ? 0 : std::min(errors, kErrorsShown);
  for (std::size_t i = 0; i < shown; ++i) messages.push_back(describe(scan.errors[i]));
  const bool bound = unread_entries(scan) != 0;
  if (!bound && shown == errors) return messages;  // they say everything
  std::string sentence = counted(errors, "entry", "entries") + " could not be read";
  if (bound) sentence += ", so the totals are lower bounds";
  if (shown < errors && !listed) sentence += "; " + std::string(lister) + " lists them all";
  messages.push_back(std::move(sentence));
  return messages;
}

std::vector<std::string> length_messages(const std::vector<fs::Table>& reports) {
  std::vector<std::string> messages;
  for (const fs::Table& table : reports) {
    const std::uint64_t missing = table.too_long();
    if (missing == 0) continue;
    messages.push_back("--" + std::string(table.key()) + " leaves out " +
                       counted(missing, "directory", "directories") + " with paths of more than " +
                       grouped(fs::kLongestPath) + " bytes; the sums of those above include " +
                       (missing == 1 ? "it" : "them"));
  }
  return messages;
}

namespace {

using Volumes = std::vector<const fs::VolumeFacts*>;

// "/srv, /home and 3 more"
std::string some_paths(const Volumes& volumes) {
  constexpr std::size_t kNamed = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(volumes.size(), kNamed); ++i) {
    if (i > 0) text += volumes.size() > kNamed ? ", " : " and ";
    text += escaped(volumes[i]->path);
  }
  if (volumes.size() > kNamed) text += " and " + grouped(volumes.size() - kNamed) + " more";
  return text;
}

// A message for each type and reason.
using ByReason = std::map<std::pair<fs::Engine, std::string_view>, Volumes>;

std::string filesystem_of(const ByReason::value_type& some) {
  return (some.second.size() > 1 ? "each " : "the ") +
         std::string(fs::to_string(some.first.first)) + " filesystem of " + some_paths(some.second);
}

}  // namespace

std::vector<std::string> volume_messages(const fs::Scan& scan, fs::Engine engine, bool frozen) {
  std::vector<std::string> messages;
  if (scan.cancelled) return messages;  // the reading was stopped, too
  ByReason walked;
  ByReason anew;
  Volumes moving;
  for (const fs::VolumeFacts& volume : scan.volumes) {
    if (volume.is_image) {
      if (volume.why_walked.empty()) continue;
      messages.push_back(escaped(volume.path) +
                         " is counted as a file, not read as an ext4: " + volume.why_walked);
      continue;
    }
    if (!volume.is_frozen) moving.push_back(&volume);
    if (volume.type == fs::Engine::lockfree) continue;
    if (!volume.why_walked.empty()) {
      walked[{volume.type, volume.why_walked}].push_back(&volume);
    } else if (!volume.why_anew.empty()) {
      anew[{volume.type, volume.why_anew}].push_back(&volume);
    }
  }
  const bool wants_a_type =
      engine == fs::Engine::btrfs || engine == fs::Engine::ext4 || engine == fs::Engine::xfs;
  const bool has_that_type =
      std::any_of(scan.volumes.begin(), scan.volumes.end(),
                  [engine](const fs::VolumeFacts& volume) { return volume.type == engine; });
  if (wants_a_type && !has_that_type && !scan.volumes.empty()) {
    messages.push_back("no filesystem here is of the type " + std::string(fs::to_string(engine)) +
                       ", so all of them are walked");
  }
  for (const auto& some : walked) {
    messages.push_back(filesystem_of(some) +
                       " is walked, not read in bulk: " + std::string(some.first.second));
  }
  for (const auto& some : anew) {
    messages.push_back("everything was read on " + filesystem_of(some) + ": " +
                       std::string(some.first.second));
  }
  if (frozen && !moving.empty()) {
    messages.push_back(some_paths(moving) + (moving.size() > 1 ? " were" : " was") +
                       " not read from a snapshot, so changes during the scan may be seen there");
  }
  return messages;
}

namespace {

// What a user may have meant by a symbolic link: the directory to which it leads or, where files
// are read as filesystems, the file or device (all names of logical volumes are links). Empty if
// there is none.
std::string target_to_name(const std::string& link, fs::Engine engine) {
  if (leads_to_directory(link)) return link + '/';
  if (engine != fs::Engine::ext4) return {};
  return base::real_path(link).value_or("");
}

}  // namespace

std::vector<std::string> link_messages(const fs::Scan& scan) {
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < scan.roots.size() && i < scan.tree.roots().size(); ++i) {
    const fs::NodeId node = scan.tree.roots()[i];
    if (node == fs::kNoNode || scan.tree.kind(node) != fs::Kind::symlink) continue;
    const std::string target = target_to_name(scan.roots[i], scan.engine);
    if (target.empty()) continue;
    messages.push_back(escaped(scan.roots[i]) +
                       " is a symbolic link and is not followed; its target is " + escaped(target));
  }
  return messages;
}

// ---- Notes about the entries that the selection of a scan skipped

std::vector<std::string> excluded_notes(const fs::Scan& scan) {
  const auto is_elsewhere = [](const fs::ExcludedEntry& entry) {
    return entry.why == fs::Excluded::other_filesystem;
  };
  const auto elsewhere = static_cast<std::size_t>(
      std::count_if(scan.excluded.begin(), scan.excluded.end(), is_elsewhere));
  const std::size_t entries = scan.excluded.size() - elsewhere;
  std::vector<std::string> notes;
  if (entries > 0) {
    notes.push_back("Excluded " + counted(entries, "entry", "entries") + " and everything in " +
                    (entries == 1 ? "it." : "them."));
  }
  if (elsewhere > 0) {
    notes.push_back("Skipped " + counted(elsewhere, "directory", "directories") +
                    (elsewhere == 1 ? " on another filesystem." : " on other filesystems."));
  }
  return notes;
}

std::string filtered_out_note(std::uint64_t entries, bool all) {
  if (all) return "No entries match the filters (" + grouped(entries) + " checked).";
  return counted(entries, "entry", "entries") + " filtered out.";
}

}  // namespace fathom::cli
