// routes: the requests below /api/1/, each with its method, its parameters, and how it is answered.
//
// The server derives from this table which requests it answers, the status 404, 405 with Allow, and
// the refusal of unknown parameters. A test compares it with docs/openapi.json and docs/HTTP.md.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/acts.h"
#include "api/answer.h"
#include "api/clean_answer.h"
#include "api/duplicates_answer.h"
#include "api/parameters.h"
#include "api/snapshot.h"
#include "api/stored_snapshots.h"
#include "fathom/rt/cancel.h"
#include "http/request.h"

namespace fathom::web {

inline constexpr std::string_view kApi = "/api/1/";

// A request for data, and the data of one moment.
struct Question {
  std::string_view path;  // after /api/1/
  std::string_view query = {};
  const Snapshot* snapshot = nullptr;  // null before the first one
  const DuplicateState* duplicates = nullptr;
  rt::CancelToken cancel = {};        // once cancelled, the answer does not matter
  StoredSnapshots* stored = nullptr;  // null: there is no store
  Method method = Method::get;
  std::string_view body = {};  // of a POST request
  Acts* acts = nullptr;        // null: nothing can be planned
  const CleanState* clean = nullptr;
};

enum class Action : std::uint8_t {
  answer,
  duplicates,
  clean,
  status,
  events,
  rescan,
  find_duplicates,
  find_clean,
  cancel
};

struct Route {
  Method method;          // get includes HEAD
  std::string_view path;  // after /api/1/; with a slash at its end: all paths that begin with it
  Action action;
  ParameterNames parameters = {};
  Answer (*answer)(const Question& question, Parameters& given) = nullptr;  // for answer(), below

  bool slow = false;  // it looks at the filesystem, and must not keep others waiting

  // Whether it is a POST request for data, whose parameters are in its body.
  [[nodiscard]] bool takes_body() const { return method == Method::post && answer != nullptr; }
};

[[nodiscard]] std::span<const Route> routes();

// Null if there is none.
[[nodiscard]] const Route* find_route(Method method, std::string_view path);

// The methods of a path, as Allow lists them; empty if the path is unknown.
[[nodiscard]] std::string allowed_methods(std::string_view path);

// The answer to a request for data, as docs/HTTP.md documents it; 404 for any other path.
//
// A pure function, except for answers about snapshots of the store, which read files, and about
// plans: it performs no other I/O than to look up user names, and gives the same answer to the same
// question on any thread. Two snapshots of the same entries give the same bytes, except
// for the generation, however their nodes are numbered. Each report takes a pass over the tree, and
// most of them sort their rows, so callers should cache answers.
//
//   Answer said = answer({"children", "path=%2Fsrv&limit=10", snapshot.get()});
[[nodiscard]] Answer answer(const Question& question);

}  // namespace fathom::web
