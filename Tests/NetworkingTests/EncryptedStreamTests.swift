import EventLoop
import Glibc
import Instruments
import Networking
import TLSEngine
import TestSupport
import Testing

@Suite("Encrypted streams")
struct EncryptedStreamTests {
    private let folder: TemporaryFolder
    private let certificate: SelfSignedCertificate

    init() throws {
        folder = try TemporaryFolder()
        certificate = try SelfSignedCertificate(in: folder)
    }

    private func listen(
        _ loop: EventLoop,
        limits: StreamLimits = StreamLimits(),
        _ accept: @escaping (ByteStream) -> Void
    ) throws -> Listener {
        var configuration = ListenerConfiguration()
        configuration.limits = limits
        configuration.tls = try TLSServerConfiguration(
            certificateFile: certificate.certificateFile,
            keyFile: certificate.keyFile
        )
        return try Listener(
            loop: loop,
            address: anyPort,
            configuration: configuration,
            accept: accept
        )
    }

    private func connect(
        _ loop: EventLoop,
        _ address: SocketAddress,
        name: String = "localhost"
    ) async throws -> ByteStream {
        let tls = try TLSClientConfiguration(
            serverName: name,
            trustedFile: certificate.certificateFile
        )
        return try await StreamConnector.connect(
            loop: loop,
            to: address,
            deadline: .seconds(30),
            tls: tls
        )
    }

