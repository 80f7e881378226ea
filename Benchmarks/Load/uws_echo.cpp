// An echo server with uWebSockets, for comparison with stoa-echo: /echo returns every message,
// /broadcast sends each to all connected clients, /healthz answers in HTTP.
//
//   make -C $UWS/uSockets WITH_ZLIB=1 && c++ -std=c++20 -O3 -flto -I$UWS/src -I$UWS/uSockets/src \
//       -o uws_echo uws_echo.cpp $UWS/uSockets/uSockets.a -lz && ./uws_echo PORT [CERTIFICATE KEY]
#include "App.h"

#include <cstdlib>
#include <string>

namespace {

struct PerSocketData {};

/// Compressed messages without context takeover, as stoa-echo's clients of the benchmark ask for.
constexpr auto compression = uWS::CompressOptions(uWS::SHARED_COMPRESSOR | uWS::SHARED_DECOMPRESSOR);

template <bool IS_TLS>
void serve(uWS::TemplatedApp<IS_TLS> app, int port) {
    auto behavior = [](auto receive, auto open) {
        return typename uWS::TemplatedApp<IS_TLS>::template WebSocketBehavior<PerSocketData>{
            .compression = compression,
            .maxPayloadLength = 16 << 20,
            .idleTimeout = 120,
            .maxBackpressure = 64 << 20,
            .open = open,
            .message = receive,
        };
    };
    app.template ws<PerSocketData>(
           "/echo", behavior(
                        [](auto *socket, std::string_view message, uWS::OpCode kind) {
                            socket->send(message, kind, message.size() >= 64);
                        },
                        nullptr))
        .template ws<PerSocketData>(
            "/broadcast", behavior(
                              [&app](auto *, std::string_view message, uWS::OpCode kind) {
                                  app.publish("all", message, kind);
                              },
                              [](auto *socket) { socket->subscribe("all"); }))
        .get("/healthz", [](auto *reply, auto *) { reply->end("ok"); })
        .listen(port, [](auto *listening) {
            if (!listening) std::exit(1);
        })
        .run();
}

}  // namespace

int main(int count, char **arguments) {
    if (count != 2 && count != 4) return 2;
    int port = std::atoi(arguments[1]);
    if (count == 2) {
        serve<false>(uWS::App(), port);
    } else {
        serve<true>(uWS::SSLApp({.key_file_name = arguments[3], .cert_file_name = arguments[2]}), port);
    }
}
