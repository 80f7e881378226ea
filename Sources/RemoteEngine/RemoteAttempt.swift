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
        let limit = WaitLimit(.firstToken, deadlines.firstToken, from: loop.now)
            .until(answer.textDeadline)
        let profile = try await server.knownProfile(until: limit.end)
        let request = answer.next(
            for: profile.kind,
            as: server.address.model,
            of: dispatch.model
        )
        let dialect = request.dialect(for: profile.kind)
        let path = AnswerRequest.path(dialect, below: server.address.path)
        var asked = server.connections.head(.post, path, accept: "text/event-stream")
        for (field, value) in answer.request.traceFields {
            if let name = HTTPHeaderName(field) { asked.headers[name] = value }
        }
        let (connection, head) = try await server.connections.ask(
            asked,
            body: try request.body(for: profile.kind),
            within: limit
        )
        do throws(EngineFault) {
            try await check(head, connection, within: limit)
            var sentTokens: Int?
            if case .tokens(let tokens) = request.prompt { sentTokens = tokens.count }
            let result = try await read(
                connection,
                AnswerDecoder(
                    dialect,
                    promptTokens: sentTokens,
                    tokensMax: request.tokensMax,
                    isContinued: answer.hasBegun,
                    isThinking: answer.isThinking
                ),
                within: limit
            )
            recycle(connection)
            return completion(result, profile, sentTokens: sentTokens)
        } catch {
            connection.close()
            throw error
        }
    }

    /// Reads an error, if the reply is none that streams.
    private func check(
        _ head: HTTPResponseHead,
        _ connection: EngineConnection,
        within limit: WaitLimit
    ) async throws(EngineFault) {
        let status = head.status.code
        let isStream = head.headers[.contentType]?.lowercased().hasPrefix("text/event-stream")
        guard status != 200 || isStream != true else { return }
        var body: [UInt8] = []
        reading: while body.count < Self.errorBytesMax {
            switch try await connection.nextEvent(within: limit) {
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
        within first: WaitLimit
    ) async throws(EngineFault) -> AnswerDecoder.Result {
        var decoder = decoder
        var limit = first
        start()
        while !decoder.isComplete {
            let event: HTTPClientEvent
            do throws(EngineFault) {
                event = try await connection.nextEvent(within: limit)
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
                limit = WaitLimit(.nextToken, deadlines.nextToken, from: now)
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
        if connection.isReusable { return server.connections.keep(connection) }
        let limit = WaitLimit(.nextToken, .seconds(1), from: loop.now)
        loop.spawn { [server] in
            do throws(EngineFault) {
                while true {
                    let event = try await connection.nextEvent(within: limit)
                    if case .end = event { return server.connections.keep(connection) }
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
