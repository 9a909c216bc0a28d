// HttpConnection: HTTP on a TcpConnection. Responses are sent in the order of the requests.
//
// Guarantees: the service handles one request of a connection at a time; further input waits, and
// beyond the limits of TcpOptions it is not read. If the head of a request does not arrive in time,
// the connection ends with 408; if a request is not valid, or if the service does not trust it, the
// connection ends with that response. Belongs to the thread of the loop.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fathom/rt/net/event_loop.h"
#include "fathom/rt/net/tcp_connection.h"
#include "http/request.h"
#include "http/request_parser.h"
#include "http/response.h"

namespace fathom::web {

class HttpConnection;

// Answers requests.
class HttpService {
 public:
  virtual ~HttpService() = default;
  enum class Body : std::uint8_t {
    wanted,   // it is received before answer() is called, which then gets it; meanwhile, new
              // connections do not displace this one, so the request must be allowed
    ignored,  // the request is answered at once, and its body dropped as it arrives
    no_room,  // the same; answer() says so
  };
  // What to do with the body of a request, which has one.
  [[nodiscard]] virtual Body body_of(const Request& request) = 0;
  // Must call trust() of the connection, or reply() with a refusal, after which the connection
  // ends. If it trusts the connection, it must then call reply(), or wait() and later reply(), or
  // stream(). The request is valid only during the call.
  virtual void answer(const Request& request, HttpConnection& connection) = 0;
  // Handles input that is not a valid request. Must call reply().
  virtual void refuse(int status, HttpConnection& connection) = 0;
  // Called for a streaming connection when most of its output has been sent.
  virtual void sendable(HttpConnection& connection) = 0;
  virtual void closed(HttpConnection& connection) noexcept = 0;
};

class HttpConnection final : public rt::TcpHandler {
 public:
  // The time from accepting the connection, or from the first byte of a request, to the end of its
  // head: of the first request, and of those after one that was trusted.
  static constexpr std::chrono::seconds kTimeForFirstRequest{5};
  static constexpr std::chrono::seconds kTimeForRequest{10};
  // From the end of the head to the end of a body that the service wants.
  static constexpr std::chrono::seconds kTimeForBody{30};

  HttpConnection(rt::TcpConnection& connection, HttpService& service, HttpDate& date);
  ~HttpConnection() override;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  [[nodiscard]] rt::TcpConnection::Id id() const { return connection_.id(); }
  // The bytes of a body that is being received, including those that have not arrived.
  [[nodiscard]] std::size_t gathering() const { return gathers_ ? body_.size() + body_left_ : 0; }

  // The current request is allowed: the connection may be used for others, and new connections do
  // not displace it.
  void trust();
  // Answers the current request. The response may be shared among connections.
  void reply(WrittenResponse& response);
  void reply(const Response& response);
  // The answer comes later.
  void wait();
  // Answers with the head of an endless response; afterwards send() sends the body. Returns false
  // for a HEAD request, which ends with the head.
  bool stream(const Response& head);
  void send(std::string_view text) { connection_.send(text); }
  [[nodiscard]] bool is_congested() const { return connection_.is_congested(); }

  std::size_t on_data(rt::TcpConnection& connection, std::span<const std::byte> data) override;
  void on_leaving(rt::TcpConnection& connection) override;
  void on_end(rt::TcpConnection& connection) override;
  void on_sendable(rt::TcpConnection& connection) override;
  void on_shut_down(rt::TcpConnection& connection) override;
  void on_close(rt::TcpConnection& connection, int error) noexcept override;

 private:
  enum class State : std::uint8_t {
    reading,    // reading a request, or between two requests
    answering,  // in a call of the service
    waiting,    // the service will answer later
    streaming,
    finished,
  };

  void take(const Request& request, const Parsed& parsed, std::string_view bytes);
  std::size_t take_body(std::string_view bytes);
  void answer(const Request& request);
  void answer_with_body();
  void refuse(int status);
  void finish();
  void start_clock(std::chrono::seconds time);
  void stop_clock();

  rt::TcpConnection& connection_;
  HttpService& service_;
  HttpDate& date_;
  rt::EventLoop::Timer clock_;
  bool clock_runs_ = false;
  bool has_begun_ = false;     // something has been received
  bool was_trusted_ = false;   // a request was
  std::size_t known_ = 0;      // bytes of an incomplete head that were parsed
  std::size_t body_left_ = 0;  // bytes of the body of the last request that have not arrived
  bool gathers_ = false;       // they are kept for the service, with the head; else dropped
  std::string head_;
  std::string body_;
  State state_ = State::reading;
  // Of the current request.
  bool trusted_ = false;
  bool head_only_ = false;
  bool keep_alive_ = false;
  bool knows_interim_ = false;
};

}  // namespace fathom::web
