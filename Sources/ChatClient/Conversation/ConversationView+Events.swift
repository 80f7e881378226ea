// Applies events to the view. Durable events are applied in the order of their numbers, once each; deltas
// by their offsets, so that duplicates have no effect and gaps are detected.

public import ChatProtocol
import Digests

extension ConversationView {
    /// Applies an event; events of other conversations have no effect.
    /// - Returns: what changed, in order.
    public mutating func apply(_ event: ServerEvent) -> [Change] {
        guard mismatch == nil, let lastEvent, event.conversation == id else { return [] }
        guard let n = event.n else { return applyFleeting(event) }
        if n <= lastEvent { return [] }
        guard n == lastEvent + 1 else {
            mismatch = .missedEvent(after: lastEvent)
            return []
        }
        let changes = applyDurable(event)
        // An end whose text is wrong does not advance the position: the next watch sends it again,
        // with its text. Neither does a change that only a snapshot contains.
        if mismatch == nil { self.lastEvent = n }
        return changes
    }

    /// Applies the durable event that is next in order.
    mutating func applyDurable(_ event: ServerEvent) -> [Change] {
        switch event {
        case .messageCreated(let created):
            return insert(created.message)
        case .messageCompleted(let ended): return end(ended, .complete)
        case .messageStopped(let ended): return end(ended, .stopped)
        case .messageFailed(let ended): return end(ended, .failed)
        case .messageDeleted(let deleted): return remove(deleted.messages)
        case .messageRestored:
            // The view has dropped them, and does not know their position among the others.
            mismatch = .missedBranch(selected == nil ? nil : shown.last)
            return []
        case .messageFeedback(let feedback): return rate(feedback)
        case .conversationUpdated(let updated):
            conversation?.title = updated.changed.title
            conversation?.systemPrompt = updated.changed.systemPrompt
            conversation?.settings = updated.changed.settings
            conversation?.systemPromptVersion = updated.changed.systemPromptVersion
            if let policy = updated.changed.contextPolicy { conversation?.contextPolicy = policy }
            if let model = updated.changed.model { conversation?.model = model }
            if let open = updated.changed.open { conversation?.open = open }
            if let team = updated.changed.team { conversation?.team = team }
            return [.updated]
        case .memberChanged(let changed):
            change(changed.user, to: changed.role)
            return [.membersChanged]
        case .conversationDeleted:
            isDeleted = true
            return [.deleted]
        default:
            return []
        }
    }

    private mutating func rate(_ feedback: MessageFeedback) -> [Change] {
        guard let message = known[feedback.message] else { return [] }
        var opinions = (message.feedback ?? []).filter { $0.user.id != feedback.user.id }
        if let rating = feedback.rating {
            opinions.append(
                Feedback(user: feedback.user, rating: rating, text: feedback.text)
            )
        }
        known[feedback.message]?.feedback = opinions.isEmpty ? nil : opinions
        return [.rated(feedback.message)]
    }

    private mutating func change(_ user: User, to role: Role?) {
        guard var members = conversation?.members else { return }
        let place = members.firstIndex { $0.user.id == user.id }
        switch (place, role) {
        case (let place?, let role?): members[place] = Member(user: user, role: role)
        case (let place?, nil): members.remove(at: place)
        case (nil, let role?): members.append(Member(user: user, role: role))
        case (nil, nil): break
        }
        conversation?.members = members
    }

    private mutating func applyFleeting(_ event: ServerEvent) -> [Change] {
        switch event {
        case .messageQueued(let queued):
            guard isUnfinished(queued.message) else { return [] }
            queuePositions[queued.message] = queued.position
            return [.queued(queued.message, position: queued.position, eta: queued.eta)]
        case .messageStarted(let started):
            return start(started)
        case .messageProgress(let progress):
            guard isUnfinished(progress.message) else { return [] }
            return [
                .progressed(progress.message, done: progress.done, total: progress.total)
            ]
        case .messageRestarted(let restarted):
            guard isUnfinished(restarted.message) else { return [] }
            return resume(restarted.message, in: restarted.run, at: restarted.at)
        case .messageDelta(let delta):
            return grow(delta.message, delta.run, at: delta.at, to: delta.to, delta.text)
        case .lagged:
            mismatch = .lagged
            return []
        default:
            return []
        }
    }

    // MARK: The phases of an answer

    private func isUnfinished(_ id: MessageID) -> Bool {
        message(id)?.state.isFinal == false
    }

