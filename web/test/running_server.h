// RunningServer: a server whose loop runs on a separate thread, for blocking clients.

#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "fathom/rt/net/reactor.h"
#include "fathom/web/server.h"
#include "http_client.h"

namespace fathom::web {

class RunningServer {
 public:
  explicit RunningServer(const ServerOptions& options)
      : server_(std::make_unique<Server>(loop_, options)),
        address_(server_->address()),
        port_(server_->port()),
        thread_([this] { loop_.run(); }) {}
  ~RunningServer() { destroy(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  // Stops the server, whatever is in progress.
  void destroy() {
    stop();
    server_.reset();
  }
  // Calls shut_down() and waits for its end.
  void shut_down(std::chrono::nanoseconds grace) {
    std::promise<void> done;
    loop_.post([&] { server_->shut_down(grace, [&] { done.set_value(); }); });
    done.get_future().wait();
  }
  // Blocks the loop until the returned promise is fulfilled.
  std::promise<void> hold_loop() {
    std::promise<void> go_on;
    auto goes_on = std::make_shared<std::future<void>>(go_on.get_future());
    loop_.post([goes_on] { goes_on->wait(); });
    return go_on;
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] std::string token() const { return address_.substr(address_.find('=') + 1); }
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

  [[nodiscard]] HttpClient connect() const { return HttpClient(port_); }
  // The text of an authorized request with these additional headers.
  [[nodiscard]] std::string request(const std::string& target, const std::string& method = "GET",
                                    const std::string& headers = "") const {
    return method + ' ' + target + " HTTP/1.1\r\nHost: " + host() + "\r\nAuthorization: Bearer " +
           token() + "\r\n" + headers + "\r\n";
  }
  [[nodiscard]] HttpReply ask(const std::string& target, const std::string& method = "GET",
                              const std::string& headers = "") const {
    HttpClient client = connect();
    client.send(request(target, method, headers));
    return client.reply(method == "HEAD");
  }

 private:
  void stop() {
    if (!thread_.joinable()) return;
    loop_.stop();
    thread_.join();
  }

  rt::Reactor loop_;
  std::unique_ptr<Server> server_;
  const std::string address_;
  const std::uint16_t port_;
  std::thread thread_;
};

}  // namespace fathom::web
