// An event for many subscribers is compressed once per window size.

import ChatProtocol
import ChatServer
import Gateway
import Networking
import Testing
import WebSocketProtocol

/// A connection with its own window size.
private final class Reader: Watcher {
    var isSlow = false
    let isStuck = false
    private let compression: FrameCompression
    private let windowBits: Int
    private(set) var forms: [SharedBytes] = []

    init(_ compression: FrameCompression, windowBits: Int) {
        self.compression = compression
        self.windowBits = windowBits
    }

    func send(_ frame: SharedBytes) {
        forms.append(compression.encoding(of: frame, windowBits: windowBits))
    }
}

@Suite("Compressed frames of a conversation")
struct FrameCompressionTests {
    private let conversation = ConversationID.make()
    private let message = MessageID.make()
    private let compression = FrameCompression(
        PerMessageDeflate(byteCounts: 1024...(256 << 10), keepsContext: false)
    )

    /// A channel with a running answer, and a hundred subscribers with two alternating window
    /// sizes.
    private func watched() -> (channel: ConversationChannel, readers: [Reader]) {
        let channel = ConversationChannel(conversation: conversation)
        channel.start(LiveAnswer(conversation: conversation, message: message, run: .make()))
        let readers = (0..<100).map { index in
            Reader(compression, windowBits: index.isMultiple(of: 2) ? 15 : 10)
        }
        for reader in readers {
            channel.begin(reader)
            channel.activate(reader, n: 0)
        }
        return (channel, readers)
    }

    /// An event that is long enough to be compressed.
    private func longEvent(_ n: Int64) -> ServerEvent {
        let user = User(id: .make(), name: String(repeating: "Ann ", count: 1000))
        return .memberChanged(
            MemberChanged(conversation: conversation, n: n, user: user, role: nil)
        )
    }

    private func grow(_ channel: ConversationChannel) {
        _ = channel.append(String(repeating: "text ", count: 1000), to: message)
        channel.flush(message)
    }

    @Test("an event and a delta for a hundred subscribers are compressed twice each")
    func hundredWatchers() {
        let (channel, readers) = watched()
        channel.receive(1, longEvent(1))
        #expect(compression.messageCount == 2)
        grow(channel)
        #expect(compression.messageCount == 4)
        for (index, reader) in readers.enumerated() {
            #expect(reader.forms.map { $0.bytes[0] } == [0xC1, 0xC1])
            #expect(reader.forms.last === readers[index % 2].forms.last)
        }
    }

    @Test("so are events after a delta that each subscriber gets alone")
    func afterCatchingUp() {
        let (channel, readers) = watched()
        for reader in readers { reader.isSlow = true }
        grow(channel)
        for reader in readers { reader.isSlow = false }
        channel.receive(1, longEvent(1))
        #expect(compression.messageCount == readers.count + 2)
        #expect(readers.allSatisfy { $0.forms.count == 2 })
    }
}
