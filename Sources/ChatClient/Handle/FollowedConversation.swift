// A `ConversationFollower` on a client's thread, for callers on Swift's executors.

public import ChatProtocol

/// A thread-safe handle of a followed conversation.
public final class FollowedConversation: Sendable {
    private let client: ChatClientHandle
    private let follower: LoopBound<ConversationFollower>

    init(client: ChatClientHandle, follower: LoopBound<ConversationFollower>) {
        self.client = client
        self.follower = follower
    }

    /// The current state of the conversation.
    /// - Throws: `ChatClientError.closed` if the client's thread has ended.
    public func view() async throws -> ConversationView {
        let follower = follower
        return try await client.run { _ in follower.value.view }
    }

    /// Waits until the view meets a condition.
    /// - Throws: `ChatClientError`.
    public func wait(
        within limit: Duration = .seconds(30),
        until condition: @escaping @Sendable (ConversationView) -> Bool
    ) async throws -> ConversationView {
        let follower = follower
        return try await client.run { _ in
            try await follower.value.wait(within: limit, until: condition)
        }
    }

    /// Waits until an answer has ended.
    /// - Returns: the answer, its text verified.
    /// - Throws: `ChatClientError`.
    public func answer(
        _ id: MessageID,
        within limit: Duration = .seconds(60)
    ) async throws -> Message {
        let view = try await wait(within: limit) { $0.message(id)?.state.isFinal == true }
        guard let message = view.message(id) else { throw ChatClientError.closed }
        return message
    }
}
