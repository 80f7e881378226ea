// Runs the planned conversations, a few at a time, from the first message to the end of the last answer.

import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol

/// A reader's text of an answer when it left.
struct Seen: Sendable {
    let reader: String
    let text: String
}

/// Everything acknowledged and seen, for the comparison with the database.
struct Record: Sendable {
    /// The messages of acknowledged sends, by the number of the send.
    var sent: [Int: (question: MessageID, answer: MessageID, n: Int64)] = [:]
    /// The answers' texts as the readers received them.
    var seen: [MessageID: [Seen]] = [:]
    /// The answers for which a stop was requested.
    var stopped: Set<MessageID> = []
    /// The last event that each reader had when it left.
    var lastEvents: [(conversation: ConversationID, reader: String, n: Int64)] = []
    /// The conversations, by their number in the plan.
    var conversations: [Int: ConversationID] = [:]
}

/// Runs a plan's conversations. Used on its event loop.
final class Workload {
    /// The number of concurrent conversations.
    static let concurrency = 24
    /// Timeout for readers; the servers' deadlines are checked elsewhere.
    static let timeout = Duration.seconds(150)

    let loop: EventLoop
    let plan: Plan
    let tally: Tally
    private(set) var record = Record()
    /// Whether most conversations are answered by remote engines.
    private let usesEngines: Bool
    private let names: [String]
    private let clients: [Seat: WorkloadClient]
    private var next = 0
    private var nextSend: ContinuousClock.Instant

    init(
        loop: EventLoop,
        plan: Plan,
        server: HTTPOrigin,
        usesEngines: Bool,
        users: [(name: String, token: String)],
        tally: Tally
    ) {
        self.loop = loop
        self.plan = plan
        self.tally = tally
        nextSend = loop.now
        self.usesEngines = usesEngines
        names = users.map(\.name)
        var clients: [Seat: WorkloadClient] = [:]
        for (user, person) in users.enumerated() {
            for connection in 0..<Plan.connectionsPerUser {
                clients[Seat(user: user, connection: connection)] = WorkloadClient(
                    loop: loop,
                    server: server,
                    token: person.token,
                    tally: tally
                )
            }
        }
        self.clients = clients
    }

    /// Runs all conversations.
    func play() async {
        var running: [LoopPromise<Void, Never>] = []
        for _ in 0..<min(Self.concurrency, plan.conversations.count) {
            let done = LoopPromise<Void, Never>(loop)
            loop.spawn { [self] in
                while next < plan.conversations.count {
                    next += 1
                    await play(plan.conversations[next - 1])
                }
                done.succeed(())
            }
            running.append(done)
        }
        for lane in running { await lane.value(cancelled: {}) }
    }

    func close() {
        for client in clients.values { client.client.close() }
    }

    // MARK: One conversation

    private func play(_ plan: ConversationPlan) async {
        guard let conversation = await begin(plan) else { return }
        record.conversations[plan.index] = conversation
        let readers = plan.readers.enumerated().compactMap { place, reader in
            makeReader(reader, "reader \(plan.index)/\(place)", conversation)
        }
        var answers: [MessageID] = []
        var batch: [TurnPlan] = []
        for turn in plan.turns {
            batch.append(turn)
            guard turn.isAwaited || turn.index == plan.turns.last?.index else { continue }
            let new = await send(batch, in: conversation)
            for (reader, how) in zip(readers, turn.rejoins) { reader.rejoin(how) }
            answers += new
            let start = loop.now
            await waitForEnds(of: new, readers)
            tally.longestEnd = max(tally.longestEnd, loop.now - start)
            batch = []
        }
        await waitForLastEvent(of: conversation, plan, readers)
        for reader in readers {
            for answer in answers {
                guard let copy = reader.copy(of: answer), copy.isFinal else { continue }
                record.seen[answer, default: []].append(Seen(reader: reader.name, text: copy.text))
            }
            record.lastEvents.append((conversation, reader.name, reader.lastEvent ?? 0))
            reader.leave()
        }
    }

    private func begin(_ plan: ConversationPlan) async -> ConversationID? {
        let request = ConversationCreateRequest(
            key: "conversation-\(plan.index)",
            model: usesEngines && plan.index % 4 > 0 ? FaultyEngine.model : nil,
            settings: GenerationSettings(maxTokens: plan.maxTokens)
        )
        guard
            let reply = await deliver(
                .conversationCreate,
                request,
                from: plan.creator
            )
        else { return nil }
        let conversation = reply.conversation.id
        guard let guest = plan.guest else { return conversation }
        _ = await deliver(
            .memberAdd,
            MemberAddRequest(conversation: conversation, user: names[guest]),
            from: plan.creator
        )
        return conversation
    }

    private func makeReader(
        _ reader: ConversationPlan.Reader,
        _ name: String,
        _ conversation: ConversationID
    ) -> (any Reader)? {
        guard let owner = clients[reader.seat] else { return nil }
        guard reader.isStrict else {
            return FollowingReader(conversation, name: name, owner: owner, tally: tally)
        }
        return StrictReader(
            conversation,
            name: name,
            owner: owner,
            random: SeededGenerator(seed: plan.seed, name),
            tally: tally
        )
    }

    // MARK: Sending

