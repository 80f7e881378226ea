// How many questions per second are acknowledged, which means committed, while answers are generated.

import ArgumentParser
import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol

struct TurnsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "turns",
        abstract: "Send questions from many clients, each waiting for its acknowledgement."
    )

    @OptionGroup var options: ServerOptions
    @Option(help: "Clients, each in a conversation of its own.") var clients = 16
    @Option(help: "Seconds to measure.") var seconds = 5

    func run() async throws {
        guard let server = HTTPOrigin(options.server) else {
            throw ValidationError("not a server's URL")
        }
        let thread = try ClientThread()
        let handles = try await connect(server, on: thread)
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
            for (index, handle) in handles.enumerated() {
                group.addTask { try await send(handle, index, until: end) }
            }
            var all = Sample()
            var count = 0
            for try await some in group {
                for latency in some { all.add(latency) }
                count += some.count
            }
            report("turns_per_second", Double(count) / (ContinuousClock.now - start).inSeconds)
            return all
        }
        report("turn_ack_p50_ms", latencies.median * 1000)
        report("turn_ack_p99_ms", latencies.percentile(0.99) * 1000)
        for handle in handles { await handle.close() }
    }

    private func connect(
        _ server: HTTPOrigin,
        on thread: ClientThread
    ) async throws -> [ChatClientHandle] {
        let (name, password) = (options.user, options.password)
        let reply = try await thread.run { loop in
            try await HTTPClient(loop: loop, server: server)
                .signIn(username: name, password: password)
        }
        var handles: [ChatClientHandle] = []
        for _ in 0..<clients {
            handles.append(
                try await .connect(
                    ChatClient.Configuration(server: server, token: reply.token),
                    on: thread
                )
            )
        }
        return handles
    }

    /// Sends questions one after the other; returns how long each acknowledgement took, in seconds.
    private func send(
        _ handle: ChatClientHandle,
        _ index: Int,
        until end: ContinuousClock.Instant
    ) async throws -> [Double] {
        var latencies: [Double] = []
        var conversation = try await newConversation(handle)
        while ContinuousClock.now < end {
            // A long history would measure prompt processing.
            if latencies.count.isMultiple(of: 8) {
                conversation = try await newConversation(handle)
            }
            let sent = ContinuousClock.now
            do {
                _ = try await handle.call(
                    .messageSend,
                    MessageSendRequest(
                        conversation: conversation,
                        key: "\(MessageID.make())",
                        text: "Hello!"
                    )
                )
                latencies.append((ContinuousClock.now - sent).inSeconds)
            } catch ChatClientError.refused(let error) where error.code == .busy {
                // The queue is full: answers are the limit now, not acknowledgements.
                try await handle.run { try await $0.loop.sleep(for: .milliseconds(20)) }
            }
        }
        return latencies
    }

    private func newConversation(_ handle: ChatClientHandle) async throws -> ConversationID {
        try await handle.call(
            .conversationCreate,
            ConversationCreateRequest(
                key: "\(MessageID.make())",
                settings: GenerationSettings(maxTokens: 1)
            )
        ).conversation.id
    }
}
