// Listening and shutdown: sockets of a service manager, Unix sockets, proxies, signals.

import ChatProtocol
import Glibc
import HTTPProtocol
import TestSupport
import Testing
import WebSocketProtocol

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("The edge")
    struct Edge {
        private let request = "GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

        /// The response to `bytes` on a connection, until its end.
        private func answer(to bytes: [UInt8], on socket: BlockingSocket) throws -> String {
            let deadline = Deadline(.patience)
            try socket.send(bytes, deadline)
            var received: [UInt8] = []
            while true {
                let piece = try socket.receive(deadline)
                if piece.isEmpty { return String(decoding: received, as: UTF8.self) }
                received += piece
            }
        }

        // MARK: Restarts

        @Test("a restart under a service manager refuses no connection, and notifies the manager")
        func activation() throws {
            let folder = try TemporaryFolder()
            try TestClusterWatchdog.start(folder: "\(folder.path)/data/postgres")
            let (socket, port) = try listeningSocket()
            defer { close(socket) }
            let manager = try datagramSocket("\(folder.path)/notify")
            defer { close(manager) }
            func start(_ arguments: [String] = []) throws -> Program {
                let program = try Program(
                    "/bin/sh",
                    [
                        "-c", "export LISTEN_PID=$$; exec \"$0\" \"$@\"", StoaServer.program,
                        "serve", "--data-dir", "\(folder.path)/data",
                    ] + arguments,
                    environment: [
                        "LISTEN_FDS": "1", "NOTIFY_SOCKET": "\(folder.path)/notify",
                        "HOME": folder.path, "HF_HOME": "\(folder.path)/hub",
                        "HF_ENDPOINT": "http://127.0.0.1:9",
                    ],
                    errorPath: "\(folder.path)/serve.log",
                    sockets: [socket]
                )
                let address = try program.line { $0.hasPrefix("ready ") ? String($0) : nil }
                #expect(address == "ready http://127.0.0.1:\(port)")
                #expect(try notice(manager) == "READY=1")
                return program
            }

            let first = try start()
            #expect(try HTTPCall.send(.get, "/healthz", port: port).status == 200)
            first.send(SIGTERM)
            #expect(try notice(manager).hasPrefix("STOPPING=1\n"))
            #expect(try first.end().end == .exited(0), "\(first.errorOutput)")
            // No server is running, and yet no connection is refused.
            let waiting = try BlockingSocket(port: port)
            try waiting.send(Array(request.utf8), Deadline(.seconds(10)))
            // The manager's sockets are sufficient.
            let second = try start(["--host", "none"])
            #expect(try answer(to: [], on: waiting).hasPrefix("HTTP/1.1 200 OK\r\n"))
            second.send(SIGTERM)
            #expect(try second.end().end == .exited(0), "\(second.errorOutput)")
        }

        @Test("all clients are asked to reconnect, and a new client may send one more request")
        func orderlyShutdown() throws {
            let server = try StoaServer(["--drain-seconds", "4"])
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let peers = try (0..<40).map { _ in try server.connect(token) }
            let silent = try BlockingSocket(port: server.port)
            // It has been accepted, since it connected before this response.
            #expect(try server.get("/healthz").status == 200)
            let begin = ContinuousClock.now
            server.askToStop()
            try silent.send(Array(request.utf8), Deadline(.patience))
            // It has a second for that; a machine that stalls just here proves nothing.
            let isInTime = ContinuousClock.now - begin < .milliseconds(900)
            let last = try answer(to: [], on: silent)
            #expect(last.hasPrefix("HTTP/1.1 200 OK\r\n") || !isInTime)
            for peer in peers {
                #expect(try peer.closeCode() == CloseCode.serviceRestart.rawValue)
            }
            #expect(try server.waitForEnd() == .exited(0), "\(server.log)")
        }

        @Test("a second signal ends the process at once")
        func secondSignal() throws {
            let server = try StoaServer(["--drain-seconds", "600"])
            try server.addUser("ada")
            let token = try server.signIn("ada")
            // What shutdown waits for: a file upload that never ends.
            let upload = try BlockingSocket(port: server.port)
            let head = """
                POST /api/v1/import HTTP/1.1\r
                Host: 127.0.0.1\r
                Authorization: Bearer \(token)\r
                Expect: 100-continue\r
                Content-Length: 9\r
                \r

                """
            try upload.send(Array(head.utf8), Deadline(.patience))
            let interim = String(decoding: try upload.receive(Deadline(.patience)), as: UTF8.self)
            #expect(interim.hasPrefix("HTTP/1.1 100 "))
            server.askToStop()
            try eventually("it goes down") { server.log.contains("shutting down") }
            server.askToStop()
            #expect(try server.waitForEnd(within: .seconds(20)) == .exited(EXIT_FAILURE))
            withExtendedLifetime(upload) {}
        }

        // MARK: Other listeners

        @Test("a Unix socket accepts clients that its mode permits")
        func unixSocket() throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/stoa.sock"
            let server = try StoaServer(["--unix-socket", path, "--unix-socket-mode", "660"])
            var information = stat()
            #expect(stat(path, &information) == 0)
            #expect(information.st_mode & 0o777 == 0o660)
            let socket = try BlockingSocket(path: path)
            #expect(try answer(to: Array(request.utf8), on: socket).hasSuffix("ok\n"))
            #expect(try server.get("/healthz").status == 200)
            #expect(try server.stop() == .exited(0))
            #expect(stat(path, &information) != 0)
        }

        @Test("a trusted proxy names its client; without a PROXY header it gets no response")
        func proxies() throws {
            let server = try StoaServer([
                "--proxy-protocol-from", "127.0.0.1", "--connections-per-address", "2",
            ])
            let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
            func header(of client: UInt8) -> [UInt8] {
                signature + [0x21, 0x11, 0, 12, 192, 0, 2, client, 127, 0, 0, 1, 0xC3, 0x50, 0, 80]
            }
            func connect() throws -> BlockingSocket { try BlockingSocket(port: server.port) }
            let plain = try connect()
            #expect(try answer(to: Array(request.utf8), on: plain).isEmpty)
            #expect(
                try answer(to: header(of: 1) + Array(request.utf8), on: connect()).hasSuffix("ok\n")
            )
            // The client's address is the one that is counted.
            let held = try (0..<2).map { _ in try connect() }
            for socket in held {
                let keptAlive = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"
                let deadline = Deadline(.seconds(20))
                try socket.send(header(of: 2) + Array(keptAlive.utf8), deadline)
                _ = try socket.receive(deadline)
            }
            #expect(try answer(to: header(of: 2) + Array(request.utf8), on: connect()).isEmpty)
            #expect(
                try answer(to: header(of: 3) + Array(request.utf8), on: connect()).hasSuffix("ok\n")
            )
            withExtendedLifetime(held) {}
            #expect(try server.stop() == .exited(0))
        }

        @Test("behind a trusted proxy WebSockets are counted per client")
        func clientsOfProxy() throws {
            let server = try StoaServer([
                "--trusted-proxies", "127.0.0.1", "--connections-per-address", "2",
            ])
            try server.addUser("ada")
            let token = try server.signIn("ada")
            func open(client: Int) throws -> (BlockingSocket, status: String) {
                let head = """
                    GET /ws HTTP/1.1\r
                    Host: 127.0.0.1\r
                    Authorization: Bearer \(token)\r
                    X-Forwarded-For: 192.0.2.\(client)\r
                    Connection: Upgrade\r
                    Upgrade: websocket\r
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                    Sec-WebSocket-Version: 13\r
                    Sec-WebSocket-Protocol: \(subprotocolName)\r
                    \r

                    """
                let socket = try BlockingSocket(port: server.port)
                try socket.send(Array(head.utf8), Deadline(.patience))
                let answer = String(
                    decoding: try socket.receive(Deadline(.patience)),
                    as: UTF8.self
                )
                return (socket, status: String(answer.dropFirst("HTTP/1.1 ".count).prefix(3)))
            }
            let first = try open(client: 1)
            let second = try open(client: 1)
            #expect(first.status == "101")
            #expect(second.status == "101")
            #expect(try open(client: 1).status == "429")
            #expect(try open(client: 2).status == "101")
            withExtendedLifetime((first, second)) {}
            #expect(try server.stop() == .exited(0))
        }

        @Test("unfinished requests over the memory limit are closed, others are served")
        func ceiling() throws {
            let server = try StoaServer(["--connection-mebibytes", "16"])
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let size = ProtocolLimits.standard.frameBytes
            let frame = WebSocketFrame.encode(
                .text,
                [UInt8](repeating: 0x20, count: size),
                key: MaskingKey(word: 1)
            )
            let good = try server.connect(token)
            let peers = try (0..<24).map { _ in try server.connect(token) }
            for peer in peers { try? peer.send(raw: Array(frame.dropLast())) }
            try eventually("some are cut off") {
                server.log.contains("memory limit of connection buffers")
            }
            _ = try good.call(.ping, as: PingReply.self)
            withExtendedLifetime(peers) {}
        }

        // MARK: Sockets of a service manager

        private func datagramSocket(_ path: String) throws -> Int32 {
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard status == 0 else { throw HarnessError("no notify socket: errno \(errno)") }
            return descriptor
        }

        /// Waits for the next datagram.
        private func notice(_ descriptor: Int32) throws -> String {
            try waitUntilReadable(descriptor, Deadline(.seconds(60)), "a notice")
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }
}
