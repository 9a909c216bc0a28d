// Exports as strings, for tests that write or compare them.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "fathom/fs/ncdu_export.h"
#include "fathom/fs/ncdu_import.h"
#include "hand_made_tree.h"

namespace fathom::fs {

// As if its root was scanned.
inline Scan scan_of(HandMadeTree& made) {
  Scan scan;
  scan.tree = made.finish();
  for (const NodeId root : scan.tree.roots()) {
    scan.roots.emplace_back(root == kNoNode ? "/missing" : scan.tree.name(root));
  }
  return scan;
}

inline std::string export_of(const Scan& scan, const NcduExport& options = {}) {
  std::string text;
  write_ncdu(scan, options, [&text](std::string_view block) {
    text += block;
    return true;
  });
  return text;
}

// The entries of an export: the lines between the header and the end.
inline std::string entries_of(const Scan& scan) {
  const std::string text = export_of(scan);
  const std::size_t begin = text.find('\n') + 1;
  return text.substr(begin, text.size() - begin - std::string_view("]\n").size());
}

inline NcduImport import_of(std::string_view text) {
  return read_ncdu(text_source(text));
}

// An export of this directory by ncdu.
inline std::string with_header(std::string_view directory) {
  return "[1,2,{\"progname\":\"ncdu\",\"progver\":\"2.8\",\"timestamp\":1712345678},\n" +
         std::string(directory) + "]\n";
}

}  // namespace fathom::fs
