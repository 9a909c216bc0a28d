// answer: the response of the HTTP interface to a question about a scan, as docs/HTTP.md documents
// it.
//
// A pure function of snapshot and question: it performs no I/O except to look up user names, and
// gives the same answer to the same question on any thread. Two snapshots of the same entries give
// the same bytes, except for the generation, however their nodes are numbered.
//
//   Answer said = answer(snapshot.get(), "children", "path=%2Fsrv&limit=10");
//
// Each report takes a pass over the tree, and most of them sort their rows. So callers should cache
// answers by (generation, name, query).

#pragma once

#include <string>
#include <string_view>

#include "api/snapshot.h"

namespace fathom::web {

struct Answer {
  int status = 200;  // HTTP status
  std::string body;  // JSON, without a newline at its end
};

// name is the path after /api/1/: "children", "tree", "search" or "reports/KIND"; any other gives
// 404. query is the text after the question mark, still encoded. snapshot is null before the first
// one.
[[nodiscard]] Answer answer(const Snapshot* snapshot, std::string_view name,
                            std::string_view query);

// {"error":{"code":...,"message":...}}. Bytes of the message that are not UTF-8 are replaced.
[[nodiscard]] std::string error_body(std::string_view code, std::string_view message);
[[nodiscard]] Answer error_answer(int status, std::string_view code, std::string_view message);

}  // namespace fathom::web
