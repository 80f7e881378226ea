// A conversation as a client puts it together from what it is told, strictly: where the client library
// would heal quietly, this says what was wrong.

import ChatProtocol
import Digests

/// What a strict reader cannot accept.
struct Violation: Error {
    let words: String

    init(_ words: String) { self.words = words }
}

/// A client's copy of one conversation.
struct Mirror {
    /// A message's copy.
    struct Copy {
        var text: String
        var state: MessageState
        var run: RunID?
    }

    /// What a reader may have to do that is no violation.
    enum Note {
        /// Another run writes an answer.
        case restarted
        /// The server gave up on this reader's place.
        case lagged
        /// Another run goes on from a byte that we do not have: we had forgotten it, or never got it.
        case isBehind
    }

    /// The number of the last durable event; nil before the first watch.
    private(set) var n: Int64?
    private(set) var copies: [MessageID: Copy] = [:]

    /// The watch that brings this up to date.
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

    // MARK: Losing one's place

    /// Forgets the ends of growing texts, each from some character on.
    mutating func cutTexts(using random: inout SeededGenerator) {
        for (id, copy) in copies where !copy.state.isFinal {
            let count = Int.random(in: 0...copy.text.count, using: &random)
            copies[id]?.text = String(copy.text.prefix(count))
        }
    }

    /// Forgets all.
    /// - Parameter asksForEvents: whether the next watch asks for every event, or for a snapshot.
    mutating func forget(asksForEvents: Bool) {
        copies = [:]
        n = asksForEvents ? 0 : nil
    }

    // MARK: Watching

    /// Takes the reply of `request`.
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
                throw Violation("an answer grows that nobody told of")
            }
            if copy.state.isFinal { continue }
            let text = (had[part.message] ?? copy).text
            guard part.at <= text.utf8.count else {
                throw Violation("a growing text goes on at \(part.at), we have \(text.utf8.count)")
            }
            guard part.to - part.at == part.text.utf8.count,
                let kept = String(text.utf8.prefix(part.at))
            else {
                throw Violation("a growing text from \(part.at) to \(part.to) that is not so long")
            }
            copies[part.message] = Copy(text: kept + part.text, state: .streaming, run: part.run)
        }
    }

    // MARK: Events

    /// Takes an event.
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
        // Told again from its row, an answer that has begun may be further than its first event.
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
        guard var copy = copies[delta.message] else { throw Violation("a delta of nothing") }
        guard !copy.state.isFinal else { throw Violation("a delta after its answer's end") }
        let isOther = copy.run != delta.run
        // Another run may begin where nobody could tell so; never beyond what we have.
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
        guard var copy = copies[body.message] else { throw Violation("an end of nothing") }
        if let text = body.text {
            copy.text = text
        } else if copy.run != body.run {
            // What another run had written does not count.
            copy.text = ""
        }
        if state == .stopped, body.to < copy.text.utf8.count {
            // Stopped where its reader had got to: what came after is taken back.
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
