// The gateway alone, as conformance suites and load generators use it.

import HTTPProtocol
import TestSupport
import Testing
import WebSocketProtocol

extension EndToEnd.WithServersOfTheirOwn {
    /// `stoa-echo` returns and broadcasts messages.
    @Suite("The echo server")
    struct Echo {
        private func start(
            _ arguments: [String],
            descriptorLimit: Int? = nil,
            in folder: TemporaryFolder
        ) throws -> (program: Program, port: UInt16) {
            let built = StoaServer.program.split(separator: "/").dropLast()
            let echo = built.map { "/\($0)" }.joined() + "/stoa-echo"
            var command = [echo, "--port", "0"] + arguments
            if let descriptorLimit {
                let script = "ulimit -n \(descriptorLimit); exec \"$0\" \"$@\""
                command = ["/bin/sh", "-c", script] + command
            }
            let program = try Program(
                command[0],
                Array(command.dropFirst()),
                errorPath: "\(folder.path)/errors.log"
            )
            let port: UInt16 = try program.line { line in
                guard line.hasPrefix("ready ") else { return nil }
                return line.split(separator: ":").last.flatMap { UInt16($0) }
            }
            return (program, port)
        }

        @Test("/echo returns text and binary messages, short and long, in order")
        func echo() throws {
            let folder = try TemporaryFolder()
            let (program, port) = try start([], in: folder)
            let client = try EchoClient(port: port, path: "/echo")
            let long = String(repeating: "Gr\u{FC}\u{DF}e ", count: 200_000)
            try client.send(text: "short")
            try client.send(binary: Array(0...255))
            try client.send(text: long)
            #expect(try client.next() == .text(Array("short".utf8)))
            #expect(try client.next() == .binary(Array(0...255)))
            #expect(try client.next() == .text(Array(long.utf8)))
            withExtendedLifetime(program) {}
        }

        @Test("/broadcast reaches everyone on every loop")
        func broadcast() throws {
            let folder = try TemporaryFolder()
            let (program, port) = try start(["--loops", "3"], in: folder)
            let clients = try (0..<12).map { _ in try EchoClient(port: port, path: "/broadcast") }
            for (index, client) in clients.enumerated() {
                try client.send(text: "message \(index)")
                for other in clients {
                    #expect(try other.next() == .text(Array("message \(index)".utf8)))
                }
            }
            withExtendedLifetime(program) {}
        }

        @Test("messages that other loops have no room for wait, without loss or reordering")
        func fullRelay() throws {
            let folder = try TemporaryFolder()
            let (program, port) = try start(["--loops", "3", "--max-relayed", "1"], in: folder)
            let clients = try (0..<8).map { _ in try EchoClient(port: port, path: "/broadcast") }
            // Reads only after everything is sent.
            for number in 0..<50 {
                for (index, client) in clients.enumerated() {
                    try client.send(binary: [UInt8(index), UInt8(number)])
                }
            }
            for client in clients {
                var received = [[UInt8]](repeating: [], count: clients.count)
                for _ in 0..<50 * clients.count {
                    guard case .binary(let bytes) = try client.next(), bytes.count == 2 else {
                        throw HarnessError("no message came")
                    }
                    received[Int(bytes[0])].append(bytes[1])
                }
                #expect(received.allSatisfy { $0 == Array(0..<50) })
            }
            withExtendedLifetime(program) {}
        }

        @Test("running out of descriptors is logged, and so is its end")
        func descriptors() throws {
            let folder = try TemporaryFolder()
            let (program, port) = try start([], descriptorLimit: 48, in: folder)
            var sockets = try (0..<64).map { _ in try BlockingSocket(port: port) }
            try eventually("a notice") {
                program.errorOutput.contains("accepted: too many open files")
            }
            sockets.removeAll()
            try eventually("its end") {
                program.errorOutput.contains("connections are accepted again")
            }
            let client = try EchoClient(port: port, path: "/echo")
            try client.send(text: "there is room")
            #expect(try client.next() == .text(Array("there is room".utf8)))
        }

