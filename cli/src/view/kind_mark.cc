// KindMark: the marks, colours and names of kinds of entries.

#include "view/kind_mark.h"

#include <sys/stat.h>

namespace fathom::cli {

std::string_view kind_mark(const fs::Tree& tree, fs::NodeId node) {
  switch (tree.kind(node)) {
    case fs::Kind::directory:
      return "/";
    case fs::Kind::symlink:
      return "@";
    case fs::Kind::file:
      return "";
    case fs::Kind::other:
      break;
  }
  const mode_t mode = tree.entry(node).mode;
  if (S_ISFIFO(mode)) return "|";
  return S_ISSOCK(mode) ? "=" : "";
}

Tone kind_tone(fs::Kind kind) {
  switch (kind) {
    case fs::Kind::directory:
      return Tone::directory;
    case fs::Kind::symlink:
      return Tone::symlink;
    case fs::Kind::other:
      return Tone::other;
    case fs::Kind::file:
      break;
  }
  return Tone::plain;
}

std::string_view kind_name(fs::Kind kind) {
  switch (kind) {
    case fs::Kind::directory:
      return "directory";
    case fs::Kind::symlink:
      return "symbolic link";
    case fs::Kind::file:
      return "file";
    case fs::Kind::other:
      break;
  }
  return "other";
}

}  // namespace fathom::cli