    private mutating func start(_ started: MessageStarted) -> [Change] {
        guard isUnfinished(started.message) else { return [] }
        queuePositions[started.message] = nil
        known[started.message]?.state = .streaming
        known[started.message]?.droppedMessages =
            started.droppedMessages > 0 ? started.droppedMessages : nil
        known[started.message]?.summarizedMessages = started.summarizedMessages
        return begin(run: started.run, of: started.message) + [
            .started(started.message, droppedMessages: started.droppedMessages)
        ]
    }

    /// Records the run that writes an answer; the text of another run is discarded.
    private mutating func begin(run: RunID, of id: MessageID) -> [Change] {
        guard let message = known[id], message.run != run else { return [] }
        known[id]?.run = run
        guard !message.text.isEmpty else { return [] }
        known[id]?.text = ""
        return [.restarted(id)]
    }

    /// Records the run that resumes an answer at byte `start`; text after it, which is another run's,
    /// is discarded.
    private mutating func resume(_ id: MessageID, in run: RunID, at start: Int) -> [Change] {
        guard let message = known[id] else { return [] }
        guard let kept = message.text.beginning(start) else {
            mismatch = .missedText(id)
            return []
        }
        known[id]?.run = run
        known[id]?.text = kept
        return growth(of: message, to: kept)
    }

    /// Applies an unfinished text from a watch reply: the view's own first `at` bytes, then the
    /// reply's text.
    mutating func take(_ answer: GrowingAnswer) -> [Change] {
        guard let message = known[answer.message], !message.state.isFinal else { return [] }
        guard answer.to - answer.at == answer.text.utf8.count,
            let kept = message.text.beginning(answer.at)
        else {
            mismatch = .missedText(answer.message)
            return []
        }
        queuePositions[answer.message] = nil
        let text = kept + answer.text
        known[message.id]?.state = .streaming
        known[message.id]?.run = answer.run
        known[message.id]?.text = text
        return growth(of: message, to: text)
    }

    /// Appends the text between two offsets. Text that the view already has is skipped.
    mutating func grow(
        _ id: MessageID,
        _ run: RunID,
        at: Int,
        to: Int,
        _ text: String
    ) -> [Change] {
        guard let message = known[id], isUnfinished(id) else { return [] }
        let hasOtherRun = message.run.map { $0 != run } ?? false
        let count = hasOtherRun ? 0 : message.text.utf8.count
        guard at >= 0, to - at == text.utf8.count, at <= count else {
            mismatch = .missedText(id)
            return []
        }
        queuePositions[id] = nil
        known[id]?.state = .streaming
        let changes = begin(run: run, of: id)
        guard to > count else { return changes }
        guard let new = String(text.utf8.dropFirst(count - at)) else {
            mismatch = .missedText(id)
            return changes
        }
        known[id]?.text += new
        return changes + [.grew(id, from: count)]
    }

    /// Applies an answer's end if its text has the digest of the stored one.
    private mutating func end(_ ended: MessageEnded, _ state: MessageState) -> [Change] {
        guard var message = known[ended.message] else { return [] }
        let before = message
        let text = ended.text ?? (message.run == ended.run ? message.text : "")
        guard text.utf8.count == ended.to, SHA256.digest(of: text).hexadecimal == ended.sha256
        else {
            mismatch = .wrongText(ended.message)
            return []
        }
        queuePositions[ended.message] = nil
        message.text = text
        message.state = state
        message.run = ended.run
        message.finish = ended.finish
        message.usage = ended.usage
        message.error = ended.error
        known[message.id] = message
        return growth(of: before, to: text) + [.ended(ended.message)]
    }

    /// The changes that bring a reader of `message` to `text`.
    private func growth(of message: Message, to text: String) -> [Change] {
        if text.utf8.elementsEqual(message.text.utf8) { return [] }
        if text.utf8.starts(with: message.text.utf8) {
            return [.grew(message.id, from: message.text.utf8.count)]
        }
        return [.restarted(message.id)] + (text.isEmpty ? [] : [.grew(message.id, from: 0)])
    }
}

extension String {
    /// The first `byteCount` bytes; nil if there are fewer, or they end inside a character.
    fileprivate func beginning(_ byteCount: Int) -> String? {
        guard byteCount >= 0, byteCount <= utf8.count else { return nil }
        return String(utf8.prefix(byteCount))
    }
}