        @Test("a message over the limit is refused with its close code, and so is another path")
        func limits() throws {
            let folder = try TemporaryFolder()
            let (program, port) = try start(["--max-message", "1000"], in: folder)
            let client = try EchoClient(port: port, path: "/echo")
            try client.send(text: String(repeating: "a", count: 1000))
            #expect(try client.next() == .text(Array(repeating: 0x61, count: 1000)))
            try client.send(text: String(repeating: "a", count: 1001))
            guard case .close(let code, _) = try client.next() else {
                Issue.record("no close frame came")
                return
            }
            #expect(code == .messageTooBig)
            #expect(throws: WebSocketHandshakeError.refused(.notFound)) {
                try EchoClient(port: port, path: "/elsewhere")
            }
            withExtendedLifetime(program) {}
        }

        @Test(
            "a refused handshake gets a dated response, which says whether the connection closes",
            arguments: [
                ("GET /nothing HTTP/1.1\nHost: h\n\n", 404, nil, 2),
                ("GET /echo HTTP/1.1\nHost: h\n\n", 426, "Upgrade", 2),
                ("GET /echo HTTP/1.1\nHost: h\n\(upgrade)\n", 426, "Upgrade", 2),
                ("GET /echo HTTP/1.1\nHost: h\n\(content)", 426, "Upgrade, close", 1),
                ("GET /echo HTTP/1.1\nHost: h\n\(upgrade)\(version)\(content)", 400, "close", 1),
                ("POST /nothing HTTP/1.1\nHost: h\n\(content)", 404, "close", 1),
                ("GET /echo HTTP/1.1\n\n", 400, "close", 1),
            ] as [(String, Int, String?, Int)]
        )
        func refusals(request: String, status: Int, options: String?, count: Int) throws {
            let folder = try TemporaryFolder()
            let (program, port) = try start([], in: folder)
            let socket = try BlockingSocket(port: port)
            let deadline = Deadline(.seconds(30))
            let last = "GET /nothing HTTP/1.1\nHost: h\nConnection: close\n\n"
            let lines = (request + last).split(separator: "\n", omittingEmptySubsequences: false)
            try socket.send(Array(lines.joined(separator: "\r\n").utf8), deadline)
            var received: [UInt8] = []
            while true {
                let bytes = try socket.receive(deadline)
                if bytes.isEmpty { break }
                received += bytes
            }
            let text = String(decoding: received, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 \(status) "))
            #expect(text.ranges(of: "HTTP/1.1 ").count == count)
            #expect(text.ranges(of: "\r\nDate: ").count == count)
            let head = text.split(separator: "\r\n", omittingEmptySubsequences: false)
                .prefix { !$0.isEmpty }
            let field = head.first { $0.hasPrefix("Connection: ") }
            #expect(field.map { String($0.dropFirst("Connection: ".count)) } == options)
            withExtendedLifetime(program) {}
        }
    }
}

/// The other headers of a handshake; without the version it is refused.
private let upgrade =
    "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
private let version = "Sec-WebSocket-Version: 13\n"
private let content = "Content-Length: 5\n\nhello"

/// A client of the echo server.
private final class EchoClient {
    private static let limits = WebSocketLimits(
        frameBytesMax: 16 << 20,
        messageBytesMax: 16 << 20
    )
    private let socket: BlockingSocket
    private let deadline = Deadline(.seconds(30))
    private var webSocket = WebSocketConnection(role: .client, limits: EchoClient.limits)
    private var events: [WebSocketEvent] = []

    init(port: UInt16, path: String) throws {
        socket = try BlockingSocket(port: port)
        let handshake = WebSocketClientHandshake(target: path, host: "127.0.0.1:\(port)")
        var http = HTTPClientConnection()
        try socket.send(http.send(handshake.request), deadline)
        while true {
            while let event = try http.nextEvent() {
                if case .response(let head) = event { _ = try handshake.verify(head) }
                guard case .upgrade(let remaining) = event else { continue }
                try receive(remaining)
                return
            }
            let bytes = try socket.receive(deadline)
            guard !bytes.isEmpty else { throw HarnessError("the handshake was cut off") }
            bytes.withUnsafeBytes { http.receive($0) }
        }
    }

    func send(text: String) throws { try socket.send(webSocket.send(text: text), deadline) }

    func send(binary: [UInt8]) throws { try socket.send(webSocket.send(binary: binary), deadline) }

    /// Waits for the next event.
    func next() throws -> WebSocketEvent {
        while events.isEmpty {
            let bytes = try socket.receive(deadline)
            guard !bytes.isEmpty else { throw HarnessError("the connection was cut off") }
            try receive(bytes)
        }
        return events.removeFirst()
    }

    private func receive(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let event = try webSocket.receive(&rest) { events.append(event) }
        }
    }
}
