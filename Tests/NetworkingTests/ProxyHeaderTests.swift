import EventLoop
import Glibc
import Networking
import TestSupport
import Testing

@Suite("PROXY headers")
struct ProxyHeaderTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    /// A header with this family and content.
    private static func header(
        _ family: UInt8,
        _ body: [UInt8],
        command: UInt8 = 0x21,
        length: Int? = nil
    ) -> [UInt8] {
        let count = length ?? body.count
        let kind: [UInt8] = [command, family, UInt8(count >> 8), UInt8(count & 0xFF)]
        return signature + kind + body
    }

    /// 192.0.2.1:50000 to 198.51.100.1:443.
    private static let ipv4: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 1, 0xC3, 0x50, 0x01, 0xBB]
    /// [2001:db8::1]:50000 to [2001:db8::2]:443.
    private static let ipv6: [UInt8] = [
        0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
        0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
        0xC3, 0x50, 0x01, 0xBB,
    ]
    /// The first address of `ipv4` as an IPv6 address.
    private static let mapped: [UInt8] = [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0xC3, 0x50, 0x01, 0xBB,
    ]

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    /// A type-length-value field.
    private static func field(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [type, UInt8(value.count >> 8), UInt8(value.count & 0xFF)]
        return head + value
    }

    /// A header with a checksum, changed by `error`.
    private static func checked(error: UInt8 = 0) -> [UInt8] {
        var bytes = header(0x11, ipv4 + field(0x01, [1, 2]) + field(0x03, zeros(4)))
        let sum = CRC32C.checksum(of: bytes)
        let place = bytes.count - 4
        for index in 0..<4 {
            bytes[place + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32(index)))
        }
        bytes[place] ^= error
        return bytes
    }

    /// Reads split `bytes`, and no byte after the header.
    static func read(
        _ bytes: [UInt8],
        _ delivery: Delivery = .whole
    ) throws(ProxyHeaderError) -> ProxyHeaderReader.Source? {
        var reader = ProxyHeaderReader()
        for piece in delivery.pieces(of: bytes) {
            var rest = piece[...]
            while !rest.isEmpty {
                let part = Array(rest.prefix(reader.byteCountWanted))
                rest = rest.dropFirst(part.count)
                let result: Result<ProxyHeaderReader.Source?, ProxyHeaderError> =
                    part.withUnsafeBytes { part in
                        do throws(ProxyHeaderError) {
                            return .success(try reader.receive(part))
                        } catch {
                            return .failure(error)
                        }
                    }
                if let source = try result.get() { return source }
            }
        }
        return nil
    }

    @Test("a header contains the client, for every split", arguments: Delivery.all)
    func sources(_ delivery: Delivery) throws {
        let client = ProxyHeaderReader.Source.client(.ipv4(0xC000_0201, port: 50_000))
        #expect(try Self.read(Self.header(0x11, Self.ipv4), delivery) == client)
        #expect(try Self.read(Self.header(0x21, Self.mapped), delivery) == client)
        let six = try #require(SocketAddress("[2001:db8::1]:50000"))
        #expect(try Self.read(Self.header(0x21, Self.ipv6), delivery) == .client(six))
        let fields = Self.field(0x04, []) + Self.field(0x20, Self.zeros(300))
        let long = Self.header(0x11, Self.ipv4 + fields)
        #expect(try Self.read(long, delivery) == client)
        #expect(try Self.read(Self.checked(), delivery) == client)
        // The following bytes do not belong to the header.
        let more = Self.header(0x11, Self.ipv4) + Array("GET / HTTP/1.1".utf8)
        #expect(try Self.read(more, delivery) == client)
    }

    @Test("with a header without an address the peer is the connection's own")
    func nobody() throws {
        let headers: [[UInt8]] = [
            Self.header(0x00, [], command: 0x20), Self.header(0x11, Self.ipv4, command: 0x20),
            Self.header(0x11, [1, 2, 3], command: 0x20), Self.header(0x00, []),
            Self.header(0x00, [9, 9]), Self.header(0x31, Self.zeros(216)),
        ]
        for header in headers {
            #expect(try Self.read(header) == .proxyItself)
        }
    }

    private static let text = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    private static let wrong: [([UInt8], ProxyHeaderError)] = [
        (Array(text.utf8), .notAHeader),
        (Array("POST / HTTP/1.1".utf8), .notAHeader),
        ([13, 10, 13, 10, 0, 13, 11], .notAHeader),
        (header(0x11, ipv4, command: 0x11), .notAHeader),
        (header(0x11, ipv4, command: 0x22), .unknownKind),
        (header(0x12, ipv4), .unknownKind),
        (header(0x41, ipv4), .unknownKind),
        (header(0x01, ipv4), .unknownKind),
        (header(0x11, Array(ipv4.dropLast())), .wrongLength),
        (header(0x21, Array(ipv6.dropLast())), .wrongLength),
        (header(0x31, zeros(215)), .wrongLength),
        (header(0x11, ipv4 + [1]), .wrongLength),
        (header(0x11, ipv4 + [1, 0, 2, 9]), .wrongLength),
        (header(0x11, ipv4 + field(0x03, [1, 2, 3])), .wrongLength),
        (header(0x11, [], length: 4081), .tooLong),
        (checked(error: 1), .damaged),
    ]

    @Test("invalid headers are refused", arguments: wrong)
    func refusals(bytes: [UInt8], expected: ProxyHeaderError) {
        for delivery in Delivery.all {
            #expect(throws: expected) { try Self.read(bytes, delivery) }
        }
    }

    @Test("an incomplete header waits for more bytes")
    func parts() throws {
        let header = Self.checked()
        for count in 0..<header.count {
            #expect(try Self.read(Array(header[..<count])) == nil)
        }
    }

    @Test("the checksum is CRC-32C")
    func checksums() {
        // RFC 3720, section B.4.
        #expect(CRC32C.checksum(of: Array("123456789".utf8)) == 0xE306_9283)
        #expect(CRC32C.checksum(of: Self.zeros(32)) == 0x8A91_36AA)
        #expect(CRC32C.checksum(of: Array(repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    }

    // MARK: On a socket

    /// Sends `bytes` from a proxy to an echo listener, and returns the peer and the reply.
    private func serve(_ bytes: [UInt8]) async throws -> (peer: SocketAddress?, echo: [UInt8]) {
        try await EventLoop.run { loop in
            var peer: SocketAddress?
            var configuration = ListenerConfiguration()
            configuration.sendsProxyHeader = { $0.host == "127.0.0.1" }
            let listener = try Listener(
                loop: loop,
                address: anyPort,
                configuration: configuration
            ) { stream in
                peer = stream.peer
                stream.handler = EchoHandler()
            }
            let client = AsyncByteStream(
                try await StreamConnector.connect(
                    loop: loop,
                    to: listener.address,
                    deadline: .seconds(30)
                )
            )
            try await client.write(bytes)
            client.finishWriting()
            var echo: [UInt8] = []
            // A refused connection is reset if it has unread bytes.
            while let piece = try? await client.read() { echo += piece }
            listener.close()
            return (peer, echo)
        }
    }

    @Test("a stream starts after the header, with the client as its peer")
    func behindTheHeader() async throws {
        let served = try await serve(Self.header(0x11, Self.ipv4) + Array("hello".utf8))
        #expect(served.peer == .ipv4(0xC000_0201, port: 50_000))
        #expect(served.echo == Array("hello".utf8))
        let local = Self.header(0x00, [], command: 0x20)
        let own = try await serve(local + Array("well?".utf8))
        #expect(own.peer?.host == "127.0.0.1")
        #expect(own.echo == Array("well?".utf8))
        let line = Array("PROXY TCP4 192.0.2.1 198.51.100.1 50000 443\r\n".utf8)
        let text = try await serve(line + Array("good".utf8))
        #expect(text.peer == .ipv4(0xC000_0201, port: 50_000))
        #expect(text.echo == Array("good".utf8))
    }

    @Test("a connection from a proxy without a header is closed without a reply")
    func withoutHeader() async throws {
        let served = try await serve(Array(Self.text.utf8))
        #expect(served.peer == nil && served.echo.isEmpty)
    }

    @Test("a proxy that sends its header too slowly is dropped, and its slot is freed")
    func slowHeader() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            var accepted = 0
            var configuration = ListenerConfiguration()
            configuration.streamLimit = 1
            configuration.sendsProxyHeader = { _ in true }
            let listener = try Listener(
                loop: loop,
                address: anyPort,
                configuration: configuration
            ) { stream in
                accepted += 1
                stream.handler = EchoHandler()
            }
            func connect() async throws -> AsyncByteStream {
                AsyncByteStream(
                    try await StreamConnector.connect(
                        loop: loop,
                        to: listener.address,
                        deadline: .seconds(30)
                    )
                )
            }
            let slow = try await connect()
            try await slow.write(Array(Self.signature.prefix(5)))
            for _ in 0..<10 { try await loop.sleep(for: .zero) }
            clock.advance(by: configuration.limits.handshakeLimit)
            let answer = try? await slow.read()
            #expect(answer == nil)
            #expect(accepted == 0)
            let next = try await connect()
            try await next.write(Self.header(0x11, Self.ipv4) + Array("hello".utf8))
            #expect(try await next.read() == Array("hello".utf8))
            next.close()
            listener.close()
        }
    }
}
