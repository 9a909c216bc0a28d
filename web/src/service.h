// Service: checks access, and answers the paths of the HTTP interface (docs/HTTP.md).
//
// The thread of the loop answers what is available: the page, the status, cached answers. Other
// threads compute answers from a snapshot.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "access/access_policy.h"
#include "answers.h"
#include "api/acts.h"
#include "api/stored_snapshots.h"
#include "fathom/base/atomic.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/net/event_loop.h"
#include "fathom/web/acting.h"
#include "held_bodies.h"
#include "http/connection.h"
#include "http/response.h"
#include "live/listeners.h"
#include "live/session.h"
#include "questions.h"
#include "routes.h"

namespace fathom::web {

class Service final : public HttpService {
 public:
  // The loop must outlive it.
  Service(rt::EventLoop& loop, AccessPolicy access, Subject subject, Acting acting = {});

  [[nodiscard]] std::unique_ptr<rt::TcpHandler> connect(rt::TcpConnection& connection);

  // Cancels scans and searches, and stops computing answers.
  void cancel();
  // Whether threads are still working; the destructor would wait for them.
  [[nodiscard]] bool busy() const {
    return session_.busy() || questions_.under_way() > 0 || slow_questions_.under_way() > 0;
  }

  [[nodiscard]] const Questions& questions() const { return questions_; }

  [[nodiscard]] Body body_of(const Request& request) override;
  void answer(const Request& request, HttpConnection& connection) override;
  void refuse(int status, HttpConnection& connection) override;
  void sendable(HttpConnection& connection) override;
  void closed(HttpConnection& connection) noexcept override;

 private:
  using Id = rt::TcpConnection::Id;

  void serve_page(const Request& request, HttpConnection& connection);
  void serve_api(const Request& request, HttpConnection& connection);
  void refuse_route(const Request& request, const Question& question, HttpConnection& connection);
  void refuse_command(HttpConnection& connection);
  [[nodiscard]] std::string status_text() const;
  void serve_search(bool complete, const Question& question, const Request& request,
                    HttpConnection& connection);
  void serve_events(HttpConnection& connection);
  void serve_answer(const Request& request, HttpConnection& connection);
  [[nodiscard]] std::string question_of(const Request& request, bool packed,
                                        const HttpConnection& connection) const;
  struct Asked;
  void ask(std::shared_ptr<const Asked> asked, HttpConnection& connection,
           std::string_view if_none_match);
  [[nodiscard]] Questions& questions_like(const Asked& asked);
  void compute(const std::shared_ptr<const Asked>& asked, Questions::Number number,
               const rt::CancelToken& cancel);
  void computed(const Asked& asked, Questions::Number number,
                const std::shared_ptr<KeptAnswer>& answer);

  void changed();

  rt::EventLoop& loop_;
  AccessPolicy access_;
  HttpDate date_;
  Answers answers_;
  Questions questions_;
  Questions slow_questions_;  // with a thread of their own
  std::unordered_map<Id, HttpConnection*> connections_;
  // The state that the cached answers are about, and its number.
  std::shared_ptr<const Snapshot> shown_;
  std::shared_ptr<const fs::Duplicates> shown_duplicates_;
  std::shared_ptr<const CleanFound> shown_clean_;
  std::uint64_t edition_ = 0;
  HeldBodies bodies_;
  StoredSnapshots stored_;
  Acts acts_;
  Session session_;
  Listeners listeners_;
  base::atomic<bool> stopping_{false};
  // Last, because its tasks use the other members. Posted jobs check whether the service still
  // exists.
  std::shared_ptr<Service*> self_ = std::make_shared<Service*>(this);
  std::unique_ptr<rt::Executor> executor_;
  std::unique_ptr<rt::Executor> slow_executor_;
};

}  // namespace fathom::web
