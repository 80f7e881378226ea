// A conversation built from events as a client does it, checking every guarantee of the protocol:
// no number skipped, no byte missing or repeated, final texts that match.

import ChatProtocol

/// A client's copy of one conversation.
struct Mirror {
    private struct Copy {
        var text: String
        var state: MessageState
        var run: RunID?
        var droppedMessages: Int?
    }

    /// The number of the last durable event.
    private(set) var n: Int64 = 0
    /// The messages in the order of arrival.
    private(set) var order: [MessageID] = []
    /// Number of deltas, over all answers.
    private(set) var deltaCount = 0
    /// Number of takeovers.
    private(set) var restartCount = 0
    /// Number of takeovers that continued a text.
    private(set) var continuationCount = 0
    private var copies: [MessageID: Copy] = [:]

    func text(of message: MessageID) -> String { copies[message]?.text ?? "" }
    func state(of message: MessageID) -> MessageState? { copies[message]?.state }
    func droppedMessages(of message: MessageID) -> Int? { copies[message]?.droppedMessages }

    /// The request to watch again after a lost connection.
    func catchUpRequest(_ conversation: ConversationID) -> ConversationWatchRequest {
        let growing = copies.filter { !$0.value.state.isFinal }
        return ConversationWatchRequest(
            conversation: conversation,
            after: n,
            have: Dictionary(
                uniqueKeysWithValues: growing.map { ("\($0.key)", $0.value.text.utf8.count) }
            )
        )
    }

    /// Applies the reply of `conversation.watch`.
    mutating func take(_ reply: ConversationWatchReply) throws {
        if let snapshot = reply.snapshot {
            copies = [:]
            order = []
            for message in snapshot.messages { add(message) }
            n = reply.n
        }
        for event in reply.events ?? [] { try take(event) }
        guard n == reply.n else { throw HarnessError("watch tells \(reply.n), not \(n)") }
        for part in reply.growing {
            guard var copy = copies[part.message] else {
                throw HarnessError("an answer grows that nobody told of")
            }
            guard !copy.state.isFinal else { continue }
            copy.text = try beginning(of: copy.text, part.at) + part.text
            copy.run = part.run
            copy.state = .streaming
            try check(copy.text, endsAt: part.to)
            copies[part.message] = copy
        }
    }

    /// Applies an event.
    mutating func take(_ event: ServerEvent) throws {
        if let number = event.n {
            guard number == n + 1 else { throw HarnessError("event \(number) after \(n)") }
            n = number
        }
        switch event {
        case .messageCreated(let body): add(body.message)
        case .messageStarted(let body):
            copies[body.message]?.state = .streaming
            copies[body.message]?.droppedMessages = body.droppedMessages
        case .messageRestarted(let body):
            restartCount += 1
            if body.at > 0 { continuationCount += 1 }
            let kept = try beginning(of: text(of: body.message), body.at)
            copies[body.message]?.text = kept
            copies[body.message]?.run = body.run
        case .messageDelta(let body): try take(body)
        case .messageCompleted(let body): try end(body, .complete)
        case .messageStopped(let body): try end(body, .stopped)
        case .messageFailed(let body): try end(body, .failed)
        case .messageDeleted(let body):
            order.removeAll { body.messages.contains($0) }
            for message in body.messages { copies[message] = nil }
        default: break
        }
    }

    /// The first `count` bytes of a text, which must be at least that long.
    private func beginning(of text: String, _ count: Int) throws -> String {
        guard count <= text.utf8.count, let beginning = String(text.utf8.prefix(count)) else {
            throw HarnessError("goes on at \(count), we have \(text.utf8.count)")
        }
        return beginning
    }

    private mutating func add(_ message: Message) {
        order.append(message.id)
        copies[message.id] = Copy(
            text: message.text,
            state: message.state,
            run: message.run,
            droppedMessages: message.droppedMessages
        )
    }

    private mutating func take(_ delta: MessageDelta) throws {
        guard let copy = copies[delta.message] else { throw HarnessError("a delta of nothing") }
        guard copy.run == delta.run else { throw HarnessError("a delta of another run") }
        guard copy.text.utf8.count == delta.at else {
            throw HarnessError("a delta at \(delta.at), we have \(copy.text.utf8.count)")
        }
        copies[delta.message]?.text += delta.text
        copies[delta.message]?.state = .streaming
        try check(text(of: delta.message), endsAt: delta.to)
        deltaCount += 1
    }

    private mutating func end(_ body: MessageEnded, _ state: MessageState) throws {
        if let text = body.text { copies[body.message]?.text = text }
        copies[body.message]?.state = state
        let text = text(of: body.message)
        if state == .stopped, body.to < text.utf8.count {
            // Stopped at the reader's position: text after it is removed.
            copies[body.message]?.text = String(decoding: text.utf8.prefix(body.to), as: UTF8.self)
        }
        try check(self.text(of: body.message), endsAt: body.to)
        guard sha256(self.text(of: body.message)) == body.sha256 else {
            throw HarnessError("the text's checksum is not the one that its end bears")
        }
    }

    private func check(_ text: String, endsAt end: Int) throws {
        guard text.utf8.count == end else {
            throw HarnessError("the text has \(text.utf8.count) bytes, not \(end)")
        }
    }
}
