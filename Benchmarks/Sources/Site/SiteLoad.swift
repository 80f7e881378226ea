// Questions at random times, and readers who watch the answers grow: the load of `stoa-bench site` and
// `site-check`.

import Capacity
import ChatClient
import ChatProtocol
import EventLoop
import Glibc
import Inference

/// What is asked, and who reads it.
struct SiteLoad: Sendable {
    /// Questions a second, at random times.
    var turnsPerSecond = 10.0
    var seconds = 8.0
    /// Words of an answer, the mean; exactly so many, or by an exponential distribution.
    var words = 1.0
    var isVaried = false
    /// Words of a question beside those that name the answer's length.
    var questionWords = 0
    /// Members of a conversation, who all read; the asker is one.
    var readers = 1
    /// The node of the readers but the asker.
    var readersNode = 0

    /// Turns of a conversation: a long history would measure prompts.
    static let turnsPerConversation = 6
}

/// What readers saw.
struct SiteSeen: Sendable {
    /// From a question to its first delta, in seconds.
    var firstTokens = Sample()
    /// Seconds for each token after the first.
    var tokenSeconds = Sample()
    /// Tokens of answers: their number, their sum, and the sum of their squares.
    var answers = (count: 0.0, sum: 0.0, squares: 0.0)
    /// Questions that were asked late, because all conversations were busy.
    var late = 0

    /// The mean length of an answer, in tokens.
    var answerTokens: Double { answers.sum / max(1, answers.count) }
    /// The squared coefficient of variation of that length.
    var answerVariation: Double {
        max(0, answers.squares / max(1, answers.count) / (answerTokens * answerTokens) - 1)
    }
}

/// A conversation of the load.
private final class Talk {
    let id: ConversationID
    let group: Int
    var isBusy = false
    var turns = 0
    var askedAt: ContinuousClock.Instant?
    var firstAt: ContinuousClock.Instant?

    init(_ id: ConversationID, group: Int) {
        self.id = id
        self.group = group
    }
}

