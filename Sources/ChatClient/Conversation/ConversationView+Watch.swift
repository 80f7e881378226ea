// How a watch reply brings the view up to date: by the durable events that it lacks, or by a snapshot;
// then each growing answer by the text from where the view's part ends.

import ChatCore
public import ChatProtocol

extension ConversationView {
    /// Applies the reply of `watchRequest`.
    ///
    /// Where the reply itself does not fit, `mismatch` is set again; after `.wrongReply` the next
    /// request asks for a snapshot, which fits always, so that this comes to an end.
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
            changes += cut(answer)
            guard mismatch == nil else { break }
            changes += grow(
                answer.message,
                answer.run,
                at: answer.at,
                to: answer.to,
                answer.text
            )
        }
        return changes
    }

    /// Drops what the view has beyond the end of a growing text: a run that goes on after a crash
    /// may write its last words anew.
    private mutating func cut(_ answer: GrowingAnswer) -> [Change] {
        guard let message = known[answer.message], message.run == answer.run,
            answer.to >= 0, answer.to < message.text.utf8.count
        else { return [] }
        guard let rest = String(message.text.utf8.prefix(answer.to)) else {
            mismatch = .missedText(answer.message)
            return []
        }
        known[answer.message]?.text = rest
        let restarted = Change.restarted(answer.message)
        return rest.isEmpty ? [restarted] : [restarted, .grew(answer.message, from: 0)]
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
        // The first snapshot says what its user chose; from then on the choice is the view's.
        selected = lastEvent == nil ? snapshot.selected : selected
        if selected != nil { selected = snapshot.messages.last?.id }
        lastEvent = n
        for answer in growing {
            // The reply goes on from what the view had, which may be more than what is stored.
            guard let now = known[answer.message], let had = old.message(answer.message),
                had.run == answer.run, had.text.utf8.count > now.text.utf8.count
            else { continue }
            known[answer.message]?.text = had.text
            known[answer.message]?.run = had.run
        }
    }
}
