import EventLoop
import Glibc
import Instruments
import Networking
import TLSEngine
import TestSupport
import Testing

/// A stream whose socket is on another loop behaves like any other: these are the tests of byte
/// streams that a second loop could break.
@Suite("Carried streams")
struct StreamCarrierTests {
    /// A listener whose streams' sockets are on other loops, with test helpers.
    private final class Fixture {
        let loop: EventLoop
        let carriers: [StreamCarrier]
        private(set) var accepted: [ByteStream] = []
        private(set) var listener: Listener?
        private var arrival: LoopPromise<Void, Never>?

        init(
            _ loop: EventLoop,
            carriers count: Int = 1,
            at address: SocketAddress = anyPort,
            limits: StreamLimits = StreamLimits(),
            tls: TLSServerConfiguration? = nil,
            _ accept: @escaping (ByteStream) -> Void = { _ in }
        ) throws {
            self.loop = loop
            carriers = try (0..<count).map { try StreamCarrier(for: loop, name: "sockets \($0)") }
            var configuration = ListenerConfiguration()
            configuration.carriers = carriers
            configuration.limits = limits
            configuration.tls = tls
            listener = try Listener(
                loop: loop,
                address: address,
                configuration: configuration
            ) { [weak self] stream in
                accept(stream)
                self?.accepted.append(stream)
                self?.arrival?.succeed(())
            }
        }

        /// Connects, and waits until the connection is accepted.
        func connect(
            _ tls: TLSClientConfiguration? = nil
        ) async throws -> (ByteStream, ByteStream) {
            let before = accepted.count
            let arrival = LoopPromise<Void, Never>(loop)
            self.arrival = arrival
            let client = try await StreamConnector.connect(
                loop: loop,
                to: try #require(listener).address,
                deadline: .seconds(30),
                tls: tls
            )
            if accepted.count == before { await arrival.value {} }
            return (client, try #require(accepted.last))
        }

        func end() {
            listener?.close()
            for carrier in carriers { carrier.stop()?.join() }
        }
    }

    @Test("an echo returns a megabyte, and both sides close orderly")
    func echo() async throws {
        try await EventLoop.run { loop in
            let fixture = try Fixture(loop) { $0.handler = EchoHandler() }
            let (client, server) = try await fixture.connect()
            let handler = RecordingHandler()
            client.handler = handler
            let sent = pattern(1 << 20)
            for start in stride(from: 0, to: sent.count, by: 50_000) {
                client.write(Array(sent[start..<min(sent.count, start + 50_000)]))
            }
            client.finishWriting()
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.received == sent)
            #expect(handler.hasEnded)
            #expect(handler.error == nil)
            while server.isOpen { _ = try await fixture.carriers[0].report() }
            fixture.end()
        }
    }

