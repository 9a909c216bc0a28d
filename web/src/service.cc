// Service: routing, caching and computing of answers.

#include "service.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "access/refusal_page.h"
#include "api/status.h"
#include "fathom/base/error.h"
#include "fathom/rt/task.h"
#include "http/gzip.h"
#include "page_files.h"

namespace fathom::web {

namespace {

constexpr std::string_view kReads = "GET, HEAD";
constexpr std::size_t kMaxUnderWay = 256;          // questions being answered
constexpr std::size_t kWorthPacking = 1024;        // bytes; compressing less does not pay
constexpr std::size_t kMostBodies = 4 * kMaxBody;  // bytes, of all requests that arrive or wait
constexpr unsigned kThreads = 2;
constexpr unsigned kSlowThreads = 1;  // acts follow each other

Response error_response(int status, std::string_view code, std::string_view message) {
  return {.status = status, .body = error_body(code, message)};
}

Response busy_response(std::string_view message) {
  Response response = error_response(503, "busy", message);
  response.headers = "Retry-After: 1\r\n";
  return response;
}

Response method_response(std::string_view allowed) {
  Response response =
      error_response(405, "method", "this path accepts only " + std::string(allowed));
  response.headers = "Allow: " + std::string(allowed) + "\r\n";
  return response;
}

Response response_of(Answer answer) {
  Response response{.status = answer.status, .type = answer.type, .body = std::move(answer.body)};
  if (answer.status == 503) response.headers = "Retry-After: 1\r\n";
  return response;
}

// A hash (XXH3) of the body: different bodies have the same tag with a probability of 2^-64.
std::string etag_of(std::string_view body, bool packed) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "\"%016llx%s\"",
                static_cast<unsigned long long>(XXH3_64bits(body.data(), body.size())),
                packed ? "-z" : "");
  return text.data();
}

bool names(std::string_view if_none_match, std::string_view etag) {
  return if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos;
}

// How an answer may be sent.
struct Sending {
  bool packed = false;       // compressed, if that is worthwhile
  bool conditional = false;  // with the headers for conditional requests
};

std::shared_ptr<KeptAnswer> kept(Answer answer, Sending sending) {
  const bool keep = answer.keep;
  Response response = response_of(std::move(answer));
  if (response.status != 200) {
    return std::make_shared<KeptAnswer>(
        KeptAnswer{"", WrittenResponse(response), WrittenResponse(response)});
  }
  const bool packed = sending.packed && response.body.size() >= kWorthPacking;
  const std::string etag = sending.conditional ? etag_of(response.body, packed) : "";
  response.headers = "Vary: Accept-Encoding\r\n";
  if (sending.conditional) response.headers += "ETag: " + etag + "\r\n";
  WrittenResponse not_modified(Response{.status = 304, .headers = response.headers});
  if (packed) {
    response.headers += "Content-Encoding: gzip\r\n";
    response.body = gzip(response.body);
  }
  return std::make_shared<KeptAnswer>(
      KeptAnswer{etag, WrittenResponse(response), std::move(not_modified), keep});
}

void reply(HttpConnection& connection, KeptAnswer& answer, std::string_view if_none_match) {
  const bool has_it = !answer.etag.empty() && names(if_none_match, answer.etag);
  connection.reply(has_it ? answer.not_modified : answer.full);
}

void reply(HttpConnection& connection, Answer answer, const Request& request) {
  reply(connection, *kept(std::move(answer), {.conditional = true}), request.if_none_match);
}

// A task that owns itself, and deletes itself after it has run.
template <class Function>
class OwnTask final : public rt::Task {
 public:
  explicit OwnTask(Function function) : Task(&run), function_(std::move(function)) {}

 private:
  static void run(rt::Task& task) noexcept {
    const std::unique_ptr<OwnTask> self(static_cast<OwnTask*>(&task));
    self->function_();
  }
  Function function_;
};

template <class Function>
void submit(rt::Executor& executor, Function function) {
  auto task = std::make_unique<OwnTask<Function>>(std::move(function));
  executor.submit(task.get());
  static_cast<void>(task.release());  // run() deletes it
}

