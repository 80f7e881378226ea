import EventLoop
import Glibc
import Networking
import TestSupport
import Testing

@Suite("Listeners")
struct ListenerTests {
    @Test("a port in use gives a clear error")
    func portInUse() async throws {
        try await EventLoop.run { loop in
            // A separate address, so that no other test listens at the port.
            let own = SocketAddress.ipv4(0x7f00_0003, port: 0)
            let first = try Listener(loop: loop, address: own) { _ in }
            let error = #expect(throws: NetworkError.addressInUse(first.address)) {
                try Listener(loop: loop, address: first.address) { _ in }
            }
            #expect(error?.description == "\(first.address): address in use")
            first.close()
            let second = try Listener(loop: loop, address: first.address) { _ in }
            second.close()
        }
    }

    @Test("listeners can share a port, and the remaining one gets all connections")
    func sharedPort() async throws {
        try await EventLoop.run { loop in
            var configuration = ListenerConfiguration()
            configuration.sharesPort = true
            let first = try Listener(
                loop: loop,
                address: anyPort,
                configuration: configuration,
                accept: echo
            )
            let second = try Listener(
                loop: loop,
                address: first.address,
                configuration: configuration,
                accept: echo
            )
            #expect(second.address == first.address)
            try await expectEcho(loop, first.address)
            first.close()
            try await expectEcho(loop, second.address)
            second.close()
        }
    }

    @Test("an address of another machine gives the system's error")
    func foreignAddress() async throws {
        try await EventLoop.run { loop in
            let address = try #require(SocketAddress("192.0.2.1:80"))
            let error = #expect(throws: NetworkError.self) {
                try Listener(loop: loop, address: address) { _ in }
            }
            #expect(
                error?.description == "bind 192.0.2.1:80: cannot assign requested address (99)"
            )
        }
    }

    @Test("an accepted stream has the address of its peer")
    func peer() async throws {
        try await EventLoop.run { loop in
            let accepted = LoopPromise<ByteStream, Never>(loop)
            let listener = try Listener(loop: loop, address: anyPort) { accepted.succeed($0) }
            let client = try await StreamConnector.connect(
                loop: loop,
                to: listener.address,
                deadline: .seconds(30)
            )
            let server = await accepted.value {}
            #expect(server.peer.host == "127.0.0.1")
            #expect(client.peer == listener.address)
            client.close()
            server.close()
            listener.close()
        }
    }

    @Test("IPv6 works if the system supports it")
    func ipv6() async throws {
        try await EventLoop.run { loop in
            let any = try #require(SocketAddress("[::1]:0"))
            guard let listener = try? Listener(loop: loop, address: any, accept: echo) else {
                return
            }
            try await expectEcho(loop, listener.address)
            listener.close()
        }
    }

    @Test("one socket listens for IPv6 and IPv4, and reports IPv4 addresses as such")
    func dualStack() async throws {
        try await EventLoop.run { loop in
            let any = try #require(SocketAddress("[::]:0"))
            let accepted = LoopPromise<ByteStream, Never>(loop)
            guard
                let listener = try? Listener(
                    loop: loop,
                    address: any,
                    accept: { accepted.succeed($0) }
                ),
                let port = listener.address.port
            else { return }
            let client = try await StreamConnector.connect(
                loop: loop,
                to: .ipv4(0x7f00_0001, port: port),
                deadline: .seconds(30)
            )
            let server = await accepted.value {}
            #expect(server.peer.host == "127.0.0.1")
            client.close()
            server.close()
            listener.close()
        }
    }

    // MARK: Unix sockets

    @Test("only the owner can connect to a Unix socket, and it is removed at the end")
    func unix() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/stoa.sock"
        try await EventLoop.run { loop in
            let listener = try Listener(loop: loop, address: .unix(path: path), accept: echo)
            var information = stat()
            #expect(stat(path, &information) == 0)
            #expect(information.st_mode & 0o777 == 0o600)
            try await expectEcho(loop, .unix(path: path))
            #expect(throws: NetworkError.addressInUse(.unix(path: path))) {
                try Listener(loop: loop, address: .unix(path: path)) { _ in }
            }
            listener.close()
            #expect(stat(path, &information) != 0)
        }
    }

    @Test("a stale Unix socket is replaced, another file is not")
    func staleUnixSocket() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/stale.sock"
        try await EventLoop.run { loop in
            let old = try Listener(loop: loop, address: .unix(path: path)) { _ in }
            // As after a killed process: the file exists, and no process listens.
            link(path, "\(path).kept")
            old.close()
            rename("\(path).kept", path)
            let listener = try Listener(loop: loop, address: .unix(path: path), accept: echo)
            try await expectEcho(loop, .unix(path: path))
            listener.close()
            let file = try folder.write("file", [1])
            #expect(throws: NetworkError.addressInUse(.unix(path: file))) {
                try Listener(loop: loop, address: .unix(path: file)) { _ in }
            }
        }
    }

    @Test("a file that has replaced our socket is not removed")
    func replacedUnixSocket() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/stoa.sock"
        try await EventLoop.run { loop in
            let first = try Listener(loop: loop, address: .unix(path: path)) { _ in }
            rename(path, "\(path).moved")
            let second = try Listener(loop: loop, address: .unix(path: path), accept: echo)
            first.close()
            try await expectEcho(loop, .unix(path: path))
            second.close()
            var information = stat()
            #expect(stat(path, &information) != 0)
        }
    }

    @Test("a path that is too long is refused")
    func longPath() async throws {
        try await EventLoop.run { loop in
            let path = String(repeating: "x", count: 108)
            #expect(throws: NetworkError.self) {
                try Listener(loop: loop, address: .unix(path: path)) { _ in }
            }
        }
    }

    // MARK: No descriptors left

    @Test("without free descriptors the listener pauses with backoff, and then resumes")
    func backOff() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            var calls = 0
            var failures = 2
            var notices: [ListenerNotice] = []
            var configuration = ListenerConfiguration()
            configuration.backOff = .milliseconds(50) ... .seconds(1)
            let accept = configuration.acceptCall
            configuration.onNotice = { notices.append($0) }
            configuration.acceptCall = { descriptor in
                calls += 1
                guard failures > 0 else { return accept(descriptor) }
                failures -= 1
                errno = EMFILE
                return (-1, .unix(path: ""))
            }
            let listener = try Listener(
                loop: loop,
                address: anyPort,
                configuration: configuration,
                accept: echo
            )
            let stream = try await StreamConnector.connect(
                loop: loop,
                to: listener.address,
                deadline: .seconds(30)
            )
            while calls < 1 { try await loop.sleep(for: .zero) }
            for _ in 0..<5 { try await loop.sleep(for: .zero) }
            #expect(calls == 1, "a paused listener does not try")
            clock.advance(by: .milliseconds(50))
            while calls < 2 { try await loop.sleep(for: .zero) }
            clock.advance(by: .milliseconds(50))
            for _ in 0..<5 { try await loop.sleep(for: .zero) }
            #expect(calls == 2, "the second pause is longer")
            clock.advance(by: .milliseconds(50))
            let client = AsyncByteStream(stream)
            try await client.write(Array("still there".utf8))
            #expect(try await client.read() == Array("still there".utf8))
            let error = SystemError(errno: EMFILE, operation: "accept")
            #expect(notices == [.exhausted(error), .resumed], "told once, however often it failed")
            client.close()
            listener.close()
        }
    }

    @Test("the number of open streams is limited; the next one waits until one closes")
    func streamLimit() async throws {
        try await EventLoop.run { loop in
            var accepted: [ByteStream] = []
            var notices: [ListenerNotice] = []
            var configuration = ListenerConfiguration()
            configuration.streamLimit = 2
            configuration.onNotice = { notices.append($0) }
            let listener = try Listener(
                loop: loop,
                address: anyPort,
                configuration: configuration
            ) { accepted.append($0) }
            var clients: [ByteStream] = []
            for _ in 0..<3 {
                clients.append(
                    try await StreamConnector.connect(
                        loop: loop,
                        to: listener.address,
                        deadline: .seconds(30)
                    )
                )
            }
            for _ in 0..<10 { try await loop.sleep(for: .zero) }
            #expect(accepted.count == 2)
            #expect(notices == [.full(streamCount: 2)])
            accepted[0].close()
            while accepted.count < 3 { try await loop.sleep(for: .zero) }
            #expect(notices.prefix(2) == [.full(streamCount: 2), .resumed])
            for stream in clients + accepted { stream.close() }
            listener.close()
        }
    }

    // MARK: Helpers

    private func echo(_ stream: ByteStream) { stream.handler = EchoHandler() }

    private func expectEcho(_ loop: EventLoop, _ address: SocketAddress) async throws {
        let stream = try await StreamConnector.connect(
            loop: loop,
            to: address,
            deadline: .seconds(30)
        )
        let client = AsyncByteStream(stream)
        try await client.write(Array("hello".utf8))
        #expect(try await client.read() == Array("hello".utf8))
        client.close()
    }
}