/// A run of a load. Used on one event loop.
final class SiteRun {
    private static let deltaStart = Array(#"{"ev":"message.delta""#.utf8)
    /// Time for the last answers.
    private static let drain = Duration.seconds(60)

    private let crowd: SiteCrowd
    private let load: SiteLoad
    private let loop: EventLoop
    private var random: SplitMix64
    private var talks: [Talk] = []
    private var byID: [ConversationID: Talk] = [:]
    private var next = 0
    private var askingGroups: Set<Int> = []
    private var open = 0
    private var failure: (any Error)?
    private(set) var run = MeasuredRun()
    private(set) var seen = SiteSeen()

    init(_ crowd: SiteCrowd, _ load: SiteLoad, seed: UInt64) {
        self.crowd = crowd
        self.load = load
        loop = crowd.loop
        random = SplitMix64(seed: seed)
    }

    /// Asks, and waits for all answers.
    func measure() async throws {
        try await prepare()
        let before = try crowd.reading()
        let start = loop.now
        try await ask(until: start + .seconds(load.seconds))
        try await wait(atMost: Self.drain) { open == 0 }
        run.seconds = (loop.now - start).inSeconds
        let after = try crowd.reading()
        run.nodeSeconds = after.nodeSeconds - before.nodeSeconds
        run.databaseSeconds = after.databaseSeconds - before.databaseSeconds
        run.walBytes = after.walBytes - before.walBytes
        run.nodes = Double(crowd.servers.nodes.count)
        run.connections = Double(crowd.connectionCount)
        run.furtherReaders = run.turns * Double(load.readers - 1)
        run.turnsBeside = run.nodes > 1 ? run.turns : 0
        run.remoteSeconds = load.readersNode == 0 ? 0 : run.growingSeconds
        try await end()
    }

    // MARK: Conversations

    private func prepare() async throws {
        let turns = load.turnsPerSecond * load.seconds * 1.5 + 30
        let perGroup = Int(turns) / crowd.groupCount / SiteLoad.turnsPerConversation + 2
        let made = try crowd.makeConversations(perGroup, members: load.readers)
        for (index, id) in made.enumerated() {
            let talk = Talk(id, group: index % crowd.groupCount)
            talks.append(talk)
            byID[id] = talk
        }
        for group in 0..<crowd.groupCount {
            let sockets = sockets(of: group)
            for (index, socket) in sockets.enumerated() {
                socket.onText = { [weak self] in
                    if index == 0 { self?.takeAsAsker($0) } else { self?.count($0) }
                }
            }
        }
        try await forEachSocket { socket, talk in
            _ = try await socket.call(
                .conversationWatch,
                ConversationWatchRequest(conversation: talk.id)
            )
        }
    }

    private func end() async throws {
        try await forEachSocket { socket, talk in
            _ = try await socket.call(
                .conversationUnwatch,
                ConversationRequest(conversation: talk.id)
            )
        }
    }

    private func sockets(of group: Int) -> [LoadSocket] {
        let asker = crowd.sockets[0][group][0]
        return [asker] + crowd.sockets[load.readersNode][group][1..<load.readers]
    }

    /// Does something with each socket and each conversation that it reads; groups at the same time.
    private func forEachSocket(
        _ body: @escaping (LoadSocket, Talk) async throws -> Void
    ) async throws {
        var jobs: [LoopTask] = []
        for group in 0..<crowd.groupCount {
            jobs.append(
                loop.spawn { [self] in
                    do {
                        for socket in sockets(of: group) {
                            for talk in talks where talk.group == group {
                                try await body(socket, talk)
                            }
                        }
                    } catch {
                        failure = error
                    }
                }
            )
        }
        for job in jobs { await job.wait() }
        if let failure { throw failure }
    }

    // MARK: Asking

    private func ask(until end: ContinuousClock.Instant) async throws {
        var due = loop.now
        while true {
            let pause = -logarithm(of: random.unit) / load.turnsPerSecond
            due += .seconds(pause)
            guard due < end, failure == nil else { break }
            if due > loop.now { try await loop.sleep(for: due - loop.now) }
            var talk = freeTalk()
            if talk == nil { seen.late += 1 }
            while talk == nil {
                try await loop.sleep(for: .milliseconds(2))
                talk = freeTalk()
            }
            guard let talk else { continue }
            let words = load.isVaried ? -logarithm(of: random.unit) * load.words : load.words
            ask(max(1, Int(words.rounded())), in: talk)
        }
        if let failure { throw failure }
    }

    /// The next conversation in turn that waits for no answer.
    private func freeTalk() -> Talk? {
        for _ in talks.indices {
            let talk = talks[next % talks.count]
            next += 1
            if !talk.isBusy, !askingGroups.contains(talk.group) { return talk }
        }
        return nil
    }

    private func ask(_ words: Int, in talk: Talk) {
        talk.isBusy = true
        talk.turns += 1
        talk.askedAt = loop.now
        talk.firstAt = nil
        askingGroups.insert(talk.group)
        open += 1
        let more = String(repeating: " and a little milk", count: load.questionWords / 4)
        loop.spawn { [self] in
            do {
                _ = try await crowd.sockets[0][talk.group][0].call(
                    .messageSend,
                    MessageSendRequest(
                        conversation: talk.id,
                        key: "\(MessageID.make())",
                        text: "Say \(words) words about tea\(more)."
                    )
                )
            } catch {
                failure = error
            }
            askingGroups.remove(talk.group)
        }
    }

    private func wait(atMost limit: Duration, until isDone: () -> Bool) async throws {
        let end = loop.now + limit
        while !isDone() {
            if let failure { throw failure }
            guard loop.now < end else { throw LoadError.timedOut }
            try await loop.sleep(for: .milliseconds(10))
        }
    }

    // MARK: Received frames

    private func count(_ frame: UnsafeRawBufferPointer) {
        if frame.starts(with: Self.deltaStart) { run.deltaReaders += 1 }
    }

    private func takeAsAsker(_ frame: UnsafeRawBufferPointer) {
        count(frame)
        guard case .event(let event)? = try? ServerFrame.parse(Array(frame)) else { return }
        switch event {
        case .messageDelta(let body):
            run.deltas += 1
            guard let talk = byID[body.conversation], talk.firstAt == nil else { return }
            talk.firstAt = loop.now
            if let asked = talk.askedAt { seen.firstTokens.add((loop.now - asked).inSeconds) }
        case .messageCompleted(let body):
            guard let talk = byID[body.conversation], talk.isBusy else { return }
            ended(talk, body.usage)
        case .messageFailed:
            failure = LoadError.unexpected("an answer failed")
        default: break
        }
    }

    private func ended(_ talk: Talk, _ usage: Usage?) {
        talk.isBusy = false
        open -= 1
        run.turns += 1
        run.promptTokens += Double(usage?.promptTokens ?? 0)
        let tokens = Double(usage?.completionTokens ?? 0)
        seen.answers.count += 1
        seen.answers.sum += tokens
        seen.answers.squares += tokens * tokens
        guard let first = talk.firstAt else { return }
        let seconds = (loop.now - first).inSeconds
        run.growingSeconds += seconds
        if tokens > 1 { seen.tokenSeconds.add(seconds / (tokens - 1)) }
    }
}

private func logarithm(of value: Double) -> Double { log(value) }

extension SplitMix64 {
    /// A number between 0 and 1, neither of which it is.
    fileprivate var unit: Double {
        mutating get { (Double(next() >> 12) + 0.5) / Double(UInt64(1) << 52) }
    }
}
