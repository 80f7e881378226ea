// Frames for clients that agreed on compression. What goes to many of them is compressed once for each
// size of window that they agreed on: it is handed to one after the other, so it is enough to remember
// what became of the last few.

package import Networking
public import WebSocketProtocol

/// The compressed forms of frames that are shared. Lives on its loop.
public final class FrameCompression {
    /// How many are remembered for each window: between two readers of the same frames, one of them may
    /// be sent what it alone had missed, and administrators get other words than everybody.
    private static let formCountMax = 4

    private struct Form {
        /// Weak, for when they were sent to all nobody asks for their form any more.
        weak var frames: SharedBytes?
        /// Nil where compressing does not make them shorter.
        let compressed: SharedBytes?
    }

    private final class Window {
        let compressor: SharedCompressor
        /// The form that was asked for last is the last.
        var forms: [Form] = []

        init(_ compressor: SharedCompressor) { self.compressor = compressor }
    }

    private let settings: PerMessageDeflate
    private var windows: [Int: Window] = [:]

    /// Compresses with the level and memory of `settings`, and what is as long as they say.
    public init(_ settings: PerMessageDeflate) { self.settings = settings }

    /// How many messages were compressed, once for each window.
    package var messageCount: Int {
        windows.values.reduce(0) { $0 + $1.compressor.messageCount }
    }

    /// What is sent of `frames` to a client with a window of 2^`windowBits` bytes: themselves, where
    /// none is compressed. Nil: nothing is compressed for that client.
    package func form(of frames: SharedBytes, windowBits: Int?) -> SharedBytes {
        guard let windowBits, frames.bytes.count > settings.byteCounts.lowerBound else {
            return frames
        }
        let window = window(of: windowBits)
        let form: Form
        if let index = window.forms.lastIndex(where: { $0.frames === frames }) {
            form = window.forms.remove(at: index)
        } else {
            let compressed = window.compressor.compress(frames.bytes).map(SharedBytes.init)
            form = Form(frames: frames, compressed: compressed)
            if window.forms.count == Self.formCountMax { window.forms.removeFirst() }
        }
        window.forms.append(form)
        return form.compressed ?? frames
    }

    private func window(of bits: Int) -> Window {
        if let window = windows[bits] { return window }
        let window = Window(SharedCompressor(settings, windowBits: bits))
        windows[bits] = window
        return window
    }
}
