// Broadcasts answers that other nodes generate to this node's subscribers, as if they were
// generated here. The text comes from the checkpoints that those nodes store anyway; one query
// reads the new text of all answers.

import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials

/// Follows the runs of other nodes in conversations that have subscribers here.
final class RemoteAnswers {
    /// Minimum time between two queries for new text.
    private static let interval = Duration.milliseconds(50)

    private let loop: EventLoop
    private let store: Store
    private let hub: ConversationHub
    private let runs: RunTable
    private let node: UUID
    private var followed = FollowedAnswers()
    private var due: Set<ConversationID> = []
    private var isReading = false
    /// Publishes a conversation's missing durable events: an answer's creation is published before
    /// its text.
    private let events: EventReader

    init(
        loop: EventLoop,
        store: Store,
        hub: ConversationHub,
        runs: RunTable,
        events: EventReader,
        node: UUID
    ) {
        self.loop = loop
        self.store = store
        self.hub = hub
        self.runs = runs
        self.events = events
        self.node = node
    }

    /// Whether no answer is followed.
    var isEmpty: Bool { followed.isEmpty }

    /// Notes that running answers of other nodes in a conversation have changed.
    func changed(_ conversation: ConversationID) {
        guard hub.isWatched(conversation) else { return }
        due.insert(conversation)
        guard !isReading else { return }
        isReading = true
        loop.spawn { [self] in
            while !due.isEmpty {
                let batch = due
                due = []
                await read(batch)
                do { try await loop.sleep(for: Self.interval) } catch { break }
            }
            isReading = false
        }
    }

    /// Polls for runs that began, moved or ended on other nodes, also without a notification.
    func look() async {
        for (message, answer) in followed.answers where !hub.isWatched(answer.conversation) {
            forget(message)
        }
        let poll = followed.beginPoll()
        guard let found = await meetNew() else { return }
        let (missing, ended) = followed.finish(poll, found: found)
        for message in missing + ended {
            guard let answer = followed[message] else { continue }
            await events.read(answer.conversation)
            if ended.contains(message), followed[message]?.run == answer.run { forget(message) }
        }
        let positions = followed.answers.values.map(\.conversation)
        if !positions.isEmpty { await read(Set(positions), isLook: true) }
    }

    /// Begins to follow runs of other nodes in conversations with subscribers here.
    /// - Parameter conversations: the conversations; nil for all.
    /// - Returns: the answers of all runs of other nodes there; nil if the database is unavailable.
    private func meetNew(in conversations: [ConversationID]? = nil) async -> Set<MessageID>? {
        guard let runs = try? await store.runs.begun(in: conversations, notOf: node) else {
            return nil
        }
        let new = runs.filter {
            hub.isWatched($0.conversation) && followed[$0.message]?.run != $0.run
        }
        for conversation in Set(new.map(\.conversation)) {
            await events.read(conversation)
            await meet(conversation)
        }
        return Set(runs.map(\.message))
    }

    /// Gives a conversation's checkpoints to the hub, for a first subscriber's snapshot or because
    /// of an unknown run.
    func meet(_ conversation: ConversationID) async {
        while let stored = try? await store.runs.storedAnswers(in: conversation) {
            guard hub.isWatched(conversation) else { return }
            // Subscribers may have the end of an answer that ended after this was read.
            let told = hub.lastTold(in: conversation) ?? 0
            if stored.contains(where: { $0.asOf < told }) { continue }
            for answer in stored where !runs.holds(answer.message) {
                if hub.hasEnded(answer.message, in: conversation) { continue }
                take(answer, in: conversation)
            }
            return
        }
    }

    /// Follows an answer that this node has generated until now.
    func follow(_ lost: ClaimedRun) {
        guard hub.liveAnswer(lost.message, in: lost.conversation)?.run == lost.run else { return }
        followed.follow(
            lost.message,
            FollowedAnswers.Answer(conversation: lost.conversation, run: lost.run)
        )
    }

    // MARK: Reading