    @Test("an encrypted echo returns a megabyte, and both sides close orderly")
    func echo() async throws {
        try await EventLoop.run { loop in
            let listener = try listen(loop) { $0.handler = EchoHandler() }
            let stream = try await connect(loop, listener.address)
            #expect(stream.isEncrypted)
            let handler = RecordingHandler()
            stream.handler = handler
            let sent = pattern(1 << 20)
            stream.write(sent)
            stream.finishWriting()
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.received == sent)
            #expect(handler.hasEnded)
            #expect(handler.error == nil)
            let figures = listener.figures.traffic
            #expect(figures.acceptedCount == 1)
            #expect(figures.handshakeTimes.count == 1 && figures.handshakesUnderWay == 0)
            // The ciphertext is longer than the plaintext.
            #expect(figures.byteCountReceived > 1 << 20 && figures.byteCountSent > 1 << 20)
            listener.close()
        }
    }

    @Test("bytes that the server writes before the handshake and before there is a reader arrive")
    func early() async throws {
        try await EventLoop.run { loop in
            let listener = try listen(loop) { $0.write(Array("welcome".utf8)) }
            let stream = try await connect(loop, listener.address)
            for _ in 0..<5 { try await loop.sleep(for: .zero) }
            let client = AsyncByteStream(stream)
            #expect(try await client.read() == Array("welcome".utf8))
            client.close()
            listener.close()
        }
    }

    @Test("pausing between two pieces loses nothing")
    func pause() async throws {
        try await EventLoop.run { loop in
            let listener = try listen(loop) { stream in
                stream.write(pattern(300_000))
                stream.closeAfterFlush()
            }
            let stream = try await connect(loop, listener.address)
            let handler = RecordingHandler()
            var pauses = 0
            handler.onReceive = { stream, _ in
                stream.pauseReading()
                pauses += 1
                loop.schedule(after: .zero) { stream.resumeReading() }
            }
            stream.handler = handler
            await handler.wait(loop) { $0.hasEnded }
            #expect(handler.received == pattern(300_000))
            #expect(pauses > 4)
            stream.close()
            listener.close()
        }
    }

    @Test("with a slow consumer the server's queue is bounded and unencrypted")
    func backPressure() async throws {
        try await EventLoop.run { loop in
            let accepted = LoopPromise<ByteStream, Never>(loop)
            let listener = try listen(loop) { accepted.succeed($0) }
            let client = try await connect(loop, listener.address)
            let server = await accepted.value {}
            let handler = RecordingHandler()
            server.handler = handler
            let piece = SharedBytes(pattern(50_000))
            var count = 0
            while !server.isAboveHighMark {
                server.write(piece)
                count += 1
                try await loop.sleep(for: .zero)
            }
            let reader = AsyncByteStream(client)
            var received = 0
            while received < count * 50_000 {
                received += try #require(try await reader.read()).count
            }
            await handler.wait(loop) { $0.drainedCount == 1 }
            #expect(server.queuedByteCount == 0)
            server.close()
            listener.close()
        }
    }

    // MARK: Failures

    @Test("a server with another name is refused, and gets an alert")
    func wrongName() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingHandler()
            let listener = try listen(loop) { $0.handler = handler }
            do {
                _ = try await connect(loop, listener.address, name: "example.org")
                Issue.record("connected to a server with another name")
            } catch NetworkError.tls(.untrusted(let reason)) {
                #expect(reason.contains("mismatch"))
            }
            await handler.wait(loop) { $0.closedCount > 0 }
            guard case .tls(.failed) = handler.error else {
                Issue.record("\(String(describing: handler.error))")
                return
            }
            listener.close()
        }
    }

    @Test("a client that does not speak TLS is closed with an error")
    func plainClient() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingHandler()
            let listener = try listen(loop) { $0.handler = handler }
            let stream = try await StreamConnector.connect(
                loop: loop,
                to: listener.address,
                deadline: .seconds(30)
            )
            stream.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            await handler.wait(loop) { $0.closedCount > 0 }
            guard case .tls(.failed) = handler.error else {
                Issue.record("\(String(describing: handler.error))")
                return
            }
            #expect(listener.figures.traffic.handshakeFailureCount == 1)
            #expect(listener.figures.traffic.handshakesUnderWay == 0)
            stream.close()
            listener.close()
        }
    }

    @Test("a client that does not start the handshake is closed after the timeout")
    func handshakeLimit() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            let accepted = LoopPromise<Void, Never>(loop)
            let handler = RecordingHandler()
            let listener = try listen(loop) { stream in
                stream.handler = handler
                accepted.succeed(())
            }
            let stream = try await StreamConnector.connect(
                loop: loop,
                to: listener.address,
                deadline: .seconds(30)
            )
            await accepted.value {}
            clock.advance(by: StreamLimits().handshakeLimit)
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == .timedOut)
            stream.close()
            listener.close()
        }
    }

    @Test("an end without close_notify is an error: it may be an attack")
    func truncated() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingHandler()
            let listener = try listen(loop) { $0.handler = handler }
            let stream = try await connect(loop, listener.address)
            stream.write(Array("half a sen".utf8))
            await handler.wait(loop) { $0.text == "half a sen" }
            shutdown(try #require(stream.descriptorNumber), Int32(SHUT_WR))
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == .tls(.truncated))
            stream.close()
            listener.close()
        }
    }

    @Test("a cancelled handshake closes its socket")
    func cancellation() async throws {
        try await EventLoop.run { loop in
            let accepted = LoopPromise<ByteStream, Never>(loop)
            // A plain listener never responds to a handshake.
            let listener = try Listener(loop: loop, address: anyPort) { accepted.succeed($0) }
            let address = listener.address
            var failure: (any Error)?
            let task = loop.spawn {
                do { _ = try await connect(loop, address) } catch { failure = error }
            }
            let server = AsyncByteStream(await accepted.value {})
            #expect(try await server.read() != nil)
            task.cancel()
            await task.wait()
            #expect(failure as? NetworkError == .cancelled)
            #expect(try await server.read() == nil)
            server.close()
            listener.close()
        }
    }

    @Test("a replaced certificate is used for new connections")
    func replacing() async throws {
        let otherFolder = try TemporaryFolder()
        let other = try SelfSignedCertificate(in: otherFolder)
        try await EventLoop.run { loop in
            let listener = try listen(loop) { $0.handler = EchoHandler() }
            let before = try await connect(loop, listener.address)
            let tls = try TLSServerConfiguration(
                certificateFile: other.certificateFile,
                keyFile: other.keyFile
            )
            listener.replaceCertificate(tls)
            // This client trusts the old certificate only.
            await #expect(throws: NetworkError.self) {
                _ = try await connect(loop, listener.address)
            }
            #expect(before.isOpen)
            before.close()
            listener.close()
        }
        withExtendedLifetime(otherFolder) {}
    }
}
