#include "dups/held_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace fathom::fs {

namespace {

Verdict not_found(int code) {
  switch (code) {
    case ENOENT:
      return refused("it is gone", code);
    case ELOOP:
      return refused("it is, or lies behind, a symbolic link now", code);
    case ENOTDIR:
      return refused("a directory above it is none any more", code);
    case EINVAL:
      return refused("it is no regular file any more", code);
    case EXDEV:
      return refused("its path leads out of the root", code);
    default:
      return failed("it cannot be opened", code);
  }
}

const char* difference(const FileIdentity& is, const FileIdentity& expected, Trust trust) {
  if (!same_file(is, expected)) return "another file stands there now";
  if (is.size != expected.size) return "its size has changed";
  if (is.mtime_ns != expected.mtime_ns) return "it has been modified";
  if (trust == Trust::identity && is.ctime_ns != expected.ctime_ns) {
    return "it has changed, although its time of modification has not (ctime)";
  }
  return nullptr;
}

}  // namespace

std::optional<Verdict> hold(int root, const std::string& path, const FileIdentity& expected,
                            Trust trust, HeldFile& held) {
  int result = find_place(root, path, held.place);
  if (result == 0) result = open_regular(held.place, held.file);
  if (result == 0) result = state_of(held.file.get(), held.state);
  if (result < 0) return not_found(-result);
  const char* differs = difference(held.state.identity, expected, trust);
  if (differs != nullptr) return refused(differs);
  if (!S_ISREG(held.state.mode)) return not_found(EINVAL);
  return std::nullopt;
}

bool is_in_place(const HeldFile& held) {
  FileState now;
  return state_at(held.place, now) == 0 && same_but_for_ctime(now.identity, held.state.identity) &&
         S_ISREG(now.mode);
}

bool is_untouched(const HeldFile& held) {
  FileState now;
  return state_at(held.place, now) == 0 && now.identity == held.state.identity;
}

void refresh(HeldFile& held) {
  FileState now;
  if (state_of(held.file.get(), now) == 0 &&
      same_but_for_ctime(now.identity, held.state.identity)) {
    held.state = now;
  }
}

Found look(const Place& place, const FileIdentity& it) {
  FileState now;
  const int result = state_at(place, now);
  if (result == -ENOENT) return Found::nothing;
  return result == 0 && same_file(now.identity, it) ? Found::it : Found::other;
}

}  // namespace fathom::fs
