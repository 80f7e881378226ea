// Frames for clients that agreed on compression. What goes to many of them is compressed once for each
// size of window that they agreed on: the hub hands one frame to all, one after the other, so it is
// enough to remember what became of the last one.

package import Networking
import WebSocketProtocol

/// The compressed forms of frames. Lives on its loop.
package final class FrameCompression {
    /// What is agreed on with clients. No frame refers to another, so that all can be shared and a
    /// connection holds nothing between two messages. The loop's thread compresses, so it is done
    /// fast; shorter messages, which growing answers consist of, would win little, and longer ones
    /// would keep the other connections waiting.
    static let settings = PerMessageDeflate(
        level: 1,
        byteCounts: 1024...(256 << 10),
        keepsContext: false,
        peerKeepsContext: false
    )

    private struct Window {
        let compressor: SharedCompressor
        /// The frame that was compressed last, and what of it is sent.
        var last: (frame: SharedBytes, form: SharedBytes)?
    }

    private var windows: [Int: Window] = [:]

    package init() {}

    /// What is sent of `frame` to a client with a window of 2^`windowBits` bytes: itself, where it is
    /// not compressed. Nil: nothing is compressed for that client.
    package func form(of frame: SharedBytes, windowBits: Int?) -> SharedBytes {
        guard let windowBits, Self.settings.byteCounts.contains(frame.bytes.count) else {
            return frame
        }
        var window =
            windows[windowBits]
            ?? Window(compressor: SharedCompressor(Self.settings, windowBits: windowBits))
        if let last = window.last, last.frame === frame { return last.form }
        let form = window.compressor.compress(frame.bytes).map(SharedBytes.init) ?? frame
        window.last = (frame, form)
        windows[windowBits] = window
        return form
    }
}
