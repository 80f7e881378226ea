// The only bridge in this module between an event loop's thread and other threads.

import EventLoop

/// A reference to an object that is used on an event loop, held by other threads.
// Safety: the content is created and used only on the loop's thread, which `value` checks. The last
// reference may be released elsewhere, when the content is no longer used.
final class LoopBound<Content>: @unchecked Sendable {
    private let remote: EventLoopRemote
    private let content: Content

    init(_ loop: EventLoop, _ content: Content) {
        precondition(loop.remote.isCurrent, "must be called on the loop's thread")
        remote = loop.remote
        self.content = content
    }

    /// The content, for code on the loop's thread.
    var value: Content {
        precondition(remote.isCurrent, "must be called on the loop's thread")
        return content
    }
}
