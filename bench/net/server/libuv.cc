// libuv: streams that read into one buffer of the loop, and uv_try_write(), which sends
// immediately. Only bytes that cannot be sent are copied and passed to uv_write(), and the client
// is not read from until that is done.

#include <uv.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

void check(int result, const char* what) {
  if (result < 0) throw base::Error(std::string(what) + ": " + uv_strerror(result));
}

struct Client {
  uv_tcp_t stream;
  uv_write_t request;
  std::vector<char> kept;  // the bytes of `request`
};

class Loop {
 public:
  Loop(base::Fd listener, int stop) {
    check(uv_loop_init(&loop_), "uv_loop_init");
    loop_.data = this;
    check(uv_poll_init(&loop_, &stop_, stop), "uv_poll_init");
    check(
        uv_poll_start(&stop_, UV_READABLE, [](uv_poll_t* poll, int, int) { uv_stop(poll->loop); }),
        "uv_poll_start");
    check(uv_tcp_init(&loop_, &listener_), "uv_tcp_init");
    check(uv_tcp_open(&listener_, listener.release()), "uv_tcp_open");
    check(uv_listen(stream(listener_), kBacklog, [](uv_stream_t* from, int) { of(from).accept(); }),
          "uv_listen");
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  ~Loop() {
    uv_walk(
        &loop_,
        [](uv_handle_t* handle, void* loop) {
          if (uv_is_closing(handle)) return;
          const auto* const self = static_cast<Loop*>(loop);
          const bool own = handle == reinterpret_cast<const uv_handle_t*>(&self->listener_) ||
                           handle == reinterpret_cast<const uv_handle_t*>(&self->stop_);
          uv_close(handle, own ? nullptr : &closed);
        },
        this);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  void run() { uv_run(&loop_, UV_RUN_DEFAULT); }

 private:
  static uv_stream_t* stream(uv_tcp_t& tcp) { return reinterpret_cast<uv_stream_t*>(&tcp); }
  static uv_handle_t* handle(uv_tcp_t& tcp) { return reinterpret_cast<uv_handle_t*>(&tcp); }
  static Loop& of(uv_stream_t* any) { return *static_cast<Loop*>(any->loop->data); }
  static Client& client_of(uv_stream_t* stream) { return *static_cast<Client*>(stream->data); }

  // libuv calls it once per client; if descriptors run out, libuv refuses clients itself.
  void accept() {
    auto client = std::make_unique<Client>();
    check(uv_tcp_init(&loop_, &client->stream), "uv_tcp_init");
    client->stream.data = client.get();
    uv_stream_t* const taken = stream(client.release()->stream);  // closed() deletes it
    if (uv_accept(stream(listener_), taken) != 0 ||
        uv_read_start(taken, &offer_buffer, &received) != 0) {
      end(taken);
    }
  }

  static void offer_buffer(uv_handle_t* handle, std::size_t, uv_buf_t* offered) {
    std::vector<char>& buffer = static_cast<Loop*>(handle->loop->data)->buffer_;
    *offered = uv_buf_init(buffer.data(), static_cast<unsigned>(buffer.size()));
  }

  static void received(uv_stream_t* from, ssize_t count, const uv_buf_t* bytes) {
    if (count == 0) return;  // like EAGAIN
    if (count < 0) {
      end(from);
      return;
    }
    uv_buf_t rest = uv_buf_init(bytes->base, static_cast<unsigned>(count));
    const int sent = uv_try_write(from, &rest, 1);
    if (sent == count) return;
    if (sent < 0 && sent != UV_EAGAIN) {
      end(from);
      return;
    }
    const auto gone = static_cast<std::size_t>(sent < 0 ? 0 : sent);
    send_later(from, {rest.base + gone, rest.base + count});
  }

  static void send_later(uv_stream_t* to, std::vector<char> rest) {
    uv_read_stop(to);
    Client& client = client_of(to);
    client.kept = std::move(rest);
    const uv_buf_t bytes =
        uv_buf_init(client.kept.data(), static_cast<unsigned>(client.kept.size()));
    if (uv_write(&client.request, to, &bytes, 1, &sent_all) != 0) end(to);
  }

  static void sent_all(uv_write_t* request, int status) {
    uv_stream_t* const to = request->handle;
    if (uv_is_closing(reinterpret_cast<uv_handle_t*>(to))) return;
    client_of(to).kept = {};
    if (status != 0 || uv_read_start(to, &offer_buffer, &received) != 0) end(to);
  }

  static void end(uv_stream_t* stream) {
    uv_close(reinterpret_cast<uv_handle_t*>(stream), &closed);
  }
  static void closed(uv_handle_t* handle) { delete static_cast<Client*>(handle->data); }

  uv_loop_t loop_;
  uv_poll_t stop_;
  uv_tcp_t listener_;
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
};

}  // namespace

void serve_libuv(Serving& serving) {
  run_loops(serving, "libuv",
            [&](base::Fd listener) { Loop(std::move(listener), serving.stop).run(); });
}

}  // namespace fathom::bench