// For programs as JSON, or for other paths as text; for people, a page.
Response refusal_response(const AccessPolicy::Refusal& refusal, const Request& request) {
  Response response = error_response(refusal.status, refusal.code, refusal.message);
  if (!request.path().starts_with(kApi)) {
    const bool for_people = request.accept.find("text/html") != std::string_view::npos;
    response.type = for_people ? kHtml : kPlainText;
    response.styles = for_people ? kRefusalStyles : std::string_view();
    response.body = for_people ? refusal_page(refusal.status)
                               : "fathom: " + std::string(refusal.message) + '\n';
  }
  if (refusal.status == 401) response.headers = "WWW-Authenticate: Bearer\r\n";
  return response;
}

bool is_read(const Request& request) {
  return request.method == Method::get || request.method == Method::head;
}

bool is_api(std::string_view path) {
  return path.starts_with(kApi);
}

}  // namespace

Service::Service(rt::EventLoop& loop, AccessPolicy access, Subject subject, Acting acting)
    : loop_(loop),
      access_(std::move(access)),
      questions_(kThreads),
      slow_questions_(kSlowThreads),
      stored_(subject.store, {subject.selection_words, subject.saved != nullptr}),
      acts_(std::move(acting), subject.saved != nullptr),
      session_(loop, std::move(subject), [this] { changed(); }),
      listeners_(loop, [this] { return "event: status\ndata: " + status_text() + "\n\n"; }),
      executor_(std::make_unique<rt::Executor>(
          rt::Executor::Options{.threads = kThreads, .name = "fathom-answer"})),
      slow_executor_(std::make_unique<rt::Executor>(
          rt::Executor::Options{.threads = kSlowThreads, .name = "fathom-act"})) {}

void Service::cancel() {
  stopping_.store(true, base::memory_order_relaxed);
  session_.cancel();
  acts_.cancel();
  slow_questions_.cancel();
}

std::unique_ptr<rt::TcpHandler> Service::connect(rt::TcpConnection& connection) {
  auto handler = std::make_unique<HttpConnection>(connection, *this, date_);
  connections_.emplace(connection.id(), handler.get());
  return handler;
}

void Service::closed(HttpConnection& connection) noexcept {
  connections_.erase(connection.id());
  listeners_.remove(connection);
  questions_.leave(connection.id());
  slow_questions_.leave(connection.id());
}

// Wants only those of requests that are allowed, and as long as all bodies together fit.
HttpService::Body Service::body_of(const Request& request) {
  if (!is_api(request.path()) || access_.judge(request)) return Body::ignored;
  const Route* const route = find_route(request.method, request.path().substr(kApi.size()));
  if (route == nullptr || !route->takes_body()) return Body::ignored;
  std::size_t bodies = request.body_size + bodies_.bytes();
  for (const auto& [id, connection] : connections_) bodies += connection->gathering();
  return bodies <= kMostBodies ? Body::wanted : Body::no_room;
}

void Service::answer(const Request& request, HttpConnection& connection) {
  const std::string_view path = request.path();
  if (const auto refusal = access_.judge(request)) {
    return connection.reply(refusal_response(*refusal, request));
  }
  connection.trust();
  if (is_api(path)) return serve_api(request, connection);
  serve_page(request, connection);
}

void Service::refuse(int status, HttpConnection& connection) {
  switch (status) {
    case 408:
      return connection.reply(
          error_response(408, "timeout", "the request took too long to arrive"));
    case 413:
      return connection.reply(error_response(
          413, "too_large",
          "the limit for a body is 4 MiB for a plan with the token, and 64 KiB otherwise"));
    case 414:
      return connection.reply(error_response(414, "too_long", "the limit for a target is 8 KiB"));
    case 431:
      return connection.reply(error_response(431, "too_large", "the limit for headers is 16 KiB"));
    default:
      return connection.reply(error_response(400, "bad_request", "not a valid HTTP/1.1 request"));
  }
}

// ---- The page

void Service::serve_page(const Request& request, HttpConnection& connection) {
  if (!is_read(request)) return connection.reply(method_response(kReads));
  const auto files = page_files();
  const auto file = std::find_if(files.begin(), files.end(), [&](const PageFile& candidate) {
    return candidate.path == request.path();
  });
  Response response{.type = kPlainText};
  if (comes_by_address(request)) response.headers = access_.set_cookie();
  if (file == files.end()) {
    const bool is_missing = files.empty() && request.path() == "/";
    response.status = is_missing ? 503 : 404;
    response.body = is_missing
                        ? "fathom: this program was built without its page, because Node was "
                          "missing; it serves only the HTTP interface that docs/HTTP.md describes, "
                          "such as /api/1/status\n"
                        : "fathom: not found\n";
    return connection.reply(response);
  }
  response.type = file->type;
  const bool packed = accepts_gzip(request.accept_encoding);
  const std::string etag = etag_of(file->gzip, packed);
  response.headers += "Vary: Accept-Encoding\r\nETag: " + etag + "\r\n";
  if (names(request.if_none_match, etag)) {
    response.status = 304;
  } else if (packed) {
    response.headers += "Content-Encoding: gzip\r\n";
    response.body = file->gzip;
  } else {
    response.body = gunzip(file->gzip);
  }
  connection.reply(response);
}

