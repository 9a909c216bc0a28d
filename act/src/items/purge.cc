// purge: finds the quarantines of this user, and removes runs from them.

#include "fathom/act/purge.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fathom/base/saturating.h"
#include "fathom/fs/mounts.h"
#include "fathom/fs/tree.h"
#include "items/open_files.h"
#include "items/removal.h"
#include "items/run_name.h"
#include "items/survey.h"
#include "os/listing.h"
#include "os/paths.h"
#include "os/places.h"
#include "os/processes.h"
#include "run/verdict.h"

namespace fathom::act {

namespace {

// A run in a quarantine, open.
struct OpenRun {
  Location location;
  base::Fd folder;
  FileState state;
};

// Another user could have put a link to somebody else's quarantine in the place of one that was
// listed.
int open_run(const std::string& path, OpenRun& run) {
  int result = open_root(parent_of(path), run.location.folder);
  if (result == 0 && !is_own_alone(run.location.folder.get())) result = -EPERM;
  run.location.name = last_name(path);
  if (result == 0) {
    result = open_subfolder(run.location.folder.get(), run.location.name.c_str(), run.folder);
  }
  return result == 0 ? state_of(run.folder.get(), run.state) : result;
}

// Where a run may have its quarantine.
std::vector<std::string> places_of_quarantines(const std::vector<std::string>& folders) {
  std::vector<std::string> places;
  for (const fs::Mount& mount : fs::own_mounts()) places.push_back(mount.point);
  places.insert(places.end(), folders.begin(), folders.end());
  return places;
}

std::vector<std::string> names_of_runs(const std::string& quarantine) {
  base::Fd folder;
  std::vector<ListedEntry> entries;
  if (open_root(quarantine, folder) < 0 || list_folder(folder.get(), entries) < 0) return {};
  std::vector<std::string> names;
  for (ListedEntry& entry : entries) {
    if (entry.kind == fs::Kind::directory && time_of_run(entry.name)) {
      names.push_back(std::move(entry.name));
    }
  }
  return names;
}

// What a run holds.
void survey_run(const OpenRun& open, const Processes& processes, const rt::CancelToken& cancel,
                QuarantinedRun& run) {
  std::map<InodeKey, OpenFile> files;
  SurveyOptions options;
  options.cancel = cancel;
  options.on_file = [&](const TreeWalk::Place& place, const FileState& state,
                        const TreeWalk& walk) {
    const auto path = [&] { return run.path + '/' + walk.path_of(place.name); };
    auto file = open_file(processes, state, state.blocks * fs::kBlockBytes, path);
    if (file) files.try_emplace({state.identity.device, state.identity.inode}, std::move(*file));
  };
  const Survey survey = survey_folder(open.folder.get(), open.state, options);
  run.entries = survey.entries - 1;
  run.bytes = survey.bytes;
  for (const auto& [key, inode] : survey.links.by_inode) {
    if (inode.seen == inode.links) continue;
    run.bytes -= inode.bytes;  // other names keep them
    files.erase(key);
  }
  for (auto& [key, file] : files) run.open.push_back(std::move(file));
}

}  // namespace

std::vector<QuarantinedRun> quarantined_runs(const std::vector<std::string>& folders,
                                             const rt::CancelToken& cancel) {
  std::vector<QuarantinedRun> runs;
  const Processes processes = read_processes();
  for (const std::string& quarantine : own_quarantines(places_of_quarantines(folders))) {
    for (const std::string& name : names_of_runs(quarantine)) {
      QuarantinedRun run{quarantine + '/' + name, *time_of_run(name)};
      OpenRun open;
      if (open_run(run.path, open) < 0) continue;
      survey_run(open, processes, cancel, run);
      runs.push_back(std::move(run));
    }
  }
  std::sort(runs.begin(), runs.end(), [](const QuarantinedRun& a, const QuarantinedRun& b) {
    return std::tie(a.began, a.path) < std::tie(b.began, b.path);
  });
  return runs;
}

PurgedRun purge(const QuarantinedRun& run) {
  PurgedRun purged;
  OpenRun open;
  if (const int code = open_run(run.path, open); code < 0) {
    purged.why = message_of(-code);
    return purged;
  }
  const std::function<void(std::string_view)> nobody;
  const MutatingOps ops(nobody);
  SurveyOptions options;
  options.for_removal = true;
  const Survey survey = survey_folder(open.folder.get(), open.state, options);
  rt::Executor executor;
  Removed removed = remove_contents(open.folder.get(), AsSurveyed(survey, options.ctime), ops,
                                    read_processes(), &executor);
  for (OpenFile& file : removed.open) file.path = run.path + '/' + file.path;
  purged.entries = removed.entries;
  purged.freed = removed.freed;
  purged.open = std::move(removed.open);
  const int code = removed.complete() ? ops.remove_folder(open.location) : removed.code;
  if (code < 0) {
    purged.why = message_of(-code);
  } else if (!removed.complete()) {
    purged.why = survey.obstacle.empty() ? "something in it is being changed" : survey.obstacle;
  } else {
    purged.freed = base::saturating_add(purged.freed, open.state.blocks * fs::kBlockBytes);
    remove_empty_quarantine(parent_of(run.path), ops);
  }
  return purged;
}

}  // namespace fathom::act
