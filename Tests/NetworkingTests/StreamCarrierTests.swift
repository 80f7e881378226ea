import EventLoop
import Glibc
import Instruments
import Networking
import TLSEngine
import TestSupport
import Testing

/// A stream whose socket another loop keeps is used as any other: these tests are those of byte streams
/// that a second loop could break.
@Suite("Carried streams")
struct StreamCarrierTests {
    /// A listener whose streams' sockets are kept elsewhere, and what its tests need.
    private final class Place {
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

        /// Connects, and waits until that was accepted.
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

    @Test("a megabyte comes back from an echo, and both sides end in order")
    func echo() async throws {
        try await EventLoop.run { loop in
            let place = try Place(loop) { $0.handler = EchoHandler() }
            let (client, server) = try await place.connect()
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
            while server.isOpen { _ = try await place.carriers[0].report() }
            place.end()
        }
    }

    @Test("an encrypted megabyte comes back, and the carrier counts what it carries")
    func encryptedEcho() async throws {
        let folder = try TemporaryFolder()
        let certificate = try SelfSignedCertificate(in: folder)
        try await EventLoop.run { loop in
            let tls = try TLSServerConfiguration(
                certificateFile: certificate.certificateFile,
                keyFile: certificate.keyFile
            )
            let place = try Place(loop, tls: tls) { $0.handler = EchoHandler() }
            let trust = try TLSClientConfiguration(
                serverName: "localhost",
                trustedFile: certificate.certificateFile
            )
            let (client, server) = try await place.connect(trust)
            #expect(server.isEncrypted)
            let handler = RecordingHandler()
            client.handler = handler
            client.write(pattern(1 << 20))
            client.finishWriting()
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.received == pattern(1 << 20))
            #expect(handler.error == nil)
            let report = try await place.carriers[0].report()
            #expect(report.traffic.acceptedCount == 1)
            #expect(report.traffic.handshakeTimes.count == 1)
            #expect(report.traffic.handshakesUnderWay == 0)
            #expect(report.traffic.byteCountReceived > 1 << 20)
            #expect(report.traffic.byteCountSent > 1 << 20)
            #expect(report.turnTimes.count > 0)
            // The listener's own loop has carried nothing.
            #expect(place.listener?.figures.traffic.acceptedCount == 0)
            place.end()
        }
        withExtendedLifetime(folder) {}
    }

    @Test("streams are shared out evenly, and what all are sent reaches each in its order")
    func severalCarriers() async throws {
        try await EventLoop.run { loop in
            let place = try Place(loop, carriers: 2)
            var handlers: [RecordingHandler] = []
            for _ in 0..<4 {
                let (client, server) = try await place.connect()
                let handler = RecordingHandler()
                client.handler = handler
                server.write(Array("\(handlers.count): ".utf8))
                handlers.append(handler)
            }
            let words = ["one ", "and ", "all"].map { SharedBytes(Array($0.utf8)) }
            for word in words {
                for stream in place.accepted { stream.write(word) }
            }
            for (index, handler) in handlers.enumerated() {
                await handler.wait(loop) { $0.text == "\(index): one and all" }
            }
            for carrier in place.carriers {
                #expect(try await carrier.report().traffic.acceptedCount == 2)
            }
            place.end()
        }
    }

    @Test("all that was written before a report is with the system when it comes")
    func report() async throws {
        let folder = try TemporaryFolder()
        try await EventLoop.run { loop in
            let place = try Place(loop, at: .unix(path: "\(folder.path)/stoa.sock"))
            let (client, server) = try await place.connect()
            let number = try #require(client.descriptorNumber)
            var bytes = [UInt8](repeating: 0, count: 100)
            for _ in 0..<100 {
                server.write(pattern(50))
                #expect(server.queuedByteCount == 50)
                _ = try await place.carriers[0].report()
                #expect(server.queuedByteCount == 0)
                #expect(recv(number, &bytes, 100, Int32(MSG_DONTWAIT)) == 50)
            }
            place.end()
        }
    }

    @Test("a slow reader brings the queue to its high mark; reading drains it, and that is told")
    func backPressure() async throws {
        try await EventLoop.run { loop in
            let place = try Place(loop)
            let (client, server) = try await place.connect()
            let (writer, reader) = (RecordingHandler(), RecordingHandler())
            server.handler = writer
            let piece = SharedBytes(pattern(10_000))
            var count = 0
            // Each is with the system before the next is written, so that only the reader is slow.
            while !server.isAboveHighMark {
                server.write(piece)
                count += 1
                _ = try await place.carriers[0].report()
            }
            #expect(server.queuedByteCount > server.limits.writeHighMark)
            #expect(writer.drainedCount == 0)
            client.handler = reader
            await writer.wait(loop) { $0.drainedCount == 1 }
            #expect(!server.isAboveHighMark)
            #expect(server.queuedByteCount <= server.limits.writeLowMark)
            await reader.wait(loop) { $0.received.count == count * 10_000 }
            client.close()
            place.end()
        }
    }

    @Test("a write above the limit closes the stream with a typed error, whatever has left")
    func writeLimit() async throws {
        try await EventLoop.run { loop in
            let limits = StreamLimits(writeLowMark: 10, writeHighMark: 100, writeByteLimit: 1000)
            let place = try Place(loop, limits: limits)
            let (client, server) = try await place.connect()
            let handler = RecordingHandler()
            server.handler = handler
            for _ in 0..<3 {
                server.write(pattern(1000))
                _ = try await place.carriers[0].report()
            }
            #expect(server.isOpen)
            server.write(pattern(1000))
            server.write([1])
            #expect(!server.isOpen)
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == .writeQueueFull(byteLimit: 1000))
            client.close()
            place.end()
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
            let place = try Place(loop) { $0.handler = handler }
            let (client, _) = try await place.connect()
            client.write(pattern(300_000))
            client.finishWriting()
            await handler.wait(loop) { $0.hasEnded }
            #expect(handler.received == pattern(300_000))
            #expect(pauses > 4)
            client.close()
            place.end()
        }
    }

    @Test("last words reach a peer that is still sending")
    func closeAfterFlush() async throws {
        try await EventLoop.run { loop in
            let place = try Place(loop) { stream in
                let handler = RecordingHandler()
                handler.onReceive = { stream, _ in
                    stream.write(pattern(200_000))
                    stream.closeAfterFlush()
                }
                stream.handler = handler
            }
            let (client, server) = try await place.connect()
            let handler = RecordingHandler()
            client.handler = handler
            client.write(pattern(500_000))
            await handler.wait(loop) { $0.hasEnded || $0.closedCount > 0 }
            #expect(handler.received == pattern(200_000))
            client.close()
            while server.isOpen { _ = try await place.carriers[0].report() }
            place.end()
        }
    }

    @Test("what waits for a stream that is closed at once is not sent")
    func closeAtOnce() async throws {
        try await EventLoop.run { loop in
            let place = try Place(loop)
            let (client, server) = try await place.connect()
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
            place.end()
        }
    }

    @Test("streams that are open when the carrier ends are closed, and their handlers told")
    func carrierEnds() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingHandler()
            let place = try Place(loop) { $0.handler = handler }
            let (client, server) = try await place.connect()
            // The carrier has it by then.
            _ = try await place.carriers[0].report()
            place.end()
            await handler.wait(loop) { $0.closedCount == 1 }
            #expect(!server.isOpen)
            client.close()
        }
    }
}
