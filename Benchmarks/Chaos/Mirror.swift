// A strict client state of a conversation: where the client library would resynchronize silently, this
// reports what was wrong.

import ChatProtocol
import Digests

/// A protocol violation that a strict reader found.
struct Violation: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// A client's copy of one conversation.
struct Mirror {
    /// A message's copy.
    struct Copy {
        var text: String
        var state: MessageState
        var run: RunID?
    }

    /// What a reader may have to handle without a violation.
    enum Note {
        /// Another run writes an answer.
        case restarted
        /// The server dropped this subscriber's position.
        case lagged
        /// Another run continues beyond the reader's text: the reader dropped that text, or never
        /// got it.
        case isBehind
    }

    /// The number of the last durable event; nil before the first watch.
    private(set) var n: Int64?
    private(set) var copies: [MessageID: Copy] = [:]

    /// The watch request that updates this state.
    func request(_ conversation: ConversationID) -> ConversationWatchRequest {
        var have: [String: Int] = [:]
        for (id, copy) in copies where !copy.state.isFinal && !copy.text.isEmpty {
            have["\(id)"] = copy.text.utf8.count
        }
        return ConversationWatchRequest(
            conversation: conversation,
            after: n,
            have: have.isEmpty ? nil : have
        )
    }

    // MARK: Losing state

    /// Drops the ends of unfinished texts, each from a random character on.
    mutating func cutTexts(using random: inout SeededGenerator) {
        for (id, copy) in copies where !copy.state.isFinal {
            let count = Int.random(in: 0...copy.text.count, using: &random)
            copies[id]?.text = String(copy.text.prefix(count))
        }
    }

    /// Drops all state.
    /// - Parameter asksForEvents: whether the next watch requests every event, or a snapshot.
    mutating func forget(asksForEvents: Bool) {
        copies = [:]
        n = asksForEvents ? 0 : nil
    }

    // MARK: Watching

    /// Applies the reply of `request`.
    mutating func take(_ reply: ConversationWatchReply) throws(Violation) {
        let had = copies
        if let snapshot = reply.snapshot {
            copies = [:]
            for message in snapshot.messages { add(message) }
            n = reply.n
        }
        for event in reply.events ?? [] { _ = try take(event) }
        guard n == reply.n else {
            throw Violation("the reply of a watch ends with \(reply.n), its events with \(n ?? -1)")
        }
        for part in reply.growing {
            guard let copy = copies[part.message] else {
                throw Violation("a partial text of an unknown answer")
            }
            if copy.state.isFinal { continue }
            let text = (had[part.message] ?? copy).text
            guard part.at <= text.utf8.count else {
                throw Violation(
                    "a partial text continues at \(part.at), we have \(text.utf8.count)"
                )
            }
            guard part.to - part.at == part.text.utf8.count,
                let kept = String(text.utf8.prefix(part.at))
            else {
                throw Violation("a partial text from \(part.at) to \(part.to) with another length")
            }
            copies[part.message] = Copy(text: kept + part.text, state: .streaming, run: part.run)
        }
    }

    // MARK: Events

    /// Applies an event.
    mutating func take(_ event: ServerEvent) throws(Violation) -> Note? {
        if let number = event.n {
            guard number == (n ?? 0) + 1 else {
                throw Violation("event \(number) after \(n ?? -1)")
            }
            n = number
        }
        switch event {
        case .messageCreated(let body): add(body.message)
        case .messageStarted(let body): return start(body)
        case .messageRestarted(let body): return restart(body)
        case .messageDelta(let body): return try take(body)
        case .messageCompleted(let body): try end(body, .complete)
        case .messageStopped(let body): try end(body, .stopped)
        case .messageFailed(let body): try end(body, .failed)
        case .lagged: return .lagged
        default: break
        }
        return nil
    }

    private mutating func add(_ message: Message) {
        // Read from its row, a started answer may be ahead of its first event.
        copies[message.id] = Copy(text: message.text, state: message.state, run: message.run)
    }

    private mutating func start(_ body: MessageStarted) -> Note? {
        guard var copy = copies[body.message], !copy.state.isFinal else { return nil }
        let isOther = copy.run != body.run
        if isOther { copy.text = "" }
        copy.run = body.run
        copy.state = .streaming
        copies[body.message] = copy
        return isOther ? .restarted : nil
    }

    private mutating func restart(_ body: MessageRestarted) -> Note? {
        guard var copy = copies[body.message], !copy.state.isFinal else { return nil }
        guard body.at <= copy.text.utf8.count, let kept = String(copy.text.utf8.prefix(body.at))
        else { return .isBehind }
        copy.text = kept
        copy.run = body.run
        copies[body.message] = copy
        return .restarted
    }

    private mutating func take(_ delta: MessageDelta) throws(Violation) -> Note? {
        guard var copy = copies[delta.message] else {
            throw Violation("a delta of an unknown message")
        }
        guard !copy.state.isFinal else { throw Violation("a delta after its answer's end") }
        let isOther = copy.run != delta.run
        // Another run may start unannounced, but never beyond our text.
        let isFitting =
            isOther ? delta.at <= copy.text.utf8.count : delta.at == copy.text.utf8.count
        guard isFitting, let kept = String(copy.text.utf8.prefix(delta.at)) else {
            throw Violation(
                "a delta at \(delta.at)\(isOther ? " of another run" : ""), we have "
                    + "\(copy.text.utf8.count) bytes"
            )
        }
        copy.text = kept + delta.text
        copy.run = delta.run
        copy.state = .streaming
        copies[delta.message] = copy
        guard copy.text.utf8.count == delta.to else {
            throw Violation("a delta to \(delta.to) that ends at \(copy.text.utf8.count)")
        }
        return isOther ? .restarted : nil
    }

    private mutating func end(_ body: MessageEnded, _ state: MessageState) throws(Violation) {
        guard var copy = copies[body.message] else {
            throw Violation("an end of an unknown message")
        }
        if let text = body.text {
            copy.text = text
        } else if copy.run != body.run {
            // The text of another run does not count.
            copy.text = ""
        }
        if state == .stopped, body.to < copy.text.utf8.count {
            // Stopped at the position that a reader had reached: later text is discarded.
            copy.text = String(copy.text.utf8.prefix(body.to)) ?? ""
        }
        copy.state = state
        copies[body.message] = copy
        guard copy.text.utf8.count == body.to,
            SHA256.digest(of: copy.text).hexadecimal == body.sha256
        else {
            throw Violation(
                "an answer ended (\(state)) with \(body.to) bytes; its reader has other "
                    + "\(copy.text.utf8.count)"
            )
        }
    }
}
