// The echo server's part on one loop: its listener, and what its connections share.

import EventLoop
import Gateway
import Glibc
import Networking
import TLSEngine
import WebSocketProtocol

/// How the loops serve.
struct EchoSettings: Sendable {
    /// Bytes of the longest message.
    var messageBytesMax: Int
    /// Bytes of broadcasts that may wait between loops.
    var relayedBytesMax: Int
    /// Loops that listen at the same port.
    var loopCount: Int
    /// The certificate to show; nil for plain connections.
    var tls: TLSServerConfiguration?
}

/// Listens, and keeps what the connections of one loop share.
final class EchoServer {
    /// What is agreed on with clients that offer compression, and how broadcasts are compressed.
    static let compression = PerMessageDeflate()

    let loop: EventLoop
    let settings: EchoSettings
    let keepAlive: KeepAlive
    let echo = EchoHandler()
    let broadcast: BroadcastHandler
    private var listener: Listener?
    private let relay: BroadcastRelay
    private var noticePace = NoticePace()

    init(loop: EventLoop, _ settings: EchoSettings) {
        self.loop = loop
        self.settings = settings
        keepAlive = KeepAlive(loop: loop)
        let topic = Topic(loop: loop, compression: FrameCompression(Self.compression))
        let relay = BroadcastRelay(byteCountMax: settings.relayedBytesMax)
        self.relay = relay
        broadcast = BroadcastHandler(topic, relay)
        topic.forward = { frames in relay.send(frames) }
    }

    /// Takes connections at `port` of this machine.
    /// - Returns: the port, also where it was 0.
    func listen(at port: UInt16) throws(NetworkError) -> UInt16 {
        var configuration = ListenerConfiguration()
        configuration.tls = settings.tls
        configuration.sharesPort = settings.loopCount > 1
        configuration.streamLimit = .max
        configuration.onNotice = { [weak self] notice in self?.say(notice) }
        // Room for what one read may ask for besides the longest message.
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

    /// Says on standard error that it accepts no more, and that it does again.
    private func say(_ notice: ListenerNotice) {
        guard noticePace.lets(notice, at: loop.now) else { return }
        let line = Array("stoa-echo: \(notice)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Opens the mailbox for the letters of the other loops.
    func openMailbox() -> Mailbox<EchoLetter> {
        // What may wait is bounded by the relays.
        loop.mailbox(capacity: .max) { [self] letters in
            for letter in letters {
                switch letter {
                case .others(let others, let own): relay.begin(own: own, others: others)
                case .frames(let frames, let sender):
                    broadcast.topic.deliver(frames)
                    sender.post(.taken(byteCount: frames.bytes.count))
                case .taken(let byteCount): relay.taken(byteCount: byteCount)
                }
            }
        }
    }
}
