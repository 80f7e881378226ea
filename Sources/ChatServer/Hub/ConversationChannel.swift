// One conversation's subscribers and growing answers. Durable events reach each subscriber in the order of
// their numbers, without gap or repeat; an answer's text reaches it whole, in as many pieces as it can take.

import ChatCore
package import ChatProtocol
import Networking
import WebSocketProtocol

/// The live side of one conversation.
package final class ConversationChannel {
    package let conversation: ConversationID
    package private(set) var answers: [MessageID: LiveAnswer] = [:]
    private var watches: [ObjectIdentifier: Watch] = [:]
    private var order: EventOrder<ServerEvent>?
    /// Events that came before any subscriber's snapshot said where the order begins.
    private var early: [(n: Int64, event: ServerEvent)] = []
    /// Events of answers whose creation has not been published.
    private var beforeCreation: [MessageID: [ServerEvent]] = [:]
    private static let beforeCreationMax = 100
    /// Called when subscribers got word that somebody left, before they get what came after.
    var onDeparture: ((UserID) -> Void)?
    /// Called when a subscription has ended, for whatever reason.
    var onEnd: (() -> Void)?

    private let figures: HubFigures

    package init(conversation: ConversationID, figures: HubFigures = HubFigures()) {
        self.conversation = conversation
        self.figures = figures
    }

    package var isIdle: Bool { watches.isEmpty && answers.isEmpty }
    /// Answers whose end was published not long ago.
    private(set) var endedLately: Set<MessageID> = []
    var hasWatchers: Bool { !watches.isEmpty }
    /// Which connections are subscribed.
    var watchers: [ObjectIdentifier] { Array(watches.keys) }
    /// The number of the last event published; nil before any subscriber's snapshot said where the order
    /// begins.
    var lastTold: Int64? { order?.last }
    /// The number of the last event published, where one before a later one is missing.
    var gapAfter: Int64? { order.flatMap { $0.hasGap ? $0.last : nil } }

    static func frame(_ event: ServerEvent) -> SharedBytes {
        SharedBytes(WebSocketFrame.encode(text: WireEncoding.event(event)))
    }

    // MARK: Subscriptions

    /// Begins a subscription: what happens from now on is held until `activate`.
    package func begin(_ watcher: any Watcher) {
        let before = watches.updateValue(Watch(watcher), forKey: ObjectIdentifier(watcher))
        if before == nil { figures.watchCount += 1 }
    }

    package func end(_ watcher: any Watcher) {
        if watches.removeValue(forKey: ObjectIdentifier(watcher)) != nil {
            figures.watchCount -= 1
            onEnd?()
        }
        guard watches.isEmpty else { return }
        // No subscriber is left: the next one's snapshot begins a new order.
        order = nil
        early = []
        beforeCreation = [:]
        answers = answers.filter { !$0.value.hasEnded }
    }

    package func isWatching(_ watcher: any Watcher) -> Bool {
        watches[ObjectIdentifier(watcher)] != nil
    }

    /// The growing answers, each from where a reader's text is sure to be right; they count as sent to
    /// it.
    package func growing(have: [String: Int]) -> [GrowingAnswer] {
        answers.values.map { answer in
            let delta = answer.rest(after: have[answer.message.description] ?? 0)
            return GrowingAnswer(
                message: delta.message,
                run: delta.run,
                at: delta.at,
                to: delta.to,
                text: delta.text
            )
        }
    }

    /// Ends the waiting of a subscription whose snapshot holds everything up to `n` and the whole of each
    /// growing text. Its reply must have been sent.
    package func activate(_ watcher: any Watcher, n: Int64) {
        guard let watch = watches[ObjectIdentifier(watcher)] else { return }
        watch.seen = n
        // The texts in the reply reach further than what the others have been sent.
        for answer in answers.values where answer.sentCount < answer.bytes.count {
            watch.behind[answer.message] = answer.bytes.count
        }
        let held = watch.held
        watch.held = []
        for (number, frame, isEnd) in held { deliver(number, frame, isEnd: isEnd, to: watch) }
        if order == nil {
            order = EventOrder(last: n)
            let early = early
            self.early = []
            for (number, event) in early { receive(number, event) }
        }
    }

    /// Whether a snapshot is too old: events after it were published before the subscription could
    /// hold them, since the order began with the later snapshot of another subscriber; or an answer
    /// ended meanwhile, whose text nobody has in memory any more; or one grows that it does not know.
    package func misses(_ watcher: any Watcher, after n: Int64) -> Bool {
        guard let watch = watches[ObjectIdentifier(watcher)] else { return false }
        if answers.values.contains(where: { $0.createdN > n }) { return true }
        guard let last = order?.last, last > n else { return false }
        return !watch.held.contains { $0.n == n + 1 }
            || watch.held.contains { $0.n > n && $0.isEnd }
    }

    // MARK: Durable events

    /// Takes an event that is committed.
    package func receive(_ n: Int64, _ event: ServerEvent) {
        guard order != nil else {
            if hasWatchers { early.append((n, event)) }
            return
        }
        for ready in order?.receive(n, event) ?? [] {
            // What an answer said comes before word of its end.
            if let ended = ready.endedMessage { flush(ended) }
            // What still grows of a deleted answer, until its engine stops, is sent to nobody.
            for deleted in ready.deletedMessages { forget(deleted) }
            let frame = Self.frame(ready)
            let number = ready.n ?? 0
            for watch in watches.values {
                deliver(number, frame, isEnd: ready.endedMessage != nil, to: watch)
            }
            if let user = ready.leaver { onDeparture?(user) }
            for answer in answers.values where answer.createdN == number { release(answer.message) }
            if let ended = ready.endedMessage {
                forget(ended)
                if endedLately.count >= 100 { endedLately = [] }
                endedLately.insert(ended)
            }
        }
    }

    private func deliver(_ n: Int64, _ frame: SharedBytes, isEnd: Bool, to watch: Watch) {
        guard let seen = watch.seen else {
            watch.held.append((n, frame, isEnd))
            return
        }
        guard n > seen, let watcher = watch.watcher else { return }
        if watcher.isStuck {
            lag(watcher)
            return
        }
        catchUp(watch)
        watch.seen = n
        watcher.tell(frame, .durable)
    }

    /// A reader that is too slow even for merged text begins again.
    private func lag(_ watcher: any Watcher) {
        figures.laggedCount += 1
        watcher.send(Self.frame(.lagged(Lagged(conversation: conversation))))
        end(watcher)
    }

    // MARK: Fleeting events

    /// Whether subscribers know that an answer is there. Another node may have created it a moment ago.
    private func isCreated(_ answer: LiveAnswer) -> Bool {
        order.map { $0.last >= answer.createdN } ?? true
    }

    /// Sends what waited for an answer's creation.
    private func release(_ message: MessageID) {
        for event in beforeCreation.removeValue(forKey: message) ?? [] { broadcast(event) }
        flush(message)
    }

    /// Sends an event to everybody who is subscribed at this moment.
    package func broadcast(_ event: ServerEvent) {
        if let message = event.growingMessage, let answer = answers[message], !isCreated(answer) {
            if beforeCreation[message, default: []].count < Self.beforeCreationMax {
                beforeCreation[message, default: []].append(event)
            }
            return
        }
        guard watches.values.contains(where: { $0.seen != nil }) else { return }
        let frame = Self.frame(event)
        for watch in watches.values where watch.seen != nil {
            watch.watcher?.tell(frame, .fleeting)
        }
    }

    /// Begins a growing text.
    package func start(_ answer: LiveAnswer) {
        if let earlier = answers[answer.message], earlier.run != answer.run {
            // Subscribers get all that the new run resumes from, also what another node has generated.
            if earlier.bytes.count < answer.bytes.count {
                let missing = answer.bytes[earlier.bytes.count...]
                answers[answer.message]?.append(String(decoding: missing, as: UTF8.self))
            }
            flush(answer.message)
        }
        answers[answer.message] = answer
    }

    /// Adds to a growing text.
    /// - Returns: whether it should go out at once, because it is the first.
    package func append(_ text: String, to message: MessageID) -> Bool {
        guard let isFirst = answers[message]?.isFirst else { return false }
        answers[message]?.append(text)
        return isFirst
    }

    /// Sends what has grown since the last time, one frame for all that keep up.
    package func flush(_ message: MessageID) {
        guard answers[message].map(isCreated) == true else { return }
        guard let from = answers[message]?.sentCount,
            let delta = answers[message]?.takeUnsent()
        else { return }
        var frame: SharedBytes?
        for watch in watches.values {
            guard watch.seen != nil, let watcher = watch.watcher else { continue }
            if watcher.isSlow {
                figures.deltasMergedForSlowReaders += 1
                if watch.behind[message] == nil { watch.behind[message] = from }
            } else if watch.behind[message] != nil {
                catchUp(watch)
            } else {
                let shared = frame ?? Self.frame(.messageDelta(delta))
                frame = shared
                figures.deltasSent += 1
                watcher.tell(shared, .text(delta))
            }
        }
    }

    /// Notes that an answer's end is stored. Its text is held until that is published.
    package func finish(_ message: MessageID) {
        answers[message]?.hasEnded = true
        if watches.isEmpty { forget(message) }
    }

    /// Forgets a growing text whose end this node will not publish.
    package func drop(_ message: MessageID) {
        forget(message)
    }

    private func forget(_ message: MessageID) {
        answers[message] = nil
        beforeCreation[message] = nil
        for watch in watches.values { watch.behind[message] = nil }
    }

    /// Sends a reader that takes frames again what it missed, merged to one delta an answer.
    package func resume(_ watcher: any Watcher) {
        guard let watch = watches[ObjectIdentifier(watcher)], watch.seen != nil else { return }
        catchUp(watch)
    }

    private func catchUp(_ watch: Watch) {
        // So it is with all who keep up, at each event.
        if watch.behind.isEmpty { return }
        for (message, offset) in watch.behind {
            guard let answer = answers[message], offset < answer.sentCount else { continue }
            figures.deltasSent += 1
            let delta = answer.delta(from: offset, to: answer.sentCount)
            watch.watcher?.tell(Self.frame(.messageDelta(delta)), .text(delta))
        }
        // A part that lies beyond what the others have stays noted until they get there.
        watch.behind = watch.behind.filter { message, offset in
            answers[message].map { offset > $0.sentCount } ?? false
        }
    }
}

extension ServerEvent {
    /// The messages that this event takes away.
    var deletedMessages: [MessageID] {
        if case .messageDeleted(let deleted) = self { deleted.messages } else { [] }
    }

    /// Who left, where somebody did.
    fileprivate var leaver: UserID? {
        guard case .memberChanged(let change) = self, change.role == nil else { return nil }
        return change.user.id
    }

    /// The answer of which this event says what its run is doing.
    fileprivate var growingMessage: MessageID? {
        switch self {
        case .messageStarted(let started): started.message
        case .messageRestarted(let restarted): restarted.message
        case .messageProgress(let progress): progress.message
        default: nil
        }
    }

    /// The answer that this event ends, where it ends one.
    var endedMessage: MessageID? {
        switch self {
        case .messageCompleted(let ended), .messageStopped(let ended), .messageFailed(let ended):
            ended.message
        default: nil
        }
    }
}
