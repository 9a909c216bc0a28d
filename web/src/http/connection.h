// HttpConnection: a TcpConnection on which requests come one after the other, and responses go out
// in the same order.
//
// Guarantees: one request at a time is with the service; what else has come waits, unread beyond
// the limits of TcpOptions. A request whose head does not arrive in time ends the connection with
// 408, one that is none with its error. Belongs to the thread of the loop.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fathom/rt/net/event_loop.h"
#include "fathom/rt/net/tcp_connection.h"
#include "http/request.h"
#include "http/response.h"

namespace fathom::web {

class HttpConnection;

// What answers.
class HttpService {
 public:
  virtual ~HttpService() = default;
  // Calls reply() of the connection, or wait() and later reply(), or stream(). The request holds
  // during the call.
  virtual void answer(const Request& request, HttpConnection& connection) = 0;
  // To what is no request: calls reply().
  virtual void refuse(int status, HttpConnection& connection) = 0;
  // Of a connection that streams: what was sent has mostly gone out.
  virtual void sendable(HttpConnection& connection) = 0;
  virtual void closed(HttpConnection& connection) noexcept = 0;
};

class HttpConnection final : public rt::TcpHandler {
 public:
  // From being accepted, or from the first byte of a request, to the end of its head.
  static constexpr std::chrono::seconds kTimeForRequest{10};

  HttpConnection(rt::TcpConnection& connection, HttpService& service, HttpDate& date);
  ~HttpConnection() override;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  [[nodiscard]] rt::TcpConnection::Id id() const { return connection_.id(); }

  // The answer to the request that is with the service. It may be shared among connections.
  void reply(WrittenResponse& response);
  void reply(const Response& response);
  // The answer comes later.
  void wait();
  // Answers with the head of a response without an end; from now on what send() is given. False
  // where the head was all that was asked for.
  bool stream(const Response& head);
  void send(std::string_view text) { connection_.send(text); }
  [[nodiscard]] bool is_congested() const { return connection_.is_congested(); }

  std::size_t on_data(rt::TcpConnection& connection, std::span<const std::byte> data) override;
  void on_end(rt::TcpConnection& connection) override;
  void on_sendable(rt::TcpConnection& connection) override;
  void on_shut_down(rt::TcpConnection& connection) override;
  void on_close(rt::TcpConnection& connection, int error) noexcept override;

 private:
  enum class State : std::uint8_t {
    reading,    // a request, or between two
    answering,  // one is with the service
    waiting,    // the same, and it has returned
    streaming,
    finished,
  };

  void answer(const Request& request);
  void refuse(int status);
  void finish();
  void start_clock();
  void stop_clock();

  rt::TcpConnection& connection_;
  HttpService& service_;
  HttpDate& date_;
  rt::EventLoop::Timer clock_;
  bool clock_runs_ = false;
  bool has_begun_ = false;     // something was received
  std::size_t body_left_ = 0;  // of the last request, to be dropped
  State state_ = State::reading;
  bool head_only_ = false;  // of the request that is with the service, as is the next
  bool keep_alive_ = false;
};

}  // namespace fathom::web
