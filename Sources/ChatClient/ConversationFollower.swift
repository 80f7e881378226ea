// Follows a conversation across reconnects: sends the watch requests of a `ConversationView`.

public import ChatProtocol
import EventLoop

/// Keeps a `ConversationView` up to date. Used on its client's event loop.
public final class ConversationFollower {
    /// The current state of the conversation.
    public private(set) var view: ConversationView
    /// Called with the changes, after each change.
    public var onChange: (([ConversationView.Change], ConversationView) -> Void)?
    /// Called once, if the conversation cannot be followed any more.
    public var onFailure: ((ChatClientError) -> Void)?

    private unowned let client: ChatClient
    private var isWaitingForReply = false
    private var mismatchCount = 0
    private var pause = BackOff(first: .milliseconds(100), longest: .seconds(10))
    private var generator = SystemRandomNumberGenerator()
    private var failure: ChatClientError?
    private var waiters: [Waiter] = []

    private struct Waiter {
        let condition: (ConversationView) -> Bool
        let promise: LoopPromise<ConversationView, ChatClientError>
    }

    init(_ conversation: ConversationID, of client: ChatClient) {
        view = ConversationView(conversation)
        self.client = client
    }

    /// Waits until the view meets a condition.
    /// - Throws: `.timedOut`, or why the conversation cannot be followed.
    public func wait(
        within limit: Duration,
        until condition: @escaping (ConversationView) -> Bool
    ) async throws(ChatClientError) -> ConversationView {
        if let failure { throw failure }
        if condition(view) { return view }
        let promise = LoopPromise<ConversationView, ChatClientError>(client.loop)
        waiters.append(Waiter(condition: condition, promise: promise))
        defer { waiters.removeAll { $0.promise === promise } }
        return try await promise.value(within: limit, on: client.loop)
    }

    /// Shows the branch through a message, or for nil the newest one, and stores the selection on
    /// the server for the next opening. Other devices do not change.
    /// - Throws: a refusal, or why there was no reply.
    public func select(_ message: MessageID?) async throws(ChatClientError) {
        let request = MessageSelectRequest(
            conversation: view.id,
            message: message,
            limit: 50
        )
        let page = try await client.deliver(.messageSelect, request)
        guard message != nil else {
            report(view.followNewest(page.messages))
            return
        }
        let changes = view.learn(page.messages)
        report(changes + (page.messages.last.map { view.select($0.id) } ?? []))
    }

    /// Shows the branch through a message that the view has, without storing it.
    public func show(_ message: MessageID) { report(view.select(message)) }

    // MARK: Called by the client

    func connected(forgetNumbers: Bool) {
        if forgetNumbers { view.forgetNumbers() }
        watch()
    }

    func receive(_ event: ServerEvent) {
        report(view.apply(event))
        if view.mismatch != nil, !isWaitingForReply { watch() }
    }

    func fail(_ error: ChatClientError) {
        guard failure == nil else { return }
        failure = error
        for waiter in waiters { waiter.promise.fail(error) }
        onFailure?(error)
    }

    // MARK: Watching

    private func watch() {
        isWaitingForReply = true
        client.send(.conversationWatch, view.watchRequest) { [weak self] in self?.take($0) }
    }

    private func take(_ result: Result<ConversationWatchReply, ChatClientError>) {
        isWaitingForReply = false
        switch result {
        case .success(let reply):
            report(view.apply(reply))
            if view.mismatch == nil {
                mismatchCount = 0
                pause.reset()
            } else {
                watchAgain()
            }
        case .failure(.connectionLost), .failure(.closed):
            // `connected` or `fail` follows.
            break
        case .failure(let error) where error.isRetryable:
            watchAfterPause()
        case .failure(let error):
            fail(error)
        }
    }

    /// Retries after a reply that did not fit: twice at once, then with backoff.
    private func watchAgain() {
        mismatchCount += 1
        if mismatchCount <= 2 { watch() } else { watchAfterPause() }
    }

    private func watchAfterPause() {
        isWaitingForReply = true
        client.loop.schedule(after: pause.delay(using: &generator)) { [weak self] in self?.watch() }
    }

    private func report(_ changes: [ConversationView.Change]) {
        guard !changes.isEmpty else { return }
        onChange?(changes, view)
        for waiter in waiters where waiter.condition(view) { waiter.promise.succeed(view) }
    }
}

extension ChatClient {
    /// Follows a conversation, on this and later connections, until `unfollow`.
    public func follow(_ conversation: ConversationID) -> ConversationFollower {
        if let follower = followers[conversation] { return follower }
        let follower = ConversationFollower(conversation, of: self)
        followers[conversation] = follower
        if welcome != nil { follower.connected(forgetNumbers: false) }
        return follower
    }

    /// Stops following a conversation.
    public func unfollow(_ conversation: ConversationID) {
        guard followers.removeValue(forKey: conversation) != nil else { return }
        send(.conversationUnwatch, ConversationRequest(conversation: conversation)) { _ in }
    }
}
