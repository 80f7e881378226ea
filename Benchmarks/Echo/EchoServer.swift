// The echo server's part on one loop: its listener, and what its connections share.

import EventLoop
import Gateway
import Networking
import TLSEngine
import WebSocketProtocol

/// How the loops serve.
struct EchoSettings: Sendable {
    /// Bytes of the longest message.
    var messageBytesMax: Int
    /// Whether several loops listen at the same port.
    var sharesPort: Bool
    /// The certificate to show; nil for plain connections.
    var tls: TLSServerConfiguration?
}

/// Listens, and keeps what the connections of one loop share.
final class EchoServer {
    /// What is agreed on with clients that offer compression, and how broadcasts are compressed.
    static let compression = PerMessageDeflate()
    /// How many batches of other loops may wait here.
    private static let letterLimit = 4096

    let loop: EventLoop
    let settings: EchoSettings
    let keepAlive: KeepAlive
    let echo = EchoHandler()
    let broadcast: BroadcastHandler
    private var listener: Listener?
    private var others: [Mailbox<EchoLetter>] = []

    init(loop: EventLoop, _ settings: EchoSettings) {
        self.loop = loop
        self.settings = settings
        keepAlive = KeepAlive(loop: loop)
        let topic = Topic(loop: loop, compression: FrameCompression(Self.compression))
        broadcast = BroadcastHandler(topic)
        topic.forward = { [weak self] frames in
            for other in self?.others ?? [] { other.post(.frames(frames)) }
        }
    }

    /// Takes connections at `port` of this machine.
    /// - Returns: the port, also where it was 0.
    func listen(at port: UInt16) throws(NetworkError) -> UInt16 {
        var configuration = ListenerConfiguration()
        configuration.tls = settings.tls
        configuration.sharesPort = settings.sharesPort
        configuration.streamLimit = .max
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

    /// Opens the mailbox for the letters of the other loops.
    func openMailbox() -> Mailbox<EchoLetter> {
        loop.mailbox(capacity: Self.letterLimit) { [self] letters in
            for letter in letters {
                switch letter {
                case .others(let mailboxes): others = mailboxes
                case .frames(let frames): broadcast.topic.deliver(frames)
                }
            }
        }
    }
}
