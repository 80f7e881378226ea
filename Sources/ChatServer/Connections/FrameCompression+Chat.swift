// Compression settings of the chat server.

import Gateway
import WebSocketProtocol

extension FrameCompression {
    /// The settings to negotiate. No context is kept between messages, so that a connection needs
    /// no memory for it. The loop's thread compresses, so it uses a fast level; shorter messages,
    /// such as deltas, would gain little, and longer ones would delay other connections.
    static let chatSettings = PerMessageDeflate(
        level: 1,
        byteCounts: 1024...(256 << 10),
        keepsContext: false,
        peerKeepsContext: false
    )
}
