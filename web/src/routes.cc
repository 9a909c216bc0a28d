// routes: the table, and searches in it.

#include "routes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "api/plan_answers.h"
#include "api/stored_answers.h"

namespace fathom::web {

namespace {

constexpr std::string_view kReports = "reports/";
constexpr bool kSlow = true;

template <Answer (*function)(const Snapshot*, Parameters&)>
Answer of_snapshot(const Question& question, Parameters& given) {
  return function(question.snapshot, given);
}

Answer of_search(const Question& question, Parameters& given) {
  return search_answer(question.snapshot, given, question.cancel);
}

Answer of_report(const Question& question, Parameters& given) {
  return report_answer(question.snapshot, question.path.substr(kReports.size()), given);
}

Answer of_duplicates(const Question& question, Parameters& given) {
  return duplicates_answer(*question.duplicates, given);
}

Answer of_clean(const Question& question, Parameters& given) {
  static const CleanState none;
  return clean_answer(question.clean == nullptr ? none : *question.clean, given);
}

Answer of_plan_sums(const Question& question, Parameters& /*given*/) {
  return plan_sums_answer(question.snapshot, question.body);
}

Acts& acts_of(const Question& question) {
  static Acts none({}, /*of_saved_scan=*/true);
  return question.acts == nullptr ? none : *question.acts;
}

template <Answer (*function)(const PlanSource&)>
Answer of_plan(const Question& question, Parameters& /*given*/) {
  return function(
      {question.snapshot, question.body, &acts_of(question), question.clean, question.cancel});
}

template <Answer (*function)(Acts&, std::string_view)>
Answer of_act(const Question& question, Parameters& /*given*/) {
  return function(acts_of(question), question.body);
}

StoredSnapshots& stored_of(const Question& question) {
  static StoredSnapshots none("");
  return question.stored == nullptr ? none : *question.stored;
}

template <Answer (*function)(StoredSnapshots&, Parameters&)>
Answer of_store(const Question& question, Parameters& given) {
  return function(stored_of(question), given);
}

Answer of_diff(const Question& question, Parameters& given) {
  return diff_answer(stored_of(question), question.snapshot, given, question.cancel);
}

Answer of_growth(const Question& question, Parameters& given) {
  return growth_answer(stored_of(question), given, question.cancel);
}

Answer of_children(const Question& question, Parameters& given) {
  const std::optional<std::string> name = given.text("snapshot");
  if (name) return stored_children_answer(stored_of(question), *name, given);
  return children_answer(question.snapshot, given);
}

// The first row that matches counts.
constexpr std::array kRoutes = {
    Route{Method::get, "status", Action::status},
    Route{Method::get, "events", Action::events},
    Route{Method::get,
          "children",
          Action::answer,
          {"path", "measure", "sort", "order", "offset", "limit", "snapshot", "around"},
          of_children},
    Route{Method::get,
          "tree",
          Action::answer,
          {"path", "measure", "depth", "nodes", "min_share"},
          of_snapshot<tree_answer>},
    Route{Method::get,
          "search",
          Action::answer,
          {"q", "path", "kind", "measure", "offset", "limit"},
          of_search},
    Route{Method::get,
          "reports/largest_files",
          Action::answer,
          {"path", "measure", "count", "offset", "limit"},
          of_report},
    Route{Method::get,
          "reports/largest_dirs",
          Action::answer,
          {"path", "measure", "count", "offset", "limit"},
          of_report},
    Route{Method::get,
          "reports/recent",
          Action::answer,
          {"path", "measure", "within", "offset", "limit"},
          of_report},
    Route{Method::get, kReports, Action::answer, {"path", "measure", "offset", "limit"}, of_report},
    Route{
        Method::get, "duplicates", Action::duplicates, {"path", "offset", "limit"}, of_duplicates},
    Route{Method::get,
          "snapshots",
          Action::answer,
          {"path", "offset", "limit"},
          of_store<snapshots_answer>},
    Route{Method::get,
          "diff",
          Action::answer,
          {"from", "to", "path", "by", "top", "depth", "measure"},
          of_diff},
    Route{Method::get, "growth", Action::answer, {"path", "since", "depth", "measure"}, of_growth},
    Route{Method::post, "plan/sums", Action::answer, {}, of_plan_sums},
    Route{Method::post, "plan/draft", Action::answer, {}, of_plan<plan_draft_answer>, kSlow},
    Route{Method::post, "plan/review", Action::answer, {}, of_plan<plan_review_answer>, kSlow},
    Route{Method::post, "plan/apply", Action::answer, {}, of_act<plan_apply_answer>, kSlow},
    Route{Method::post, "plan/undo", Action::answer, {}, of_act<plan_undo_answer>, kSlow},
    Route{Method::get, "clean", Action::clean, {"path", "class", "offset", "limit"}, of_clean},
    Route{Method::post, "clean", Action::find_clean},
    Route{Method::post, "duplicates", Action::find_duplicates},
    Route{Method::post, "rescan", Action::rescan},
    Route{Method::post, "cancel", Action::cancel},
};

bool matches(const Route& route, std::string_view path) {
  return route.path.ends_with('/') ? path.starts_with(route.path) : path == route.path;
}

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

const Route* find_route(Method method, std::string_view path) {
  const Method wanted = method == Method::head ? Method::get : method;
  const auto found = std::find_if(kRoutes.begin(), kRoutes.end(), [&](const Route& route) {
    return route.method == wanted && matches(route, path);
  });
  return found == kRoutes.end() ? nullptr : &*found;
}

std::string allowed_methods(std::string_view path) {
  std::string allowed;
  if (find_route(Method::get, path) != nullptr) allowed = "GET, HEAD";
  if (find_route(Method::post, path) != nullptr) allowed += allowed.empty() ? "POST" : ", POST";
  return allowed;
}

Answer answer(const Question& question) {
  const Route* const route = find_route(question.method, question.path);
  if (route == nullptr || route->answer == nullptr) {
    return error_answer(404, "not_found", "unknown path: /api/1/" + std::string(question.path));
  }
  Parameters given(question.query, route->parameters);
  return route->answer(question, given);
}

}  // namespace fathom::web
