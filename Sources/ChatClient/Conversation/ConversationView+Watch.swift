// Applies a watch reply: the durable events that the view lacks, or a snapshot; then for each unfinished
// answer the text after the part that the view is known to have right.

import ChatCore
public import ChatProtocol

extension ConversationView {
    /// Applies the reply of `watchRequest`.
    ///
    /// If the reply itself does not fit, `mismatch` is set again; after `.wrongReply` the next
    /// request asks for a snapshot, which always fits, so this terminates.
    /// - Returns: what changed, in order.
    public mutating func apply(_ reply: ConversationWatchReply) -> [Change] {
        mismatch = nil
        var changes: [Change] = []
        if let snapshot = reply.snapshot {
            replace(with: snapshot, n: reply.n, growing: reply.growing)
            _ = show()
            changes.append(.reloaded)
        } else {
            changes += replay(reply.events ?? [], upTo: reply.n)
        }
        for answer in reply.growing where mismatch == nil {
            changes += take(answer)
        }
        return changes
    }

    private mutating func replay(_ events: [ServerEvent], upTo n: Int64) -> [Change] {
        guard lastEvent != nil else {
            mismatch = .wrongReply
            return []
        }
        var changes: [Change] = []
        for event in events where mismatch == nil { changes += apply(event) }
        if mismatch != nil || lastEvent != n { mismatch = .wrongReply }
        return changes
    }

    private mutating func replace(
        with snapshot: ConversationSnapshot,
        n: Int64,
        growing: [GrowingAnswer]
    ) {
        let old = self
        conversation = snapshot.conversation
        known = [:]
        tree = MessageTree()
        shown = []
        deleted = []
        queuePositions = [:]
        for message in snapshot.messages { learn(message) }
        tree.setNewest(snapshot.messages.last?.id)
        // The first snapshot contains the user's stored selection; later ones do not change the
        // view's.
        selected = lastEvent == nil ? snapshot.selected : selected
        if selected != nil { selected = snapshot.messages.last?.id }
        lastEvent = n
        for answer in growing {
            // The reply continues from the view's text, which may be longer than the stored text.
            guard let now = known[answer.message], let had = old.message(answer.message),
                had.text.utf8.count > now.text.utf8.count
            else { continue }
            known[answer.message]?.text = had.text
        }
    }
}