// ---- The interface

// What a computation needs of a request.
struct Service::Asked {
  std::string question;
  Method method;
  std::string path;  // after /api/1/
  std::string query;
  std::shared_ptr<const std::string> body;
  bool packed;
  bool slow;
  std::uint64_t edition;

  [[nodiscard]] Sending sending() const {
    return {.packed = packed, .conditional = method != Method::post};
  }
};

void Service::serve_api(const Request& request, HttpConnection& connection) {
  Question question{request.path().substr(kApi.size()), request.query(), session_.snapshot().get(),
                    &session_.duplicates()};
  question.clean = &session_.clean();
  const Route* const route = find_route(request.method, question.path);
  if (route == nullptr) return refuse_route(request, question, connection);
  if (route->parameters.all().empty() && !question.query.empty()) {
    return connection.reply(error_response(400, "bad_request", "this path takes no parameters"));
  }
  switch (route->action) {
    case Action::status:
      return reply(connection, {.body = status_text()}, request);
    case Action::events:
      return serve_events(connection);
    case Action::rescan:
      if (!session_.rescan()) return refuse_command(connection);
      return connection.reply({.status = 202, .body = status_text()});
    case Action::cancel:
      if (!session_.cancel_search()) {
        return connection.reply(error_response(409, "conflict", "no search is running"));
      }
      return connection.reply({.status = 202, .body = status_text()});
    case Action::find_duplicates:
      if (!session_.find_duplicates()) return refuse_command(connection);
      return connection.reply({.status = 202, .body = fathom::web::answer(question).body});
    case Action::find_clean:
      if (!session_.find_clean()) return refuse_command(connection);
      return connection.reply({.status = 202, .body = fathom::web::answer(question).body});
    case Action::duplicates:
      return serve_search(session_.duplicates().state == DuplicatesState::complete, question,
                          request, connection);
    case Action::clean:
      return serve_search(session_.clean().phase == CleanState::Phase::done, question, request,
                          connection);
    case Action::answer:
      return serve_answer(request, connection);
  }
}

// The state of a search, or what it has found.
void Service::serve_search(bool complete, const Question& question, const Request& request,
                           HttpConnection& connection) {
  if (complete) return serve_answer(request, connection);
  reply(connection, fathom::web::answer(question), request);
}

// There is no such path, or it has other methods.
void Service::refuse_route(const Request& request, const Question& question,
                           HttpConnection& connection) {
  const std::string allowed = allowed_methods(question.path);
  if (!allowed.empty()) return connection.reply(method_response(allowed));
  if (!is_read(request)) return connection.reply(method_response(kReads));
  reply(connection, fathom::web::answer(question), request);
}

void Service::refuse_command(HttpConnection& connection) {
  const bool saved = session_.status().source == ScanSource::file;
  connection.reply(
      error_response(409, "conflict",
                     saved ? "a saved scan cannot be scanned again or searched"
                           : "a scan or a search runs or was requested, or the server stops"));
}

std::string Service::status_text() const {
  return status_json(session_.status(), session_.snapshot().get(), acts_.can_apply());
}

// Answers from the cache, or lets a thread of the executor compute the answer, once for all clients
// that wait for it.
void Service::serve_answer(const Request& request, HttpConnection& connection) {
  const std::string_view path = request.path().substr(kApi.size());
  const Route& route = *find_route(request.method, path);
  // A body that the route takes is incomplete only if there was no room for it.
  if (route.takes_body() && request.body.size() < request.body_size) {
    return connection.reply(busy_response("too many bodies at the same time; try again"));
  }
  const bool packed = accepts_gzip(request.accept_encoding);
  const std::string question = question_of(request, packed, connection);
  if (const auto known = answers_.find(question)) {
    return reply(connection, *known, request.if_none_match);
  }
  if (questions_.under_way() + slow_questions_.under_way() >= kMaxUnderWay) {
    return connection.reply(busy_response("too many requests at the same time; try again"));
  }
  ask(std::make_shared<const Asked>(Asked{question, route.method, std::string(path),
                                          std::string(request.query()), bodies_.hold(request.body),
                                          packed, route.slow, edition_}),
      connection, request.if_none_match);
}

