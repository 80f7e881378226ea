// Broadcasts one answer to many subscribers: how many frames per second reach them, and how far apart the
// first and the last subscriber see its end.

import ArgumentParser
import ChatClient
import ChatProtocol
import HTTPProtocol
import Synchronization

struct FanOutBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout",
        abstract: "Watch one conversation from many connections while answers grow in it."
    )

    @OptionGroup var options: ServerOptions
    @Option(help: "Connections that watch.") var watchers = 100
    @Option(help: "Answers to watch.") var answers = 20

    func run() async throws {
        guard let server = HTTPOrigin(options.server) else {
            throw ValidationError("not a server's URL")
        }
        let thread = try ClientThread()
        let asker = try await ChatClientHandle.signIn(
            to: server,
            username: options.user,
            password: options.password,
            on: thread
        )
        let (name, password) = (options.user, options.password)
        let token = try await thread.run { loop in
            try await HTTPClient(loop: loop, server: server)
                .signIn(username: name, password: password).token
        }
        let conversation = try await asker.call(
            .conversationCreate,
            ConversationCreateRequest(key: "\(MessageID.make())")
        ).conversation.id
        var watching: [Task<(frames: Int, ends: [ContinuousClock.Instant]), any Error>] = []
        for _ in 0..<watchers {
            let handle = try await ChatClientHandle.connect(
                ChatClient.Configuration(server: server, token: token),
                on: thread
            )
            _ = try await handle.call(
                .conversationWatch,
                ConversationWatchRequest(conversation: conversation)
            )
            watching.append(Task { [answers] in await Self.watch(handle, answers) })
        }
        let start = ContinuousClock.now
        for _ in 0..<answers {
            _ = try await asker.call(
                .messageSend,
                MessageSendRequest(
                    conversation: conversation,
                    key: "\(MessageID.make())",
                    text: "Tell me a long story."
                )
            )
        }
        var frames = 0
        var ends: [[ContinuousClock.Instant]] = []
        for task in watching {
            let seen = try await task.value
            frames += seen.frames
            ends.append(seen.ends)
        }
        report("fanout_frames_per_second", Double(frames) / (ContinuousClock.now - start).inSeconds)
        var spreads = Sample()
        for answer in 0..<answers {
            let moments = ends.map { $0[answer] }
            if let first = moments.min(), let last = moments.max() {
                spreads.add((last - first).inSeconds)
            }
        }
        report("fanout_spread_p50_ms", spreads.median * 1000)
        await asker.close()
    }

    /// Counts a subscriber's frames until it has seen the ends of this many answers.
    private static func watch(
        _ handle: ChatClientHandle,
        _ answers: Int
    ) async -> (frames: Int, ends: [ContinuousClock.Instant]) {
        var frames = 0
        var ends: [ContinuousClock.Instant] = []
        for await event in handle.events {
            frames += 1
            if case .messageCompleted = event { ends.append(.now) }
            if ends.count == answers { break }
        }
        await handle.close()
        return (frames, ends)
    }
}
