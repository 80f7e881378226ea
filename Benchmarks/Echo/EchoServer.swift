// The echo server on one loop: its listener, and the objects that its connections share.

import EventLoop
import Gateway
import Glibc
import Networking
import TLSEngine
import WebSocketProtocol

/// Settings of the loops.
struct EchoSettings: Sendable {
    /// Maximum message size in bytes.
    var messageBytesMax: Int
    /// Maximum bytes of broadcasts queued between loops.
    var relayedBytesMax: Int
    /// Number of loops, which listen at the same port.
    var loopCount: Int
    /// Whether to send to many clients at once by io_uring, if the system permits it.
    var usesIOUring: Bool
    /// The TLS settings; nil for plain connections.
    var tls: TLSServerConfiguration?
}

/// Listens, and owns the objects that the connections of one loop share.
final class EchoServer {
    /// The preferences for compression, also used for broadcasts.
    static let deflate = PerMessageDeflate()
    /// Minimum fragment size for the longest message.
    private static let fragmentBytesMin = 16

    let loop: EventLoop
    let settings: EchoSettings
    let keepAlive: KeepAlive
    let echo = EchoHandler()
    let broadcast: BroadcastHandler
    let compression = FrameCompression(EchoServer.deflate)
    let webSocketSettings: WebSocketSettings
    private var listener: Listener?
    private let relay: BroadcastRelay
    private var noticeLimit = NoticeRateLimit()

    init(loop: EventLoop, _ settings: EchoSettings) {
        self.loop = loop
        self.settings = settings
        loop.usesIOUring = settings.usesIOUring
        keepAlive = KeepAlive(loop: loop)
        let bytes = settings.messageBytesMax
        webSocketSettings = WebSocketSettings(
            role: .server,
            limits: WebSocketLimits(
                frameBytesMax: bytes,
                messageBytesMax: bytes,
                fragmentCountMax: max(1024, bytes / Self.fragmentBytesMin)
            ),
            states: compression.states
        )
        let topic = Topic(loop: loop, compression: compression)
        let relay = BroadcastRelay(byteCountMax: settings.relayedBytesMax)
        self.relay = relay
        broadcast = BroadcastHandler(topic, relay)
        topic.forward = { frames in relay.send(frames) }
    }

    /// Accepts connections at `port` of this machine.
    /// - Returns: the port, which the system selects if `port` is 0.
    func listen(at port: UInt16) throws(NetworkError) -> UInt16 {
        var configuration = ListenerConfiguration()
        configuration.tls = settings.tls
        configuration.sharesPort = settings.loopCount > 1
        configuration.streamLimit = .max
        configuration.onNotice = { [weak self] notice in self?.log(notice) }
        // Allows for the replies to one read besides the longest message.
        configuration.limits = StreamLimits(
            writeByteLimit: 2 * settings.messageBytesMax + (8 << 20)
        )
        let listener = try Listener(
            loop: loop,
            address: .ipv4(0x7F00_0001, port: port),
            configuration: configuration
        ) { [self] stream in
            stream.handler = HandshakeHandler(stream, server: self)
        }
        self.listener = listener
        return listener.address.port ?? port
    }

    /// Prints on standard error when accepting pauses and resumes.
    private func log(_ notice: ListenerNotice) {
        guard noticeLimit.allows(notice, at: loop.now) else { return }
        let line = Array("stoa-echo: \(notice)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Opens the mailbox for messages of the other loops.
    func openMailbox() -> Mailbox<EchoMessage> {
        // The relays bound the queue.
        loop.mailbox(capacity: .max) { [self] messages in
            for message in messages {
                switch message {
                case .others(let others, let own): relay.begin(own: own, others: others)
                case .frames(let frames, let sender):
                    broadcast.topic.deliver(frames)
                    sender.post(.acknowledged(byteCount: frames.bytes.count))
                case .acknowledged(let byteCount): relay.acknowledged(byteCount: byteCount)
                }
            }
        }
    }
}
