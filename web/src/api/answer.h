// answer: what the HTTP interface says to a question about a scan, as docs/HTTP.md promises it.
//
// A pure function of snapshot and question: no I/O but for the names of users, the same answer to
// the same question on any thread. Two snapshots of the same entries give the same bytes, but for
// the generation, however their nodes are numbered.
//
//   Answer said = answer(snapshot.get(), "children", "path=%2Fsrv&limit=10");
//
// Reports cost a pass over the tree each, and most sort what they find: whoever serves the same
// snapshot again keeps answers by (generation, name, query).

#pragma once

#include <string>
#include <string_view>

#include "api/snapshot.h"

namespace fathom::web {

struct Answer {
  int status = 200;  // of HTTP
  std::string body;  // JSON, without a newline at its end
};

// name is what follows /api/1/: "children", "tree", "search" or "reports/KIND"; any other is not
// found. query is what follows the question mark, as it came. snapshot is null before the first.
[[nodiscard]] Answer answer(const Snapshot* snapshot, std::string_view name,
                            std::string_view query);

// {"error":{"code":...,"message":...}}; what is not UTF-8 in the message is replaced.
[[nodiscard]] std::string error_body(std::string_view code, std::string_view message);
[[nodiscard]] Answer error_answer(int status, std::string_view code, std::string_view message);

}  // namespace fathom::web
