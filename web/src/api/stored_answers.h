// stored_answers: answers about the snapshots of a store, which read files, and what they share.
//
// What is not there has status 404; a store or a snapshot that cannot be read has 500.

#pragma once

#include <functional>
#include <string>

#include "api/answer.h"
#include "api/parameters.h"
#include "api/snapshot.h"
#include "api/stored_snapshots.h"
#include "fathom/fs/sink.h"
#include "fathom/rt/cancel.h"

namespace fathom::web {

[[nodiscard]] Answer snapshots_answer(StoredSnapshots& stored, Parameters& given);
// These end early when they are cancelled, with an answer that must not be used.
[[nodiscard]] Answer diff_answer(StoredSnapshots& stored, const Snapshot* scan, Parameters& given,
                                 const rt::CancelToken& cancel);
[[nodiscard]] Answer growth_answer(StoredSnapshots& stored, Parameters& given,
                                   const rt::CancelToken& cancel);
// The entries of a directory of the snapshot with this name.
[[nodiscard]] Answer stored_children_answer(StoredSnapshots& stored, const std::string& name,
                                            Parameters& given);

// The answer with the JSON that a function returns, or with the error that it throws.
[[nodiscard]] Answer stored_answer(const std::function<std::string()>& json);

// The JSON that a function writes, without the newline at its end.
[[nodiscard]] std::string written(const std::function<void(const fs::Sink& sink)>& write);

// Without slashes at its end, which are not a part of the name of a directory.
[[nodiscard]] std::string path_parameter(Parameters& given);

}  // namespace fathom::web
