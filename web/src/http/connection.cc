// HttpConnection: the state machine of a connection.

#include "http/connection.h"

#include <algorithm>
#include <utility>

#include "fathom/rt/net/tcp_server.h"

namespace fathom::web {

HttpConnection::HttpConnection(rt::TcpConnection& connection, HttpService& service, HttpDate& date)
    : connection_(connection), service_(service), date_(date) {
  start_clock(kTimeForFirstRequest);
}

HttpConnection::~HttpConnection() {
  stop_clock();
}

std::size_t HttpConnection::on_data(rt::TcpConnection& /*connection*/,
                                    std::span<const std::byte> data) {
  std::string_view rest(reinterpret_cast<const char*>(data.data()), data.size());
  has_begun_ = true;
  while (state_ == State::reading && !rest.empty() && !connection_.is_congested()) {
    if (body_left_ > 0) {
      rest.remove_prefix(take_body(rest));
      continue;
    }
    if (known_ > 0 && !may_tell_more(rest, known_)) {
      known_ = rest.size();
      return data.size() - rest.size();
    }
    Request request;
    const Parsed parsed = parse_request(rest, request);
    known_ = parsed.state == Parsed::State::incomplete ? rest.size() : 0;
    switch (parsed.state) {
      case Parsed::State::incomplete:
        start_clock(was_trusted_ ? kTimeForRequest : kTimeForFirstRequest);
        return data.size() - rest.size();
      case Parsed::State::refused:
        refuse(parsed.status);
        return data.size();
      case Parsed::State::complete:
        stop_clock();
        take(request, parsed, rest);
        rest.remove_prefix(parsed.used);
    }
  }
  // Ignores further input of a client that reads a stream, or to which the end was announced.
  if (state_ == State::streaming || state_ == State::finished) return data.size();
  return data.size() - rest.size();
}

// A request with a complete head, which is at the beginning of the bytes.
void HttpConnection::take(const Request& request, const Parsed& parsed, std::string_view bytes) {
  using Body = HttpService::Body;
  const Body body = parsed.body > 0 ? service_.body_of(request) : Body::ignored;
  const bool is_large = parsed.body > kMaxDroppedBody;
  if (body == Body::ignored && is_large) return refuse(413);
  body_left_ = parsed.body;
  if (body != Body::wanted) {
    Request last = request;
    last.keep_alive = request.keep_alive && !is_large;
    return answer(last);
  }
  connection_.keep();
  gathers_ = true;
  head_ = bytes.substr(0, parsed.used);
  if (request.expects_interim && request.knows_interim) send("HTTP/1.1 100 Continue\r\n\r\n");
  start_clock(kTimeForBody);
}

// Returns how many bytes belong to the body.
std::size_t HttpConnection::take_body(std::string_view bytes) {
  const std::size_t count = std::min(body_left_, bytes.size());
  body_left_ -= count;
  if (gathers_) body_.append(bytes.substr(0, count));
  if (gathers_ && body_left_ == 0) answer_with_body();
  return count;
}

void HttpConnection::answer_with_body() {
  stop_clock();
  gathers_ = false;
  // The request refers to the bytes of its head.
  const std::string head = std::exchange(head_, {});
  const std::string body = std::exchange(body_, {});
  Request request;
  static_cast<void>(parse_request(head, request));
  request.body = body;
  answer(request);
}

void HttpConnection::answer(const Request& request) {
  state_ = State::answering;
  trusted_ = false;
  head_only_ = request.method == Method::head;
  keep_alive_ = request.keep_alive;
  knows_interim_ = request.knows_interim;
  service_.answer(request, *this);
}

void HttpConnection::refuse(int status) {
  stop_clock();
  state_ = State::answering;
  trusted_ = false;
  head_only_ = false;
  keep_alive_ = false;
  service_.refuse(status, *this);
}

void HttpConnection::trust() {
  trusted_ = true;
  was_trusted_ = true;
  connection_.keep();
}

void HttpConnection::reply(WrittenResponse& response) {
  if (state_ != State::answering && state_ != State::waiting) return;
  const std::string_view date = date_.at(connection_.server().loop().now());
  const bool waited = state_ == State::waiting;
  state_ = State::reading;
  if (!keep_alive_ || !trusted_) {
    connection_.send(response.closing(date, head_only_));
    return finish();
  }
  connection_.send(head_only_ ? response.head(date) : response.bytes(date));
  if (waited) connection_.resume();
}

void HttpConnection::reply(const Response& response) {
  WrittenResponse written(response);
  reply(written);
}

void HttpConnection::wait() {
  state_ = State::waiting;
  connection_.pause();
}

bool HttpConnection::stream(const Response& head) {
  WrittenResponse written(head);
  const std::string_view date = date_.at(connection_.server().loop().now());
  connection_.send(written.closing(date, true));
  state_ = State::streaming;
  if (head_only_) finish();
  return !head_only_;
}

void HttpConnection::finish() {
  state_ = State::finished;
  // The client may keep the connection for a while.
  gathers_ = false;
  std::string().swap(head_);
  std::string().swap(body_);
  connection_.finish();
}

// Either the client has only closed its sending side and waits for the answer, or it is gone. An
// interim response (RFC 9110, 15.2) tells: a client that is gone resets the connection, which then
// ends, and with it the question. A client of HTTP/1.0 cannot be asked, and counts as gone.
void HttpConnection::on_leaving(rt::TcpConnection& connection) {
  if (state_ != State::waiting) return;
  if (!knows_interim_) return connection.close();
  send("HTTP/1.1 100 Continue\r\n\r\n");
}

// A client that has closed its sending side may still wait for an answer.
void HttpConnection::on_end(rt::TcpConnection& /*connection*/) {
  if (state_ == State::waiting) {
    keep_alive_ = false;
    return;
  }
  finish();
}

void HttpConnection::on_sendable(rt::TcpConnection& /*connection*/) {
  if (state_ == State::streaming) service_.sendable(*this);
}

void HttpConnection::on_shut_down(rt::TcpConnection& connection) {
  on_end(connection);
}

void HttpConnection::on_close(rt::TcpConnection& /*connection*/, int /*error*/) noexcept {
  stop_clock();
  state_ = State::finished;
  service_.closed(*this);
}

void HttpConnection::start_clock(std::chrono::seconds time) {
  if (clock_runs_) return;
  clock_runs_ = true;
  clock_ = connection_.server().loop().after(time, [this] {
    clock_runs_ = false;
    // Browsers open connections that they may never use.
    if (!has_begun_) return connection_.close();
    refuse(408);
  });
}

void HttpConnection::stop_clock() {
  if (!clock_runs_) return;
  clock_runs_ = false;
  connection_.server().loop().cancel(clock_);
}

}  // namespace fathom::web
