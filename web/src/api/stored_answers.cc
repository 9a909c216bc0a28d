// stored_answers: errors, and the list of snapshots.

#include "api/stored_answers.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/store/growth.h"
#include "fathom/store/log_report.h"
#include "fathom/store/series.h"

namespace fathom::web {

Answer stored_answer(const std::function<std::string()>& json) {
  try {
    return {.body = json(), .keep = false};
  } catch (const store::NotFound& error) {
    return error_answer(404, "not_found", error.what());
  } catch (const store::TooManyDirectories& error) {
    return bad_request(error.what());
  } catch (const base::Error& error) {
    return error_answer(500, "unreadable", error.what());
  }
}

std::string written(const std::function<void(const fs::Sink& sink)>& write) {
  std::string text;
  write([&text](std::string_view block) {
    text += block;
    return true;
  });
  text.pop_back();
  return text;
}

std::string path_parameter(Parameters& given) {
  std::string path = given.bytes("path");
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

Answer snapshots_answer(StoredSnapshots& stored, Parameters& given) {
  const std::string path = path_parameter(given);
  const Span span = span_of(given);
  if (const auto& error = given.error()) return bad_request(*error);
  return stored_answer([&] {
    const StoredSnapshots::Contents contents = stored.contents();
    const std::span<const store::StoredSnapshot> kept = contents->snapshots;
    const std::vector<store::LogRow> all =
        path.empty() ? log_rows(kept) : log_rows(kept, series_of_path(kept, path));
    const std::size_t first = std::min<std::size_t>(span.offset, all.size());
    const std::size_t count = std::min<std::size_t>(span.limit, all.size() - first);
    return written([&](const fs::Sink& sink) {
      store::write_log_json({.store = stored.path(),
                             .rows = std::span(all).subspan(first, count),
                             .total = all.size(),
                             .unreadable = contents->unreadable,
                             .offset = span.offset},
                            sink);
    });
  });
}

}  // namespace fathom::web
