// One conversation's subscribers and running answers. Each subscriber receives durable events in
// the order of their numbers, without gap or repeat, and the whole text of an answer, in as many
// pieces as it can process.

import ChatCore
package import ChatProtocol
import Networking
import WebSocketProtocol

/// The subscribers and running answers of one conversation.
package final class ConversationChannel {
    package let conversation: ConversationID
    package private(set) var answers: [MessageID: LiveAnswer] = [:]
    private var watches: [ObjectIdentifier: Watch] = [:]
    private var order: EventOrder<ServerEvent>?
    /// Events received before the first subscriber's snapshot set the position.
    private var early: [(n: Int64, event: ServerEvent)] = []
    /// Events of answers whose creation has not been published.
    private var beforeCreation: [MessageID: [ServerEvent]] = [:]
    private static let beforeCreationMax = 100
    /// Called when subscribers were notified that a member left, before they get later events.
    var onDeparture: ((UserID) -> Void)?
    /// Called when a subscription has ended, for any reason.
    var onEnd: (() -> Void)?

    private let figures: HubFigures

    package init(conversation: ConversationID, figures: HubFigures = HubFigures()) {
        self.conversation = conversation
        self.figures = figures
    }

    package var isIdle: Bool { watches.isEmpty && answers.isEmpty }
    /// Answers whose end was published recently.
    private var endedLately: Set<MessageID> = []
    var hasWatchers: Bool { !watches.isEmpty }
    var watcherCount: Int { watches.count }
    /// The subscribed connections.
    var watchers: [ObjectIdentifier] { Array(watches.keys) }
    /// The number of the last published event; nil before the first subscriber's snapshot set the
    /// position.
    var lastTold: Int64? { order?.last }
    /// The number of the last published event, if the next one is missing; nil if there is no gap.
    var gapAfter: Int64? { order.flatMap { $0.hasGap ? $0.last : nil } }

    static func frame(_ event: ServerEvent) -> SharedBytes {
        SharedBytes(WebSocketFrame.encode(text: WireEncoding.event(event)))
    }

    // MARK: Subscriptions

    /// Begins a subscription. Later events are held back until `activate`.
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

    /// The running answers, each from the offset up to which the reader's text is valid. They count
    /// as sent to the reader.
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

    /// Activates a subscription whose snapshot contains all events up to `n` and the whole text of
    /// each running answer. Its reply must have been sent.
    /// - Parameters:
    ///   - watcher: the subscriber.
    ///   - n: the number of the snapshot's last event.
    ///   - ended: the answers that have ended according to the snapshot.
    package func activate(_ watcher: any Watcher, n: Int64, ended: Set<MessageID> = []) {
        guard let watch = watches[ObjectIdentifier(watcher)] else { return }
        watch.seen = n
        // The texts in the reply may be longer than what the other subscribers have been sent.
        for answer in answers.values where answer.sentCount < answer.bytes.count {
            watch.behind[answer.message] = answer.bytes.count
        }
        watch.ended = ended
        let held = watch.held
        watch.held = []
        for (number, frame, event) in held { deliver(number, frame, event, to: watch) }
        if order == nil {
            order = EventOrder(last: n)
            let early = early
            self.early = []
            for (number, event) in early { receive(number, event) }
        }
    }

    /// Whether a snapshot is too old: later events were published before the subscription could
    /// hold them back, because another subscriber's newer snapshot had set the position; or an
    /// answer ended meanwhile, whose text is no longer in memory; or it lacks a running answer.
    package func misses(_ watcher: any Watcher, after n: Int64) -> Bool {
        guard let watch = watches[ObjectIdentifier(watcher)] else { return false }
        if answers.values.contains(where: { $0.createdN > n }) { return true }
        guard let last = order?.last, last > n else { return false }
        return !watch.held.contains { $0.n == n + 1 }
            || watch.held.contains { $0.n > n && $0.event.endedMessage != nil }
    }

    // MARK: Durable events

    /// Receives a committed event.
    package func receive(_ n: Int64, _ event: ServerEvent) {
        guard order != nil else {
            if hasWatchers { early.append((n, event)) }
            return
        }
        for ready in order?.receive(n, event) ?? [] {
            // Send the rest of the text before the answer's end.
            if let ended = ready.endedMessage { flush(ended) }
            // A deleted answer may still be generated until its engine stops: send nothing of it.
            for deleted in ready.deletedMessages { forget(deleted) }
            let frame = Self.frame(ready)
            let number = ready.n ?? 0
            for watch in watches.values {
                deliver(number, frame, ready, to: watch)
            }
            if let user = ready.leaver { onDeparture?(user) }
            for answer in answers.values where answer.createdN == number {
                if ready.hasWholeText { end(answer.message) } else { release(answer.message) }
            }
            if let ended = ready.endedMessage { end(ended) }
        }
    }

    private func end(_ message: MessageID) {
        forget(message)
        if endedLately.count >= 100 { endedLately = [] }
        endedLately.insert(message)
    }

    private func deliver(
        _ n: Int64,
        _ frame: SharedBytes,
        _ event: ServerEvent,
        to watch: Watch
    ) {
        guard let seen = watch.seen else {
            watch.held.append((n, frame, event))
            return
        }
        guard n > seen, let watcher = watch.watcher else { return }
        if watcher.isStuck {
            lag(watcher)
            return
        }
        catchUp(watch)
        watch.seen = n
        // All that its snapshot contained has been published.
        watch.ended = []
        watcher.tell(frame, .durable(event))
    }

    /// Ends the subscription of a client that is too slow even for merged text; it must watch
    /// again.
    private func lag(_ watcher: any Watcher) {
        figures.laggedCount += 1
        watcher.send(Self.frame(.lagged(Lagged(conversation: conversation))))
        end(watcher)
    }

    // MARK: Ephemeral events

    /// Whether the answer's creation has been published. Another node may have just committed it.
    private func isCreated(_ answer: LiveAnswer) -> Bool {
        order.map { $0.last >= answer.createdN } ?? true
    }

    /// Sends the events that waited for an answer's creation.
    private func release(_ message: MessageID) {
        for event in beforeCreation.removeValue(forKey: message) ?? [] { broadcast(event) }
        flush(message)
    }

    /// Sends an event to all current subscribers.
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

    /// Begins the text of a run; does nothing if it has begun.
    package func start(_ answer: LiveAnswer) {
        if let earlier = answers[answer.message] {
            // What its subscribers were sent is known only here.
            if earlier.run == answer.run { return }
            // Subscribers get all the text that the new run resumes from, including another node's.
            if earlier.bytes.count < answer.bytes.count {
                let missing = answer.bytes[earlier.bytes.count...]
                answers[answer.message]?.append(String(decoding: missing, as: UTF8.self))
            }
            flush(answer.message)
        }
        answers[answer.message] = answer
    }

    /// Appends to the text of a running answer.
    /// - Returns: whether it should be sent at once, because it is the first piece.
    package func append(_ text: String, to message: MessageID) -> Bool {
        guard let isFirst = answers[message]?.isFirst else { return false }
        answers[message]?.append(text)
        return isFirst
    }

    /// Sends the unsent text: one frame for all subscribers that are not behind.
    package func flush(_ message: MessageID) {
        guard answers[message].map(isCreated) == true else { return }
        guard let from = answers[message]?.sentCount,
            let delta = answers[message]?.takeUnsent()
        else { return }
        var frame: SharedBytes?
        for watch in watches.values {
            guard watch.seen != nil, !watch.ended.contains(message), let watcher = watch.watcher
            else { continue }
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

    /// Notes that an answer's end is stored. The text stays in memory until the end is published.
    package func finish(_ message: MessageID) {
        answers[message]?.hasEnded = true
        if watches.isEmpty { forget(message) }
    }

    /// Whether an answer's end is stored: published recently, or waiting for an earlier event.
    package func hasEnded(_ message: MessageID) -> Bool {
        answers[message]?.hasEnded ?? endedLately.contains(message)
    }

    /// Forgets a running answer whose end this node will not publish.
    package func drop(_ message: MessageID) {
        forget(message)
    }

    private func forget(_ message: MessageID) {
        answers[message] = nil
        beforeCreation[message] = nil
        for watch in watches.values { watch.behind[message] = nil }
    }

    /// Sends a client that can receive again what it missed, merged into one delta per answer.
    package func resume(_ watcher: any Watcher) {
        guard let watch = watches[ObjectIdentifier(watcher)], watch.seen != nil else { return }
        catchUp(watch)
    }

    private func catchUp(_ watch: Watch) {
        // The usual case, at each event.
        if watch.behind.isEmpty { return }
        for (message, offset) in watch.behind {
            guard let answer = answers[message], offset < answer.sentCount,
                !watch.ended.contains(message)
            else { continue }
            figures.deltasSent += 1
            let delta = answer.delta(from: offset, to: answer.sentCount)
            watch.watcher?.tell(Self.frame(.messageDelta(delta)), .text(delta))
        }
        // Text beyond what the other subscribers were sent stays noted until they get it.
        watch.behind = watch.behind.filter { message, offset in
            answers[message].map { offset > $0.sentCount } ?? false
        }
    }
}

extension ServerEvent {
    /// The messages that this event deletes.
    var deletedMessages: [MessageID] {
        if case .messageDeleted(let deleted) = self { deleted.messages } else { [] }
    }

    /// The member who left; nil for other events.
    fileprivate var leaver: UserID? {
        guard case .memberChanged(let change) = self, change.role == nil else { return nil }
        return change.user.id
    }

    /// The answer whose run's state this event reports; nil for other events.
    fileprivate var growingMessage: MessageID? {
        switch self {
        case .messageStarted(let started): started.message
        case .messageRestarted(let restarted): restarted.message
        case .messageProgress(let progress): progress.message
        default: nil
        }
    }

    /// Whether this event creates an answer that has ended since, when it was read.
    fileprivate var hasWholeText: Bool {
        if case .messageCreated(let created) = self { created.message.state.isFinal } else { false }
    }

    /// The answer that this event ends; nil for other events.
    var endedMessage: MessageID? {
        switch self {
        case .messageCompleted(let ended), .messageStopped(let ended), .messageFailed(let ended):
            ended.message
        default: nil
        }
    }
}