    /// Reads the new text of followed answers; looks for other runs if there is none.
    private func read(_ conversations: Set<ConversationID>, isLook: Bool = false) async {
        var positions: [RunID: Int] = [:]
        for (message, answer) in followed.answers where conversations.contains(answer.conversation)
        {
            guard !runs.holds(message),
                let known = hub.liveAnswer(message, in: answer.conversation),
                known.run == answer.run
            else { continue }
            positions[answer.run] = known.end
        }
        var quiet = conversations
        if !positions.isEmpty, let parts = try? await store.runs.parts(after: positions) {
            for part in parts {
                quiet.remove(part.conversation)
                append(part)
            }
        }
        if !isLook, !quiet.isEmpty { _ = await meetNew(in: Array(quiet)) }
        await readNews(of: conversations)
    }

    private func append(_ part: AnswerPart) {
        guard followed[part.message]?.run == part.run, !runs.holds(part.message),
            let known = hub.liveAnswer(part.message, in: part.conversation),
            known.run == part.run, known.end == part.at
        else { return }
        hub.append(part.text, to: part.message, in: part.conversation)
    }

    /// Broadcasts the latest progress event of other nodes' runs.
    private func readNews(of conversations: Set<ConversationID>) async {
        guard
            followed.answers.values.contains(where: { conversations.contains($0.conversation) }),
            let news = try? await store.runs.news(in: Array(conversations))
        else { return }
        for entry in news {
            // A dead run's progress is invalid once this node has a run of the answer, and that of
            // an ended one came after its end was read: a client would show it as growing.
            guard let answer = followed[entry.message], answer.run == entry.run,
                entry.number > answer.news, !runs.holds(entry.message),
                hub.liveAnswer(entry.message, in: answer.conversation)?.run == entry.run
            else { continue }
            followed.note(news: entry.number, of: entry.message)
            hub.broadcast(entry.event, in: answer.conversation)
        }
    }

    // MARK: Answers

    private func take(_ stored: StoredAnswer, in conversation: ConversationID) {
        let message = stored.message
        let known = hub.liveAnswer(message, in: conversation)
        if known?.run != stored.run {
            // Subscribers have what the hub has sent, and at least the initial text of the answer.
            let base = known == nil ? nil : stored.base
            let start = min(base ?? stored.bodyCount, stored.text.utf8.count)
            hub.startAnswer(
                LiveAnswer(
                    conversation: conversation,
                    message: message,
                    run: stored.run,
                    text: stored.text(from: 0, to: start),
                    base: stored.base,
                    createdN: stored.createdN
                )
            )
            if known != nil || stored.base != nil {
                broadcastRestart(of: stored, in: conversation, at: start)
            }
        }
        followed.follow(
            message,
            FollowedAnswers.Answer(conversation: conversation, run: stored.run)
        )
        guard let known = hub.liveAnswer(message, in: conversation) else { return }
        hub.append(stored.text(from: known.end), to: message, in: conversation)
    }

    private func broadcastRestart(
        of stored: StoredAnswer,
        in conversation: ConversationID,
        at start: Int
    ) {
        hub.broadcast(
            .messageRestarted(
                MessageRestarted(
                    conversation: conversation,
                    message: stored.message,
                    run: stored.run,
                    at: start
                )
            ),
            in: conversation
        )
    }

    private func forget(_ message: MessageID) {
        guard let answer = followed.remove(message), !runs.holds(message),
            hub.liveAnswer(message, in: answer.conversation)?.run == answer.run
        else { return }
        hub.dropAnswer(message, in: answer.conversation)
    }
}

extension StoredAnswer {
    /// The text between two bytes, which must be boundaries of checkpoints.
    fileprivate func text(from start: Int, to end: Int? = nil) -> String {
        let bytes = text.utf8
        let end = min(end ?? bytes.count, bytes.count)
        guard start < end else { return "" }
        return String(decoding: bytes.dropFirst(start).prefix(end - start), as: UTF8.self)
    }
}
