// Shared frames for clients with compression. A broadcast is compressed once for each negotiated
// window size. It is sent to one client after the other, so a short list of recent results suffices
// as a cache.

package import Networking
public import WebSocketProtocol

/// Compresses shared frames and caches the results. Lives on its loop.
public final class FrameCompression {
    /// Size of the cache for each window: between two subscribers of the same frames, one may get
    /// frames that only it had missed, and administrators get other texts.
    private static let entryCountMax = 4

    private struct Entry {
        /// Weak: after the frames have been sent to all, the result is not needed any more.
        weak var frames: SharedBytes?
        /// Nil if compression does not make them smaller.
        let compressed: SharedBytes?
    }

    private final class Window {
        let compressor: SharedCompressor
        /// The most recently used entry is the last.
        var entries: [Entry] = []

        init(_ compressor: SharedCompressor) { self.compressor = compressor }
    }

    /// The states for messages of single connections.
    public let states = CompressionStates()

    private let settings: PerMessageDeflate
    private var windows: [Int: Window] = [:]

    /// Creates a cache that compresses with the levels and message sizes of `settings`.
    public init(_ settings: PerMessageDeflate) { self.settings = settings }

    /// The number of compressed messages, counted for each window.
    package var messageCount: Int {
        windows.values.reduce(0) { $0 + $1.compressor.messageCount }
    }

    /// The encoding of `frames` for a client with a window of 2^`windowBits` bytes: the compressed
    /// frames, or `frames` themselves if compression does not help or `windowBits` is nil.
    package func encoding(of frames: SharedBytes, windowBits: Int?) -> SharedBytes {
        guard let windowBits, frames.bytes.count > settings.byteCounts.lowerBound else {
            return frames
        }
        let window = window(of: windowBits)
        let entry: Entry
        if let index = window.entries.lastIndex(where: { $0.frames === frames }) {
            entry = window.entries.remove(at: index)
        } else {
            let compressed = window.compressor.compress(frames.bytes).map(SharedBytes.init)
            entry = Entry(frames: frames, compressed: compressed)
            if window.entries.count == Self.entryCountMax { window.entries.removeFirst() }
        }
        window.entries.append(entry)
        return entry.compressed ?? frames
    }

    private func window(of bits: Int) -> Window {
        if let window = windows[bits] { return window }
        let window = Window(SharedCompressor(settings, windowBits: bits))
        windows[bits] = window
        return window
    }
}
