// One conversation that is followed over a connection that comes and goes: the shell around
// ConversationView that sends its watch requests.

public import ChatProtocol
import EventLoop

/// Keeps a `ConversationView` up to date. Lives on its client's loop.
public final class ConversationFollower {
    /// What is known of the conversation.
    public private(set) var view: ConversationView
    /// Called with what changed, after each change.
    public var onChange: (([ConversationView.Change], ConversationView) -> Void)?
    /// Called once, where the conversation cannot be followed any further.
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

    /// Shows the branch through a message, or, for nil, whatever is newest, and has the server
    /// remember that for the next opening. What is shown elsewhere does not change.
    /// - Throws: a refusal, or why there was no reply.
    public func select(_ message: MessageID?) async throws(ChatClientError) {
        let request = MessageSelectRequest(
            conversation: view.id,
            message: message,
            limit: 50
        )
        let page = try await client.deliver(.messageSelect, request, as: MessageListReply.self)
        guard message != nil else {
            report(view.followNewest(page.messages))
            return
        }
        let changes = view.learn(page.messages)
        report(changes + (page.messages.last.map { view.select($0.id) } ?? []))
    }

    /// Shows the branch through a message that the view has, here and for now alone.
    public func show(_ message: MessageID) { report(view.select(message)) }

    // MARK: What the client tells

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

    private func take(_ result: Result<ReplyText, ChatClientError>) {
        isWaitingForReply = false
        switch result {
        case .success(let text):
            guard let reply = try? text.decode(as: ConversationWatchReply.self) else {
                fail(.malformed("the reply of conversation.watch cannot be read"))
                return
            }
            report(view.apply(reply))
            if view.mismatch == nil {
                mismatchCount = 0
                pause.reset()
            } else {
                watchAgain()
            }
        case .failure(.connectionLost), .failure(.closed):
            // `connected` comes next, or `fail`.
            break
        case .failure(let error) where error.isRetryable:
            watchAfterPause()
        case .failure(let error):
            fail(error)
        }
    }

    /// A reply did not fit. The next one should; where even that fails, it is not for lack of haste.
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
    /// Follows a conversation, now and on every later connection, until `unfollow`.
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
