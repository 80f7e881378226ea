// One request to one engine for one answer.

import EngineProtocol
import EventLoop
import HTTPProtocol
import Inference
import Logging

/// Sends a request, and reads its stream.
struct RemoteAttempt {
    /// Maximum size of an error's body that is read.
    private static let errorBytesMax = 64 << 10

    private let answer: RemoteAnswer
    private let server: RemoteServer
    private let dispatch: RemoteDispatch
    private var loop: EventLoop { dispatch.loop }
    private var deadlines: RemoteAddress.Deadlines { server.address.deadlines }

    init(_ answer: RemoteAnswer, _ server: RemoteServer, _ dispatch: RemoteDispatch) {
        self.answer = answer
        self.server = server
        self.dispatch = dispatch
    }

    /// Generates the answer's text, or the rest of it.
    /// - Returns: its statistics.
    /// - Throws: `EngineFault`; also if it was cancelled, which `answer` says.
    func generate() async throws(EngineFault) -> Completion {
        let profile = try await server.knownProfile()
        let request = answer.next(
            for: profile.kind,
            as: server.address.model,
            of: dispatch.model
        )
        let dialect = request.dialect(for: profile.kind)
        let body = try request.body(for: profile.kind)
        let deadline = loop.now + deadlines.firstToken
        let (connection, head) = try await send(body, dialect, until: deadline)
        do throws(EngineFault) {
            try await check(head, connection, until: deadline)
            var sentTokens: Int?
            if case .tokens(let tokens) = request.prompt { sentTokens = tokens.count }
            let result = try await read(
                connection,
                AnswerDecoder(dialect, promptTokens: sentTokens, tokensMax: request.tokensMax),
                until: deadline
            )
            recycle(connection)
            return completion(result, profile, sentTokens: sentTokens)
        } catch {
            connection.close()
            throw error
        }
    }

    // MARK: Request

    /// Sends the request, and again over a new connection if the engine had closed the idle one.
    private func send(
        _ body: [UInt8],
        _ dialect: EngineDialect,
        until deadline: ContinuousClock.Instant
    ) async throws(EngineFault) -> (EngineConnection, HTTPResponseHead) {
        if let idle = server.idleConnection() {
            do throws(EngineFault) {
                return (idle, try await ask(idle, body, dialect, deadline))
            } catch {
                idle.close()
                guard !idle.hasReceived, !answer.isCancelled, case .unreachable = error else {
                    throw error
                }
            }
        }
        let connection = try await server.connect()
        do throws(EngineFault) {
            return (connection, try await ask(connection, body, dialect, deadline))
        } catch {
            connection.close()
            throw error
        }
    }

    private func ask(
        _ connection: EngineConnection,
        _ body: [UInt8],
        _ dialect: EngineDialect,
        _ deadline: ContinuousClock.Instant
    ) async throws(EngineFault) -> HTTPResponseHead {
        let path = AnswerRequest.path(dialect, below: server.address.path)
        let head = server.head(.post, path, accept: "text/event-stream")
        try await connection.send(head, body: body, within: deadlines.firstToken)
        while true {
            let event = try await connection.nextEvent(
                until: deadline,
                for: .firstToken,
                of: deadlines.firstToken
            )
            if case .response(let head) = event { return head }
        }
    }

    /// Reads an error, if the reply is none that streams.
    private func check(
        _ head: HTTPResponseHead,
        _ connection: EngineConnection,
        until deadline: ContinuousClock.Instant
    ) async throws(EngineFault) {
        let status = head.status.code
        let isStream = head.headers[.contentType]?.lowercased().hasPrefix("text/event-stream")
        guard status != 200 || isStream != true else { return }
        var body: [UInt8] = []
        reading: while body.count < Self.errorBytesMax {
            switch try await connection.nextEvent(
                until: deadline,
                for: .firstToken,
                of: deadlines.firstToken
            ) {
            case .body(let bytes): body += bytes
            case .end, .upgrade: break reading
            case .informational, .response: break
            }
        }
        guard status != 200 else { throw .malformed("it does not stream its answer") }
        throw AnswerChunk.fault(
            status: status,
            retryAfter: head.headers[.retryAfter],
            body: body
        )
    }

    // MARK: Stream

    private func read(
        _ connection: EngineConnection,
        _ decoder: consuming AnswerDecoder,
        until firstDeadline: ContinuousClock.Instant
    ) async throws(EngineFault) -> AnswerDecoder.Result {
        var decoder = decoder
        var (deadline, wait, span) = (
            firstDeadline, EngineFault.Wait.firstToken, deadlines.firstToken
        )
        start()
        while !decoder.isComplete {
            let event: HTTPClientEvent
            do throws(EngineFault) {
                event = try await connection.nextEvent(until: deadline, for: wait, of: span)
            } catch {
                // An answer that has ended stands, even if nothing follows.
                guard decoder.hasEnded else { throw error }
                return try decoder.finish()
            }
            switch event {
            case .informational, .response: break
            case .body(let bytes):
                let count = decoder.eventCount
                let text = try decoder.receive(bytes)
                guard !text.isEmpty, !answer.isCancelled else { continue }
                let now = loop.now
                answer.append(text, decoder.eventCount - count, at: now)
                dispatch.sink([.text(id: answer.id, text: text, tokens: [])])
                (deadline, wait, span) = (
                    now + deadlines.nextToken, .nextToken, deadlines.nextToken
                )
            case .end, .upgrade: return try decoder.finish()
            }
        }
        return try decoder.finish()
    }

    private func start() {
        guard !answer.isStarted else { return }
        answer.isStarted = true
        let promptTokens = answer.request.prompt.count
        dispatch.sink([.started(id: answer.id, promptTokens: promptTokens, cachedTokens: 0)])
    }

    /// Reads the end of the reply, and keeps the connection.
    private func recycle(_ connection: EngineConnection) {
        if connection.isReusable { return server.keep(connection) }
        let second = Duration.seconds(1)
        let deadline = loop.now + second
        loop.spawn { [server] in
            do throws(EngineFault) {
                while true {
                    let event = try await connection.nextEvent(
                        until: deadline,
                        for: .nextToken,
                        of: second
                    )
                    if case .end = event { return server.keep(connection) }
                }
            } catch { connection.close() }
        }
    }

    private func completion(
        _ result: AnswerDecoder.Result,
        _ profile: EngineProfile,
        sentTokens: Int?
    ) -> Completion {
        if let problem = result.usageProblem {
            dispatch.logger.warning(
                "remote engine's usage not believed; own count is used",
                metadata: ["engine": "\(server.address.label)", "usage": "\(problem)"]
            )
        }
        return answer.completion(
            result,
            sentTokens: sentTokens,
            record: RemoteRecord(
                engine: server.address.label,
                kind: profile.kind.rawValue,
                version: profile.version,
                model: server.address.model,
                template: sentTokens == nil ? .elsewhere : .here,
                usage: result.usage == nil ? .counted : .told,
                requests: answer.tries
            )
        )
    }
}
