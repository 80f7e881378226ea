// The one bridge of this module between a loop's thread and the others.

import EventLoop

/// Something that lives on a loop, as other threads hold it.
// Safety: the content is made on the loop's thread and only read there; `value` checks that. The last
// reference may be dropped elsewhere, when nobody uses the content any more.
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