    /// Sends several turns at once.
    /// - Returns: their answers.
    private func send(_ turns: [TurnPlan], in conversation: ConversationID) async -> [MessageID] {
        var results: [LoopPromise<MessageID?, Never>] = []
        for turn in turns {
            let result = LoopPromise<MessageID?, Never>(loop)
            loop.spawn { [self] in result.succeed(await send(turn, in: conversation)) }
            results.append(result)
        }
        var answers: [MessageID] = []
        for result in results {
            if let answer = await result.value(cancelled: {}) { answers.append(answer) }
        }
        return answers
    }

    private func send(_ turn: TurnPlan, in conversation: ConversationID) async -> MessageID? {
        await waitForTurn()
        let start = loop.now
        var request = MessageSendRequest(
            conversation: conversation,
            key: turn.key,
            text: turn.text
        )
        guard
            let reply = await deliver(
                .messageSend,
                request,
                from: turn.speaker
            )
        else { return nil }
        tally.acknowledged(after: loop.now - start, at: loop.now)
        record.sent[turn.index] = (reply.message.id, reply.answer.id, reply.n)
        switch turn.extra {
        case .nothing: break
        case .repeated:
            tally.count("sends repeated after their acknowledgement")
            let again = await deliver(
                .messageSend,
                request,
                from: turn.speaker
            )
            if let again, again.message.id != reply.message.id || again.n != reply.n {
                tally.violation("send \(turn.index), repeated, got another reply")
            }
        case .otherBody:
            tally.count("keys used for another text")
            request.text += "?"
            let refusal = await refusal(of: request, from: turn.speaker)
            if refusal != .conflict {
                tally.violation(
                    "send \(turn.index) with another text was not refused as a conflict"
                )
            }
        case .stop:
            tally.count("answers that were stopped")
            record.stopped.insert(reply.answer.id)
            _ = await deliver(
                .generationStop,
                GenerationStopRequest(message: reply.answer.id),
                from: turn.speaker
            )
        }
        return reply.answer.id
    }

    /// Waits so that no more sends begin in a second than the plan allows.
    private func waitForTurn() async {
        guard let rate = plan.sendsPerSecond else { return }
        let begin = max(loop.now, nextSend)
        nextSend = begin + .seconds(1) / rate
        try? await loop.sleep(for: begin - loop.now)
    }

    private func refusal(
        of request: MessageSendRequest,
        from seat: Seat
    ) async -> ErrorCode? {
        let deadline = loop.now + Self.timeout
        while loop.now < deadline, let owner = clients[seat] {
            do throws(ChatClientError) {
                _ = try await owner.client.call(
                    .messageSend,
                    request
                )
                return nil
            } catch {
                if case .refused(let error) = error, !error.code.isRetryable { return error.code }
            }
            try? await loop.sleep(for: .milliseconds(100))
        }
        return nil
    }

    /// Repeats a request until there is a reply, on any of the user's connections, and so to any
    /// server.
    /// - Returns: the reply; nil after a permanent refusal, which is a violation.
    private func deliver<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ request: Request,
        from seat: Seat
    ) async -> Reply? {
        var seat = seat
        let deadline = loop.now + Self.timeout
        var attempt = 0
        while loop.now < deadline, let owner = clients[seat] {
            attempt += 1
            if attempt > 1 { tally.count("requests repeated") }
            do throws(ChatClientError) {
                return try await owner.client.call(operation, request)
            } catch {
                guard error.isRetryable else {
                    tally.violation("\(operation.name) was refused: \(error)")
                    return nil
                }
                tally.count("requests that got no reply")
            }
            seat = Seat(
                user: seat.user,
                connection: (seat.connection + 1) % Plan.connectionsPerUser
            )
            try? await loop.sleep(for: .milliseconds(min(400, 30 * attempt)))
        }
        tally.violation("\(operation.name) got no reply within \(Self.timeout)")
        return nil
    }

    /// Waits until every reader has seen the ends of these answers.
    private func waitForEnds(of answers: [MessageID], _ readers: [any Reader]) async {
        await wait(until: "an answer's end", readers) { reader in
            answers.allSatisfy { reader.copy(of: $0)?.isFinal == true }
        }
    }

    /// Waits for the last event. A watch reply combines messages with an event number from before
    /// them, so a reader may have the ends of all answers before the last event.
    private func waitForLastEvent(
        of conversation: ConversationID,
        _ plan: ConversationPlan,
        _ readers: [any Reader]
    ) async {
        let request = ConversationRequest(conversation: conversation)
        let reply = await deliver(
            .conversationGet,
            request,
            from: plan.creator
        )
        guard let last = reply?.conversation.n else { return }
        await wait(until: "event \(last)", readers) { $0.lastEvent ?? 0 >= last }
    }

    private func wait(
        until what: String,
        _ readers: [any Reader],
        _ hasSeen: (any Reader) -> Bool
    ) async {
        let deadline = loop.now + Self.timeout
        while true {
            let missing = readers.filter { !hasSeen($0) }
            if missing.isEmpty { return }
            if loop.now >= deadline {
                for reader in missing { tally.violation("\(reader.name) did not see \(what)") }
                return
            }
            try? await loop.sleep(for: .milliseconds(20))
        }
    }
}
