// Sends of many streams at once, by the kernel's ring and without it, on real sockets.

import CLinux
import EventLoop
import Glibc
import Networking
import TLSEngine
import TestSupport
import Testing

@Suite("Sends of many streams at once")
struct SendBatchTests {
    /// How a loop sends.
    enum Way: CaseIterable, CustomStringConvertible {
        case ring
        /// The kernel takes two sends at a time.
        case smallRing
        /// More than the kernel permits: it refuses.
        case refusedRing
        case withoutRing

        var description: String {
            switch self {
            case .ring: "by a ring"
            case .smallRing: "by a ring that is smaller than the batch"
            case .refusedRing: "where the system refuses a ring"
            case .withoutRing: "without io_uring"
            }
        }

        /// Whether the system has rings for processes like this one.
        static let systemHasRings: Bool = {
            guard let ring = clinux_ring_open(8) else { return false }
            clinux_ring_close(ring)
            return true
        }()

        func prepare(_ loop: EventLoop) {
            switch self {
            case .ring: SendBatch.of(loop)
            case .smallRing: SendBatch.of(loop, ringCapacity: 2)
            case .refusedRing: SendBatch.of(loop, ringCapacity: 1 << 20)
            case .withoutRing: loop.usesIOUring = false
            }
        }

        /// Whether a loop that has sent to many has a ring.
        var opensRing: Bool { (self == .ring || self == .smallRing) && Self.systemHasRings }
    }

    /// What two streams have between them.
    enum Link: CaseIterable { case plain, encrypted }

    private let folder: TemporaryFolder
    private let server: TLSServerConfiguration
    private let client: TLSClientConfiguration

    init() throws {
        folder = try TemporaryFolder()
        let files = try SelfSignedCertificate(in: folder)
        server = try TLSServerConfiguration(
            certificateFile: files.certificateFile,
            keyFile: files.keyFile
        )
        client = try TLSClientConfiguration(
            serverName: "localhost",
            trustedFile: files.certificateFile
        )
    }

    private func channels(
        _ count: Int,
        _ loop: EventLoop,
        _ link: Link = .plain
    ) throws -> [Channel] {
        try (0..<count).map { _ in
            switch link {
            case .plain: try Channel(loop)
            case .encrypted:
                try Channel(loop, TLSEngine(server: server), TLSEngine(client: client))
            }
        }
    }

    /// Two connected streams, of which one writes.
    private final class Channel {
        let writer: ByteStream
        let reader: ByteStream
        let written = RecordingHandler()
        let read = RecordingHandler()
        var expected: [UInt8] = []
        /// Whether what is written now is not sent any more.
        var isFinished = false
        /// Whether all of it has to arrive.
        var isComplete = true

        init(_ loop: EventLoop) throws {
            (writer, reader) = try ByteStream.pair(loop: loop)
            writer.handler = written
            reader.handler = read
        }

        /// The same with TLS, of which the writer is the server.
        init(_ loop: EventLoop, _ server: TLSEngine, _ client: TLSEngine) throws {
            (writer, reader) = try ByteStream.pair(loop: loop, tls: (server, client))
            writer.handler = written
            reader.handler = read
        }

        func expect(_ bytes: [UInt8]) {
            if !isFinished { expected += bytes }
        }
    }

