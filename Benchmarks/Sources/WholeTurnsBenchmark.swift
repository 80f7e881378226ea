// Whole turns per second: a question committed and acknowledged, its answer committed and broadcast. Each
// client has its own user, and waits for its answer before it asks again.

import ArgumentParser
import ChatClient
import ChatProtocol
import Digests
import EventLoop
import HTTPProtocol

struct WholeTurnsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whole-turns",
        abstract: "Send questions from many users, each waiting for its answer's end."
    )

    @Option(help: "The server, such as http://127.0.0.1:8080.") var server: String
    @Option(help: "Connections, each of a user whose token is SHA-256 of “bench NUMBER”.")
    var clients = 200
    @Option(help: "Seconds to measure.") var seconds = 8

    func run() async throws {
        guard let server = HTTPOrigin(server) else {
            throw ValidationError("not a server's URL")
        }
        let (count, seconds) = (clients, seconds)
        let latencies = try await EventLoop.run { loop in
            try await TurnClients(loop: loop, server: server, count: count).measure(seconds)
        }
        var acks = Sample()
        var turns = Sample()
        for turn in latencies.turns {
            acks.add(turn.ack)
            turns.add(turn.whole)
        }
        report("whole_turns_per_second", Double(latencies.turns.count) / latencies.seconds)
        report("whole_turn_ack_p50_ms", acks.median * 1000)
        report("whole_turn_p50_ms", turns.median * 1000)
        report("whole_turn_p99_ms", turns.percentile(0.99) * 1000)
    }
}

/// The clients, on one event loop.
private final class TurnClients {
    struct Result: Sendable {
        var turns: [(ack: Double, whole: Double)] = []
        var seconds = 0.0
    }

    private let loop: EventLoop
    private var clients: [ChatClient] = []
    private var result = Result()

    init(loop: EventLoop, server: HTTPOrigin, count: Int) {
        self.loop = loop
        clients = (0..<count).map { number in
            let token = SHA256.digest(of: "bench \(number)").hexadecimal
            return ChatClient(
                loop: loop,
                configuration: ChatClient.Configuration(server: server, token: token)
            )
        }
    }

    func measure(_ seconds: Int) async throws -> Result {
        for client in clients { client.start() }
        for client in clients { _ = try await client.connected() }
        let start = loop.now
        let end = start + .seconds(seconds)
        var running: [LoopPromise<Void, any Error>] = []
        for client in clients {
            let done = LoopPromise<Void, any Error>(loop)
            loop.spawn { [self] in
                do {
                    try await talk(client, until: end)
                    done.succeed(())
                } catch {
                    done.fail(error)
                }
            }
            running.append(done)
        }
        for client in running { try await client.value(cancelled: {}) }
        result.seconds = (loop.now - start).inSeconds
        for client in clients { client.close() }
        return result
    }

    private func talk(_ client: ChatClient, until end: ContinuousClock.Instant) async throws {
        var ended: (id: MessageID?, LoopPromise<Void, ChatClientError>?) = (nil, nil)
        client.onEvent = { event in
            guard case .messageCompleted(let body) = event else { return }
            ended.id = body.message
            ended.1?.succeed(())
        }
        while loop.now < end {
            let conversation = try await client.call(
                .conversationCreate,
                ConversationCreateRequest(key: "\(MessageID.make())")
            ).conversation.id
            _ = try await client.call(
                .conversationWatch,
                ConversationWatchRequest(conversation: conversation)
            )
            // A long history would measure prompt processing.
            for _ in 0..<8 where loop.now < end {
                let sent = loop.now
                let promise = LoopPromise<Void, ChatClientError>(loop)
                ended = (nil, promise)
                _ = try await client.call(
                    .messageSend,
                    MessageSendRequest(
                        conversation: conversation,
                        key: "\(MessageID.make())",
                        text: "Hello!"
                    )
                )
                let acknowledged = loop.now
                let timer = loop.schedule(after: .seconds(30)) { promise.fail(.timedOut) }
                try await promise.value { promise.fail(.closed) }
                timer.cancel()
                result.turns.append(
                    ((acknowledged - sent).inSeconds, (loop.now - sent).inSeconds)
                )
            }
            _ = try await client.call(
                .conversationUnwatch,
                ConversationRequest(conversation: conversation)
            )
        }
    }
}
