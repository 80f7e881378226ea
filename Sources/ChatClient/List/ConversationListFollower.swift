// Follows the user's list across reconnects: sends the requests of a `ConversationListView`.

import ChatProtocol
import EventLoop

/// Keeps a `ConversationListView` up to date. Used on its client's event loop.
public final class ConversationListFollower {
    /// The current state of the list.
    public private(set) var view = ConversationListView()
    /// Called with the changes, after each change.
    public var onChange: (([ConversationListView.Change], ConversationListView) -> Void)?

    private unowned let client: ChatClient
    /// Whether a request is in flight, or scheduled.
    private var isResyncing = false
    private var pause = BackOff(first: .milliseconds(100), longest: .seconds(10))
    private var generator = SystemRandomNumberGenerator()
    private var failure: ChatClientError?
    private var waiters: [Waiter] = []

    private struct Waiter {
        let condition: (ConversationListView) -> Bool
        let promise: LoopPromise<ConversationListView, ChatClientError>
    }

    init(of client: ChatClient) {
        self.client = client
    }

    /// Waits until the view meets a condition.
    /// - Throws: `.timedOut`, or why the list cannot be followed.
    public func wait(
        within limit: Duration,
        until condition: @escaping (ConversationListView) -> Bool
    ) async throws(ChatClientError) -> ConversationListView {
        if let failure { throw failure }
        if condition(view) { return view }
        let promise = LoopPromise<ConversationListView, ChatClientError>(client.loop)
        waiters.append(Waiter(condition: condition, promise: promise))
        defer { waiters.removeAll { $0.promise === promise } }
        return try await promise.value(within: limit, on: client.loop)
    }

    /// The list, after a refresh that includes all changes before this call.
    /// - Throws: `.timedOut`, or why the list cannot be read.
    public func refreshed(within limit: Duration) async throws(ChatClientError)
        -> ConversationListView
    {
        let request = ConversationListRequest(
            after: try await wait(within: limit) { $0.u != nil }.u
        )
        let reply = try await client.deliver(.conversationList, request, within: limit)
        report(view.apply(reply, to: request))
        return view
    }

    /// Loads the next page, if there is one.
    public func loadMore() {
        guard let request = view.moreRequest else { return }
        client.send(.conversationList, request) { [weak self] result in
            guard let self, let reply = try? result.get() else { return }
            self.report(self.view.apply(reply, to: request))
            self.resync()
        }
    }

    // MARK: Called by the client

    func connected(_ welcome: Welcome, forgetNumbers: Bool) {
        if forgetNumbers { view.forgetNumbers() }
        view.welcome(welcome.u)
        isResyncing = false
        resync()
    }

    func receive(_ event: ServerEvent) {
        report(view.apply(event))
        resync()
    }

    func fail(_ error: ChatClientError) {
        failure = error
        for waiter in waiters { waiter.promise.fail(error) }
    }

    // MARK: Resynchronizing

    private func resync() {
        guard !isResyncing, let request = view.resyncRequest else { return }
        isResyncing = true
        client.send(.conversationList, request) { [weak self] in self?.take($0, to: request) }
    }

    private func take(
        _ result: Result<ConversationListReply, ChatClientError>,
        to request: ConversationListRequest
    ) {
        switch result {
        case .success(let reply):
            isResyncing = false
            pause.reset()
            report(view.apply(reply, to: request))
            resync()
        case .failure(.connectionLost), .failure(.closed):
            // `connected` or `fail` follows.
            break
        case .failure(let error) where error.isRetryable:
            client.loop.schedule(after: pause.delay(using: &generator)) { [weak self] in
                self?.isResyncing = false
                self?.resync()
            }
        case .failure(let error):
            fail(error)
        }
    }

    private func report(_ changes: [ConversationListView.Change]) {
        if !changes.isEmpty { onChange?(changes, view) }
        for waiter in waiters where waiter.condition(view) { waiter.promise.succeed(view) }
    }
}

extension ChatClient {
    /// Follows the user's list of conversations, on this and later connections.
    public func followList() -> ConversationListFollower {
        if let listFollower { return listFollower }
        let follower = ConversationListFollower(of: self)
        listFollower = follower
        if let welcome { follower.connected(welcome, forgetNumbers: false) }
        return follower
    }
}
