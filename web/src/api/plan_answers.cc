// plan_answers: the bodies of requests, and the JSON of plans and of runs.

#include "api/plan_answers.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/entry_json.h"
#include "api/measured_bytes.h"
#include "api/plan_draft.h"
#include "api/request_body.h"
#include "fathom/act/apply.h"
#include "fathom/act/run_json.h"
#include "fathom/base/error.h"
#include "fathom/fs/json_writer.h"

namespace fathom::web {

namespace {

// A sink that appends to a text.
fs::Sink into(std::string& text) {
  return [&text](std::string_view block) {
    text += block;
    return true;
  };
}

// What the filesystem does not permit, or a plan that cannot be used.
Answer guarded(const std::function<Answer()>& answer) {
  try {
    return answer();
  } catch (const base::Error& error) {
    return error_answer(409, "conflict", error.what());
  }
}

Answer with_draft(const PlanSource& source, const std::function<Answer(const PlanDraft&)>& answer) {
  RequestBody given(source.body, {"paths", "do"});
  std::vector<std::string> paths = given.paths("paths");
  const std::optional<act::Action> action = act::parse_action(given.text("do", "quarantine"));
  if (!action) given.set_error("the field 'do' is not quarantine, trash or delete");
  if (const auto& wrong = given.error()) return bad_request(*wrong);
  if (source.snapshot == nullptr) return no_results_yet();
  if (!source.acts->can_plan()) {
    return error_answer(409, "conflict", "no plan can be made for a saved scan");
  }
  return guarded([&] {
    const PlanDraft::Options options{*action, source.acts->options(), source.clean, source.cancel};
    return answer(PlanDraft(*source.snapshot, std::move(paths), options));
  });
}

void write_item(fs::JsonWriter& json, const Snapshot& snapshot, const PlanDraft::Planned& planned) {
  const auto& [one, item] = planned;
  json.begin_object();
  json.bytes("path", one.path);
  write_kind(json, snapshot, one.place);
  json.string("do", to_string(item->action));
  json.number("entries", item->entries);
  json.number("used_bytes", item->bytes);
  if (snapshot.of_running_scan()) {
    json.null("freed_bytes");
  } else {
    json.number("freed_bytes", freed_bytes(snapshot, one.place));
  }
  json.end_object();
}

void write_totals(fs::JsonWriter& json, const act::PlanTotals& totals) {
  json.number("entries", totals.entries);
  json.number("freed_bytes", totals.freed);
  json.number("freed_bytes_at_most", totals.freed_at_most);
  json.number("held_bytes", totals.held);
  json.number("open_bytes", totals.open);
}

std::string review_json(const PlanDraft& draft, const Snapshot& snapshot, const std::string& digest,
                        bool can_apply) {
  fs::JsonWriter json;
  json.begin_object();
  json.string("digest", digest);
  json.begin_array("items");
  for (const PlanDraft::Planned& one : draft.planned()) write_item(json, snapshot, one);
  json.end_array();
  json.begin_array("refused");
  for (const PlanDraft::Refused& one : draft.refused()) {
    json.begin_object();
    json.bytes("path", one.path);
    json.bytes("reason", one.why);
    json.end_object();
  }
  json.end_array();
  json.bytes_of_each("unknown", draft.unknown());
  write_totals(json, draft.plan().totals.value_or(act::PlanTotals()));
  if (draft.plan().quarantine.empty()) {
    json.null("quarantine");
  } else {
    json.bytes("quarantine", draft.plan().quarantine);
  }
  json.flag("can_apply", can_apply);
  json.end_object();
  return std::move(json).take();
}

std::optional<Answer> refuse_acting(const Acts& acts) {
  if (acts.can_apply()) return std::nullopt;
  return error_answer(403, "not_allowed",
                      acts.can_plan()
                          ? "this server was started without --allow-apply; download the plan, and "
                            "use fathom apply"
                          : "a saved scan is served");
}

Answer without_newline(std::string text) {
  text.pop_back();
  return {.body = std::move(text)};
}

// All items count as failed until they are reported.
void count(const act::ItemResult& item, act::Applied& so_far) {
  if (item.outcome != act::Outcome::failed) --so_far.failed;
  if (item.outcome == act::Outcome::done) ++so_far.done;
  so_far.held += item.held;
}

Answer applied(Acts& acts, const act::Plan& plan) {
  act::RunOptions options;
  options.dry_run = false;
  options.journal = acts.options().keep(plan);
  options.cancel = acts.cancel_token();
  std::string text;
  const fs::Sink sink = into(text);
  act::RunJson json(sink, options.dry_run);
  act::Applied so_far{.failed = plan.items.size()};
  options.on_item = [&](const act::ItemResult& item) {
    count(item, so_far);
    json.item(item);
  };
  acts.begun(options.journal, plan);
  act::PlanApplied run;
  try {
    run = act::apply_plan(plan, options);
  } catch (const base::Error& error) {
    // What was moved before can still be moved back, also what was not reported anymore.
    acts.applied(options.journal, plan, so_far);
    return {.status = 409, .body = error_body("conflict", error.what(), options.journal)};
  } catch (...) {
    acts.applied(options.journal, plan, so_far);
    throw;
  }
  json.finish(run, options.journal);
  acts.applied(options.journal, plan, run);
  return without_newline(std::move(text));
}

Answer undone(Acts& acts, const std::string& journal) {
  act::RunUndoOptions options{.dry_run = false, .journal = journal, .cancel = acts.cancel_token()};
  std::string text;
  const fs::Sink sink = into(text);
  act::RunJson json(sink, options.dry_run);
  std::uint64_t done = 0;
  options.on_item = [&](const act::UndoneItem& item) {
    if (item.outcome == act::Outcome::done) ++done;
    json.undone(item);
  };
  act::RunUndone run;
  try {
    run = act::undo_run(options);
  } catch (...) {
    // The code was used, so that it needs another one to try again.
    acts.undone(journal, done, /*complete=*/false);
    throw;
  }
  json.finish(run);
  acts.undone(journal, run.done, run.complete());
  return without_newline(std::move(text));
}

}  // namespace

Answer plan_draft_answer(const PlanSource& source) {
  return with_draft(source, [](const PlanDraft& draft) {
    Answer answer{.type = kPlanText};
    act::write_plan(draft.plan(), into(answer.body));
    return answer;
  });
}

Answer plan_review_answer(const PlanSource& source) {
  return with_draft(source, [&source](const PlanDraft& draft) -> Answer {
    // What was examined so far is not the plan.
    if (source.cancel.cancelled()) return error_answer(503, "busy", "the server is stopping");
    const std::string digest = source.acts->add(draft.plan());
    return {.body =
                review_json(draft, *source.snapshot, digest, source.acts->accepts(draft.plan()))};
  });
}

Answer plan_apply_answer(Acts& acts, std::string_view body) {
  RequestBody given(body, {"digest", "items", "code"});
  const std::string digest = given.text("digest");
  const std::uint64_t items = given.integer("items");
  const std::string code = given.text("code");
  if (const auto& wrong = given.error()) return bad_request(*wrong);
  if (auto refused = refuse_acting(acts)) return *std::move(refused);
  std::variant<act::Plan, Answer> taken = acts.take(digest, items, code);
  if (auto* const refused = std::get_if<Answer>(&taken)) return std::move(*refused);
  return guarded([&] { return applied(acts, std::get<act::Plan>(taken)); });
}

Answer plan_undo_answer(Acts& acts, std::string_view body) {
  RequestBody given(body, {"journal", "journal_b64", "code"});
  const std::string journal = given.bytes("journal");
  const std::string code = given.text("code");
  if (const auto& wrong = given.error()) return bad_request(*wrong);
  if (auto refused = refuse_acting(acts)) return *std::move(refused);
  if (auto refused = acts.refuse_undo(journal, code)) return *std::move(refused);
  return guarded([&] { return undone(acts, journal); });
}

}  // namespace fathom::web
