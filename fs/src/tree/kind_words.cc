// KindWords: the marks and names of the kinds of entries.

#include "fathom/fs/kind_words.h"

#include <sys/stat.h>

namespace fathom::fs {

std::string_view kind_mark(const Tree& tree, NodeId node) {
  switch (tree.kind(node)) {
    case Kind::directory:
      return "/";
    case Kind::symlink:
      return "@";
    case Kind::file:
      return "";
    case Kind::other:
      break;
  }
  const mode_t mode = tree.mode(node);
  if (S_ISFIFO(mode)) return "|";
  return S_ISSOCK(mode) ? "=" : "";
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::directory:
      return "directory";
    case Kind::symlink:
      return "symbolic link";
    case Kind::file:
      return "file";
    case Kind::other:
      break;
  }
  return "special file";
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::directory:
      return "directory";
    case Kind::file:
      return "file";
    case Kind::symlink:
      return "symlink";
    case Kind::other:
      break;
  }
  return "other";
}

}  // namespace fathom::fs