    @Test("an encrypted echo returns a megabyte, and the carrier counts the traffic")
    func encryptedEcho() async throws {
        let folder = try TemporaryFolder()
        let certificate = try SelfSignedCertificate(in: folder)
        try await EventLoop.run { loop in
            let tls = try TLSServerConfiguration(
                certificateFile: certificate.certificateFile,
                keyFile: certificate.keyFile
            )
            let fixture = try Fixture(loop, tls: tls) { $0.handler = EchoHandler() }
            let trust = try TLSClientConfiguration(
                serverName: "localhost",
                trustedFile: certificate.certificateFile
            )
            let (client, server) = try await fixture.connect(trust)
            #expect(server.isEncrypted)
            let handler = RecordingHandler()
            client.handler = handler
            client.write(pattern(1 << 20))
            client.finishWriting()
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.received == pattern(1 << 20))
            #expect(handler.error == nil)
            let report = try await fixture.carriers[0].report()
            #expect(report.traffic.acceptedCount == 1)
            #expect(report.traffic.handshakeTimes.count == 1)
            #expect(report.traffic.handshakesUnderWay == 0)
            #expect(report.traffic.byteCountReceived > 1 << 20)
            #expect(report.traffic.byteCountSent > 1 << 20)
            #expect(report.turnTimes.count > 0)
            // The listener's own loop has had no traffic.
            #expect(fixture.listener?.figures.traffic.acceptedCount == 0)
            fixture.end()
        }
        withExtendedLifetime(folder) {}
    }

    @Test("streams are distributed evenly, and shared writes reach each in order")
    func severalCarriers() async throws {
        try await EventLoop.run { loop in
            let fixture = try Fixture(loop, carriers: 2)
            var handlers: [RecordingHandler] = []
            for _ in 0..<4 {
                let (client, server) = try await fixture.connect()
                let handler = RecordingHandler()
                client.handler = handler
                server.write(Array("\(handlers.count): ".utf8))
                handlers.append(handler)
            }
            let words = ["one ", "and ", "all"].map { SharedBytes(Array($0.utf8)) }
            for word in words {
                for stream in fixture.accepted { stream.write(word) }
            }
            for (index, handler) in handlers.enumerated() {
                await handler.wait(loop) { $0.text == "\(index): one and all" }
            }
            for carrier in fixture.carriers {
                #expect(try await carrier.report().traffic.acceptedCount == 2)
            }
            fixture.end()
        }
    }

    @Test("all writes before a report have been passed to the system when it arrives")
    func report() async throws {
        let folder = try TemporaryFolder()
        try await EventLoop.run { loop in
            let fixture = try Fixture(loop, at: .unix(path: "\(folder.path)/stoa.sock"))
            let (client, server) = try await fixture.connect()
            let number = try #require(client.descriptorNumber)
            var bytes = [UInt8](repeating: 0, count: 100)
            for _ in 0..<100 {
                server.write(pattern(50))
                #expect(server.queuedByteCount == 50)
                _ = try await fixture.carriers[0].report()
                #expect(server.queuedByteCount == 0)
                #expect(recv(number, &bytes, 100, Int32(MSG_DONTWAIT)) == 50)
            }
            fixture.end()
        }
    }

    @Test("a slow consumer fills the queue to its high mark; reading drains it, which is reported")
    func backPressure() async throws {
        try await EventLoop.run { loop in
            let fixture = try Fixture(loop)
            let (client, server) = try await fixture.connect()
            let (writer, reader) = (RecordingHandler(), RecordingHandler())
            server.handler = writer
            let piece = SharedBytes(pattern(10_000))
            var count = 0
            // Each write is passed to the system before the next, so only the reader is slow.
            while !server.isAboveHighMark {
                server.write(piece)
                count += 1
                _ = try await fixture.carriers[0].report()
            }
            #expect(server.queuedByteCount > server.limits.writeHighMark)
            #expect(writer.drainedCount == 0)
            client.handler = reader
            await writer.wait(loop) { $0.drainedCount == 1 }
            #expect(!server.isAboveHighMark)
            #expect(server.queuedByteCount <= server.limits.writeLowMark)
            await reader.wait(loop) { $0.received.count == count * 10_000 }
            client.close()
            fixture.end()
        }
    }

    @Test("a write above the limit closes the stream with a typed error, whatever has been sent")
    func writeLimit() async throws {
        try await EventLoop.run { loop in
            let limits = StreamLimits(writeLowMark: 10, writeHighMark: 100, writeByteLimit: 1000)
            let fixture = try Fixture(loop, limits: limits)
            let (client, server) = try await fixture.connect()
            let handler = RecordingHandler()
            server.handler = handler
            for _ in 0..<3 {
                server.write(pattern(1000))
                _ = try await fixture.carriers[0].report()
            }
            #expect(server.isOpen)
            server.write(pattern(1000))
            server.write([1])
            #expect(!server.isOpen)
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == .writeQueueFull(byteLimit: 1000))
            client.close()
            fixture.end()
        }
    }

    @Test("pausing between two pieces loses nothing, and no piece is more than a read")
    func pause() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingHandler()
            var pauses = 0
            handler.onReceive = { stream, bytes in
                #expect(bytes.count <= 64 << 10)
                stream.pauseReading()
                pauses += 1
                loop.schedule(after: .zero) { stream.resumeReading() }
            }
            let fixture = try Fixture(loop) { $0.handler = handler }
            let (client, _) = try await fixture.connect()
            client.write(pattern(300_000))
            client.finishWriting()
            await handler.wait(loop) { $0.hasEnded }
            #expect(handler.received == pattern(300_000))
            #expect(pauses > 4)
            client.close()
            fixture.end()
        }
    }

    @Test("the last bytes reach a peer that is still sending")
    func closeAfterFlush() async throws {
        try await EventLoop.run { loop in
            let fixture = try Fixture(loop) { stream in
                let handler = RecordingHandler()
                handler.onReceive = { stream, _ in
                    stream.write(pattern(200_000))
                    stream.closeAfterFlush()
                }
                stream.handler = handler
            }
            let (client, server) = try await fixture.connect()
            let handler = RecordingHandler()
            client.handler = handler
            client.write(pattern(500_000))
            await handler.wait(loop) { $0.hasEnded || $0.closedCount > 0 }
            #expect(handler.received == pattern(200_000))
            client.close()
            while server.isOpen { _ = try await fixture.carriers[0].report() }
            fixture.end()
        }
    }

    @Test("queued bytes of a stream that is closed at once are not sent")
    func closeAtOnce() async throws {
        try await EventLoop.run { loop in
            let fixture = try Fixture(loop)
            let (client, server) = try await fixture.connect()
            let (gone, handler) = (RecordingHandler(), RecordingHandler())
            server.handler = gone
            client.handler = handler
            server.write(Array("too late".utf8))
            server.close()
            await handler.wait(loop) { $0.hasEnded || $0.closedCount > 0 }
            #expect(handler.received.isEmpty)
            await gone.wait(loop) { $0.closedCount == 1 }
            #expect(gone.error == nil)
            client.close()
            fixture.end()
        }
    }

    @Test("open streams are closed, and their handlers notified, when the carrier ends")
    func carrierEnds() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingHandler()
            let fixture = try Fixture(loop) { $0.handler = handler }
            let (client, server) = try await fixture.connect()
            // The carrier has the stream by now.
            _ = try await fixture.carriers[0].report()
            fixture.end()
            await handler.wait(loop) { $0.closedCount == 1 }
            #expect(!server.isOpen)
            client.close()
        }
    }
}
