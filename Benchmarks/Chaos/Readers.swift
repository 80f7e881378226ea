// Readers of a conversation: strict ones check each event, others use the client library's follower.

import ChatClient
import ChatProtocol
import EventLoop

/// A reader of a conversation.
protocol Reader: AnyObject {
    /// Its name, for reports.
    var name: String { get }
    /// The number of its last durable event.
    var lastEvent: Int64? { get }
    /// Its text of a message, and whether it has seen the message's end.
    func copy(of message: MessageID) -> (text: String, isFinal: Bool)?
    /// Drops state, and watches again.
    func rejoin(_ how: TurnPlan.Rejoin)
    /// Stops watching.
    func leave()
}

/// Checks every event.
final class StrictReader: Reader {
    let name: String
    let conversation: ConversationID
    private let owner: WorkloadClient
    private let tally: Tally
    private var mirror = Mirror()
    private var random: SeededGenerator
    /// Whether the reply of the last watch has arrived, so that events must fit.
    private var isSynchronized = false
    private var watchCount = 0
    private var hasLeft = false
    /// The last messages, for reports.
    private var trace: [String] = []
    private static let traceLength = 14

    init(
        _ conversation: ConversationID,
        name: String,
        owner: WorkloadClient,
        random: SeededGenerator,
        tally: Tally
    ) {
        self.name = name
        self.conversation = conversation
        self.owner = owner
        self.random = random
        self.tally = tally
        owner.add(self)
    }

    var lastEvent: Int64? { mirror.n }

    func copy(of message: MessageID) -> (text: String, isFinal: Bool)? {
        mirror.copies[message].map { ($0.text, $0.state.isFinal) }
    }

    func leave() {
        hasLeft = true
        owner.remove(self)
    }

    func rejoin(_ how: TurnPlan.Rejoin) {
        guard how != .none else { return }
        lose(how)
        if owner.client.welcome != nil { watch() }
    }

    private func lose(_ how: TurnPlan.Rejoin) {
        switch how {
        case .none: return
        case .cutTexts: mirror.cutTexts(using: &random)
        case .fromTheFirstEvent: mirror.forget(asksForEvents: true)
        case .snapshot: mirror.forget(asksForEvents: false)
        }
        tally.count("readers that lost their place")
    }

    // MARK: Watching

    func watch() {
        guard !hasLeft else { return }
        if watchCount > 0, random.oneIn(3) { lose(.cutTexts) }
        isSynchronized = false
        watchCount += 1
        let number = watchCount
        tally.count("watches")
        let request = mirror.request(conversation)
        note("asks for what is after \(request.after ?? -1), has \(request.have ?? [:])")
        owner.client.send(.conversationWatch, request) { [weak self] result in
            guard let self, number == watchCount, !hasLeft else { return }
            take(result)
        }
    }

    private func take(_ result: Result<ConversationWatchReply, ChatClientError>) {
        switch result {
        case .success(let reply):
            do {
                note(Trace.line(reply))
                try mirror.take(reply)
                isSynchronized = true
            } catch {
                failed(error, "in the reply of a watch")
            }
        case .failure(.connectionLost), .failure(.closed):
            // Watches again after the next `welcome`.
            break
        case .failure(let error) where error.isRetryable:
            owner.client.loop.schedule(after: .milliseconds(100)) { [weak self] in
                guard let self, !isSynchronized, owner.client.welcome != nil else { return }
                watch()
            }
        case .failure(let error):
            tally.violation("\(name): its watch was refused: \(error)")
        }
    }

    func receive(_ event: ServerEvent) {
        // The reply contains earlier events.
        guard isSynchronized, !hasLeft else { return }
        note(Trace.line(event))
        do {
            switch try mirror.take(event) {
            case nil: break
            case .restarted: tally.count("answers that a reader saw restart")
            case .lagged:
                tally.count("readers that lagged too far")
                watch()
            case .isBehind:
                tally.count("readers that missed text of an answer")
                watch()
            }
        } catch {
            failed(error, "at an event")
        }
    }

    private func note(_ line: String) {
        trace.append(line)
        if trace.count > Self.traceLength { trace.removeFirst() }
    }

    private func failed(_ error: any Error, _ place: String) {
        let text = (error as? Violation)?.text ?? "\(error)"
        let lines = trace.map { "\n      \($0)" }.joined()
        tally.violation("\(name) of \(conversation) \(place): \(text)\(lines)")
        mirror.forget(asksForEvents: false)
        watch()
    }
}

/// Relies on the client library.
final class FollowingReader: Reader {
    let name: String
    private let conversation: ConversationID
    private let owner: WorkloadClient
    private let follower: ConversationFollower
    private let tally: Tally
    private var hasLeft = false

    init(_ conversation: ConversationID, name: String, owner: WorkloadClient, tally: Tally) {
        self.name = name
        self.conversation = conversation
        self.owner = owner
        self.tally = tally
        follower = owner.client.follow(conversation)
        follower.onFailure = { [weak self] error in
            guard let self, !hasLeft else { return }
            tally.violation("\(name): following ended: \(error)")
        }
    }

    var lastEvent: Int64? { follower.view.lastEvent }

    func copy(of message: MessageID) -> (text: String, isFinal: Bool)? {
        follower.view.message(message).map { ($0.text, $0.state.isFinal) }
    }

    func rejoin(_ how: TurnPlan.Rejoin) {}

    func leave() {
        hasLeft = true
        owner.client.unfollow(conversation)
    }
}