    @Test(
        "what is written in any way arrives complete and in order",
        arguments: Way.allCases,
        Link.allCases
    )
    func order(_ way: Way, _ link: Link) async throws {
        try await EventLoop.run { loop in
            way.prepare(loop)
            for seed in 1...8 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                let channels = try self.channels(40, loop, link)
                for _ in 0..<30 {
                    let shared = SharedBytes(piece(1...5000, &random))
                    for channel in channels { act(channel, shared, channels.count, &random) }
                    try await loop.sleep(for: .zero)
                }
                for channel in channels {
                    channel.reader.resumeReading()
                    if channel.isComplete {
                        let count = channel.expected.count
                        await channel.read.wait(loop) { $0.received.count >= count }
                        #expect(channel.read.received == channel.expected, "seed \(seed)")
                    } else {
                        #expect(channel.expected.starts(with: channel.read.received))
                    }
                    channel.writer.close()
                    channel.reader.close()
                }
            }
            #expect(SendBatch.of(loop).hasRing == way.opensRing)
        }
    }

    private static let source = pattern(20_000)

    /// A piece of the pattern, so that what is lost, repeated or exchanged is noticed.
    private func piece(_ counts: ClosedRange<Int>, _ random: inout SeededGenerator) -> [UInt8] {
        let start = Int.random(in: 0..<10_000, using: &random)
        return Array(Self.source[start...].prefix(.random(in: counts, using: &random)))
    }

    private func act(
        _ channel: Channel,
        _ shared: SharedBytes,
        _ count: Int,
        _ random: inout SeededGenerator
    ) {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<50:
            channel.expect(shared.bytes)
            channel.writer.writeNow(shared, amongStreams: count)
        case 50..<70:
            let bytes = piece(0...9000, &random)
            channel.expect(bytes)
            channel.writer.write(bytes)
        case 70..<85:
            let bytes = piece(1...300, &random)
            channel.expect(bytes)
            bytes.withUnsafeBytes {
                channel.writer.write(
                    copying: UnsafeRawBufferPointer(start: nil, count: 0),
                    $0
                )
            }
        case 85..<92: channel.reader.pauseReading()
        case 92..<97: channel.reader.resumeReading()
        case 97:
            channel.isFinished = true
            channel.writer.finishWriting()
        case 98:
            channel.isComplete = false
            channel.reader.close()
        default:
            channel.isComplete = false
            channel.isFinished = true
            channel.writer.close()
        }
    }

    @Test(
        "replies to many at once arrive complete and in order",
        arguments: Way.allCases,
        Link.allCases
    )
    func replies(_ way: Way, _ link: Link) async throws {
        try await EventLoop.run { loop in
            way.prepare(loop)
            let channels = try self.channels(64, loop, link)
            for channel in channels {
                channel.read.onReceive = { stream, bytes in
                    // In two halves, and long ones by another way.
                    let middle = bytes.count / 2
                    stream.write(
                        copying: UnsafeRawBufferPointer(rebasing: bytes[..<middle]),
                        UnsafeRawBufferPointer(rebasing: bytes[middle...])
                    )
                    if bytes.count > 6000 { stream.write(Array(bytes)) }
                }
            }
            // The longest arrives in one piece: a record has 16 KiB at most.
            let longest = link == .plain ? 20_000 : 16_000
            for count in [1, 60, 4000, 4096, 4097, 7000, longest] {
                let asked = pattern(count)
                for channel in channels { channel.writer.write(asked) }
                for channel in channels {
                    let answer = count > 6000 ? asked + asked : asked
                    await channel.written.wait(loop) { $0.received.count >= answer.count }
                    #expect(channel.written.received.count == answer.count)
                    #expect(count > 6000 || channel.written.received == answer)
                    channel.written.forget()
                }
            }
            for channel in channels { channel.writer.close() }
            #expect(SendBatch.of(loop).hasRing == way.opensRing)
        }
    }

    @Test(
        "what a full socket does not take is queued, and sent later",
        arguments: Way.allCases,
        Link.allCases
    )
    func slowConsumers(_ way: Way, _ link: Link) async throws {
        try await EventLoop.run { loop in
            way.prepare(loop)
            let channels = try self.channels(16, loop, link)
            for channel in channels { channel.reader.pauseReading() }
            let shared = SharedBytes(pattern(4000))
            var rounds = 0
            while channels.contains(where: { $0.writer.queuedByteCount == 0 }) {
                for channel in channels {
                    channel.writer.writeNow(shared, amongStreams: channels.count)
                }
                rounds += 1
                try await loop.sleep(for: .zero)
            }
            #expect(channels.allSatisfy { $0.writer.isOpen })
            let expected = (0..<rounds).flatMap { _ in shared.bytes }
            for channel in channels {
                channel.reader.resumeReading()
                await channel.read.wait(loop) { $0.received.count >= expected.count }
                #expect(channel.read.received == expected)
                #expect(channel.writer.queuedByteCount == 0)
                channel.writer.close()
            }
        }
    }

    @Test("a peer that has closed is found out, and others get theirs", arguments: Way.allCases)
    func closedPeers(_ way: Way) async throws {
        try await EventLoop.run { loop in
            way.prepare(loop)
            let channels = try self.channels(16, loop)
            // Without reading, only sending can tell.
            for channel in channels[..<8] {
                channel.writer.pauseReading()
                channel.reader.close()
            }
            try await loop.sleep(for: .zero)
            let shared = SharedBytes(pattern(100))
            for channel in channels {
                channel.writer.writeNow(shared, amongStreams: channels.count)
            }
            for channel in channels[..<8] {
                await channel.written.wait(loop) { $0.closedCount == 1 }
                guard case .reset? = channel.written.error else {
                    Issue.record("closed with \(String(describing: channel.written.error))")
                    continue
                }
            }
            for channel in channels[8...] {
                await channel.read.wait(loop) { $0.received.count == 100 }
                #expect(channel.read.received == shared.bytes)
                channel.writer.close()
            }
        }
    }

    @Test(
        "a stream closed before its batch sends nothing, nor does a new one with its number",
        arguments: Way.allCases
    )
    func closedBefore(_ way: Way) async throws {
        try await EventLoop.run { loop in
            way.prepare(loop)
            let channels = try self.channels(16, loop)
            let shared = SharedBytes(pattern(100))
            for channel in channels {
                channel.writer.writeNow(shared, amongStreams: channels.count)
            }
            for channel in channels[..<8] { channel.writer.close() }
            // They get the lowest free numbers: those, unless tests beside this one were faster.
            let others = try self.channels(16, loop)
            for channel in channels[..<8] { await channel.read.wait(loop) { $0.hasEnded } }
            for channel in channels[8...] {
                await channel.read.wait(loop) { $0.received.count == 100 }
            }
            // A ring's streams had sent nothing yet; send(2) sends at once.
            for channel in channels[..<8] {
                #expect(channel.read.received == (way.opensRing ? [] : shared.bytes))
            }
            for channel in others {
                #expect(channel.read.received.isEmpty)
                channel.writer.close()
            }
            for channel in channels[8...] { channel.writer.close() }
        }
    }

    @Test("a stream that ends behind its batch sends all of it", arguments: Way.allCases)
    func ending(_ way: Way) async throws {
        try await EventLoop.run { loop in
            way.prepare(loop)
            let channels = try self.channels(16, loop)
            let shared = SharedBytes(pattern(100))
            for channel in channels {
                channel.writer.writeNow(shared, amongStreams: channels.count)
                #expect(channel.writer.queuedByteCount == (way.opensRing ? 100 : 0))
                channel.writer.closeAfterFlush(awaitingPeer: false)
            }
            for channel in channels {
                await channel.read.wait(loop) { $0.hasEnded }
                #expect(channel.read.received == shared.bytes)
                channel.reader.close()
            }
        }
    }
}
