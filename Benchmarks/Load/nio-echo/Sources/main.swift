// An echo server with SwiftNIO, for comparison with stoa-echo: nio-echo PORT. /echo returns every
// message, /broadcast sends each to all connected clients. One loop; output is flushed after each
// read.

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// The limit of reassembled messages, as in the other servers.
let messageByteMax = 16 << 20

let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) }
guard let port else { fatalError("usage: nio-echo PORT") }

let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
let loop = group.next()
let members = try await loop.submit { NIOLoopBound(Members(), eventLoop: loop) }.get()

let upgrader = NIOWebSocketServerUpgrader(
    maxFrameSize: messageByteMax,
    shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
    upgradePipelineHandler: { channel, request in
        channel.eventLoop.makeCompletedFuture {
            let handler = request.uri == "/broadcast" ? Echo(to: members.value) : Echo(to: nil)
            try channel.pipeline.syncOperations.addHandler(handler)
        }
    }
)

try await ServerBootstrap(group: group)
    .serverChannelOption(.backlog, value: 1024)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in })
            )
        }
    }
    .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
    .bind(host: "127.0.0.1", port: port)
    .get()
    .closeFuture
    .get()
