// How the chat server compresses.

import Gateway
import WebSocketProtocol

extension FrameCompression {
    /// What is agreed on with clients. No frame refers to another, so that a connection holds nothing
    /// between two messages. The loop's thread compresses, so it is done fast; shorter messages, which
    /// growing answers consist of, would win little, and longer ones would keep the other connections
    /// waiting.
    static let chatSettings = PerMessageDeflate(
        level: 1,
        byteCounts: 1024...(256 << 10),
        keepsContext: false,
        peerKeepsContext: false
    )
}
