import EventLoop
import Glibc
import Networking
import Testing

@Suite("Connecting")
struct StreamConnectorTests {
    @Test("a port without a listener refuses")
    func refused() async throws {
        try await EventLoop.run { loop in
            // A separate address, so that no other test listens at the port.
            let own = SocketAddress.ipv4(0x7f00_0002, port: 0)
            let listener = try Listener(loop: loop, address: own) { _ in }
            listener.close()
            do throws(NetworkError) {
                _ = try await StreamConnector.connect(
                    loop: loop,
                    to: listener.address,
                    deadline: .seconds(30)
                )
                Issue.record("connected without a listener")
            } catch {
                #expect(error.description == "\(listener.address): connection refused")
            }
        }
    }

    @Test("a Unix socket that does not exist is unreachable")
    func noSuchSocket() async throws {
        try await EventLoop.run { loop in
            let address = SocketAddress.unix(path: "/nonexistent/socket")
            do throws(NetworkError) {
                _ = try await StreamConnector.connect(
                    loop: loop,
                    to: address,
                    deadline: .seconds(30)
                )
                Issue.record("connected without a listener")
            } catch {
                #expect(error.description == "\(address): no such file or directory")
            }
        }
    }

    @Test("connecting to an unresponsive peer ends with a timeout or cancellation")
    func deadlineAndCancellation() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            // Nothing accepts and the backlog is minimal: after the first connections the kernel
            // ignores new ones.
            var configuration = ListenerConfiguration()
            configuration.backlog = 0
            configuration.acceptCall = { _ in
                errno = EAGAIN
                return (-1, .unix(path: ""))
            }
            let listener = try Listener(
                loop: loop,
                address: anyPort,
                configuration: configuration
            ) { _ in }
            var streams: [ByteStream] = []
            var errors: [NetworkError] = []
            var tasks: [LoopTask] = []
            for _ in 0..<6 {
                tasks.append(
                    loop.spawn {
                        do throws(NetworkError) {
                            streams.append(
                                try await StreamConnector.connect(
                                    loop: loop,
                                    to: listener.address,
                                    deadline: .seconds(10)
                                )
                            )
                        } catch {
                            errors.append(error)
                        }
                    }
                )
            }
            while streams.isEmpty { try await loop.sleep(for: .zero) }
            for task in tasks.prefix(5) { task.cancel() }
            for task in tasks.prefix(5) { await task.wait() }
            clock.advance(by: .seconds(10))
            await tasks[5].wait()
            #expect(streams.count + errors.count == 6)
            #expect(errors.contains(.cancelled))
            #expect(errors.last == .timedOut)
            for stream in streams { stream.close() }
            listener.close()
        }
    }

    @Test("a resolver returns literals and localhost at once, and refuses impossible names")
    func resolver() async throws {
        let pool = try WorkerPool(name: "resolver", threads: 1, queueLimit: 8)
        let resolver = HostResolver(pool: pool)
        try await EventLoop.run { loop in
            let found = try await resolver.resolve("localhost", port: 80)
            #expect(found.first?.port == 80)
            let long = String(repeating: "x", count: 300)
            do throws(NetworkError) {
                _ = try await resolver.resolve(long, port: 80)
                Issue.record("resolved an impossible name")
            } catch {
                #expect(error == .unknownHost(long))
            }
        }
    }
}
