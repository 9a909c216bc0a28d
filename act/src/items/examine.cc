// examine: the checks before an act, which are the same when a plan is made.

#include "items/examine.h"

#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <vector>

#include "fathom/base/byte_order.h"

namespace fathom::act {

namespace {

std::optional<Verdict> cannot_open(int code) {
  if (code == -ENOENT) return refused("it is gone", ENOENT);
  if (code == -ELOOP || code == -ENOTDIR) {
    return refused("its path leads through a symbolic link, or through a file", -code);
  }
  return failed("it cannot be opened", -code);
}

std::optional<Verdict> open_folder_at(const Location& location, Examined& found) {
  const int result = open_subfolder(location.folder.get(), location.name.c_str(), found.folder);
  if (result == -EXDEV) return refused("it is a mount point", EXDEV);
  if (result < 0) return cannot_open(result);
  FileState state;
  if (const int code = state_of(found.folder.get(), state); code < 0) return cannot_open(code);
  if (!same_file(state.identity, found.state.identity)) return refused("it is being changed");
  return std::nullopt;
}

// The path below the root of a path relative to an item: "../x" is beside it.
std::optional<std::string> resolved(std::string path, std::string_view relative) {
  while (relative.starts_with("../")) {
    relative.remove_prefix(3);
    if (path.empty()) return std::nullopt;
    const std::size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
  if (!path.empty()) path += '/';
  path += relative;
  return is_plain_path(path) ? std::optional(path) : std::nullopt;
}

}  // namespace

std::optional<Verdict> examine(int root, const std::string& path, const SurveyOptions& options,
                               Examined& found) {
  int result = find_location(root, path, found.location);
  if (result == 0) result = state_at(found.location, found.state);
  if (result < 0) return cannot_open(result);
  if (!S_ISDIR(found.state.mode)) {
    found.survey = survey_file(found.state, options);
    return std::nullopt;
  }
  if (auto verdict = open_folder_at(found.location, found)) return verdict;
  found.survey = survey_folder(found.folder.get(), found.state, options);
  if (!found.survey.obstacle.empty()) return refused(found.survey.obstacle);
  if (!found.survey.never.empty()) return refused(found.survey.never);
  return std::nullopt;
}

std::optional<Verdict> compare(const PlanItem& item, const Examined& found) {
  const bool has_same_number = item.identity.inode == found.state.identity.inode;
  if (has_same_number && item.identity.device != found.state.identity.device) {
    return refused("its filesystem has another number since the plan was made: make a new plan");
  }
  if (!has_same_number || item.kind != found.state.kind()) {
    return refused("something else has its name now");
  }
  // Of an item that shares inodes, the run itself may have removed another name, which changes the
  // change time. A directory has one name; its digest leaves out its own permissions and times.
  const bool ignores_ctime = item.shares_inodes && item.kind != fs::Kind::directory;
  const bool is_same = ignores_ctime ? same_but_for_ctime(item.identity, found.state.identity)
                                     : item.identity == found.state.identity;
  if (is_same && item.digest == found.survey.digest) return std::nullopt;
  return refused("it has changed since the plan was made");
}

std::optional<std::string> digest_of_evidence(int root, const std::string& path,
                                              const std::vector<std::string>& evidence,
                                              std::string& why) {
  XXH64_hash_t hash = 0;
  for (const std::string& relative : evidence) {
    const auto place = resolved(path, relative);
    Location location;
    FileState state;
    if (!place || find_location(root, *place, location) < 0 || state_at(location, state) < 0) {
      why = "its evidence '" + relative + "' is missing";
      return std::nullopt;
    }
    const bool is_folder = S_ISDIR(state.mode);  // whose times change with its entries
    std::array<std::uint64_t, 4> facts = {
        state.identity.inode, state.mode, is_folder ? 0 : state.identity.size,
        is_folder ? 0 : static_cast<std::uint64_t>(state.identity.mtime_ns)};
    for (std::uint64_t& fact : facts) fact = base::little_endian(fact);
    hash = XXH3_64bits_withSeed(relative.data(), relative.size(), hash);
    hash = XXH3_64bits_withSeed(facts.data(), sizeof facts, hash);
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

}  // namespace fathom::act