void Service::ask(std::shared_ptr<const Asked> asked, HttpConnection& connection,
                  std::string_view if_none_match) {
  connection.wait();
  const std::string question = asked->question;
  Questions& questions = questions_like(*asked);
  questions.ask(
      question, {connection.id(), std::string(if_none_match)},
      [this, asked = std::move(asked)](Questions::Number number, const rt::CancelToken& cancel) {
        compute(asked, number, cancel);
      });
}

Questions& Service::questions_like(const Asked& asked) {
  return asked.slow ? slow_questions_ : questions_;
}

// The key of the cache. It contains everything that the answer depends on, so that no client that
// knows a newer snapshot gets an answer about an older one. A request with a body is a question of
// its own.
std::string Service::question_of(const Request& request, bool packed,
                                 const HttpConnection& connection) const {
  std::string question = std::to_string(edition_);
  question += packed ? 'z' : '-';
  if (request.method == Method::post) question += std::to_string(connection.id());
  question += request.target;
  return question;
}

// The snapshot is the newest one when a thread is free, not the one when the question was asked: a
// question that waits must not keep an old snapshot.
void Service::compute(const std::shared_ptr<const Asked>& asked, Questions::Number number,
                      const rt::CancelToken& cancel) {
  const auto tell = [this, alive = std::weak_ptr(self_), asked, number](auto made) {
    loop_.post([alive, asked, number, made] {
      if (const auto service = alive.lock()) (*service)->computed(*asked, number, made);
    });
  };
  auto task = [this, tell, asked, cancel, snapshot = session_.snapshot(),
               duplicates = session_.duplicates(), clean = session_.clean()]() noexcept {
    std::shared_ptr<KeptAnswer> made;
    try {
      if (stopping_.load(base::memory_order_relaxed)) {
        made = kept(error_answer(503, "busy", "the server is stopping"), {});
      } else {
        Answer answer =
            fathom::web::answer({asked->path, asked->query, snapshot.get(), &duplicates, cancel,
                                 &stored_, asked->method, *asked->body, &acts_, &clean});
        if (!cancel.cancelled()) made = kept(std::move(answer), asked->sending());
      }
    } catch (const std::exception&) {
      made = kept(error_answer(503, "busy", "not enough memory for this answer"), {});
    }
    // If this task has the last reference, the snapshot is destroyed here, which may take long.
    tell(std::move(made));
  };
  try {
    submit(asked->slow ? *slow_executor_ : *executor_, std::move(task));
  } catch (const base::Error&) {
    tell(kept(error_answer(503, "busy", "cannot start a thread"), {}));
  }
}

// answer: null if it was cancelled, because nobody waits for it or the server is stopping.
void Service::computed(const Asked& asked, Questions::Number number,
                       const std::shared_ptr<KeptAnswer>& answer) {
  const bool current = asked.edition == edition_ && answer != nullptr && !answer->etag.empty();
  if (current && answer->keep) answers_.keep(asked.question, answer);
  for (const Questions::Waiter& waiter : questions_like(asked).ended(number)) {
    const auto connection = connections_.find(waiter.connection);
    if (connection == connections_.end()) continue;
    if (answer == nullptr) {
      connection->second->reply(busy_response("the server is stopping"));
    } else {
      reply(*connection->second, *answer, waiter.if_none_match);
    }
  }
}

// ---- Events

void Service::serve_events(HttpConnection& connection) {
  if (listeners_.full()) return connection.reply(busy_response("too many event streams"));
  if (!connection.stream({.type = "text/event-stream", .without_length = true})) return;
  listeners_.add(connection);
}

void Service::sendable(HttpConnection& connection) {
  listeners_.sendable(connection);
}

void Service::changed() {
  if (shown_ != session_.snapshot() || shown_duplicates_ != session_.duplicates().found ||
      shown_clean_ != session_.clean().found) {
    shown_ = session_.snapshot();
    shown_duplicates_ = session_.duplicates().found;
    shown_clean_ = session_.clean().found;
    ++edition_;
    answers_.forget();
  }
  listeners_.changed();
}

}  // namespace fathom::web
