// VerifiedFile: opens a file of a plan and compares it with its planned identity.

#include "dups/verified_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace fathom::act {

namespace {

Verdict not_found(int code) {
  switch (code) {
    case ENOENT:
      return refused("it no longer exists", code);
    case ELOOP:
      return refused("it, or a directory above it, is a symbolic link now", code);
    case ENOTDIR:
      return refused("a directory above it is not a directory any more", code);
    case EINVAL:
      return refused("it is not a regular file any more", code);
    case EXDEV:
      return refused("its path leads out of the root", code);
    default:
      return failed("it cannot be opened", code);
  }
}

const char* difference(const fs::FileIdentity& is, const fs::FileIdentity& expected, Trust trust) {
  if (!same_file(is, expected)) return "another file has its name now";
  if (is.size != expected.size)
    return "its size has changed since the plan was made; make a new plan";
  if (is.mtime_ns != expected.mtime_ns)
    return "it was modified since the plan was made; make a new plan";
  if (trust == Trust::identity && is.ctime_ns != expected.ctime_ns) {
    return "it was modified or relinked since the plan was made; make a new plan";
  }
  return nullptr;
}

}  // namespace

std::optional<Verdict> open_verified(int root, const std::string& path,
                                     const fs::FileIdentity& expected, Trust trust,
                                     VerifiedFile& file) {
  int result = find_location(root, path, file.location);
  if (result == 0) result = open_regular(file.location, file.file);
  if (result == 0) result = state_of(file.file.get(), file.state);
  if (result < 0) return not_found(-result);
  const char* differs = difference(file.state.identity, expected, trust);
  if (differs != nullptr) return refused(differs);
  if (!S_ISREG(file.state.mode)) return not_found(EINVAL);
  return std::nullopt;
}

bool is_in_place(const VerifiedFile& file) {
  FileState now;
  return state_at(file.location, now) == 0 &&
         same_but_for_ctime(now.identity, file.state.identity) && S_ISREG(now.mode);
}

bool is_untouched(const VerifiedFile& file) {
  FileState now;
  return state_at(file.location, now) == 0 && now.identity == file.state.identity;
}

void refresh(VerifiedFile& file) {
  FileState now;
  if (state_of(file.file.get(), now) == 0 &&
      same_but_for_ctime(now.identity, file.state.identity)) {
    file.state = now;
  }
}

fs::FileIdentity as_mounted_now(fs::FileIdentity identity, const Location& location) {
  FileState folder;
  if (state_of(location.folder.get(), folder) == 0) identity.device = folder.identity.device;
  return identity;
}

Occupant occupant_of(const Location& location, const fs::FileIdentity& it) {
  FileState now;
  const int result = state_at(location, now);
  if (result == -ENOENT) return Occupant::none;
  return result == 0 && same_file(now.identity, it) ? Occupant::expected : Occupant::other;
}

}  // namespace fathom::act
