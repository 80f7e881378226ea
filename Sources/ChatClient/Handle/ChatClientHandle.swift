// A `ChatClient` on its own thread, for callers on Swift's executors. Each function runs its work on that
// thread and waits.

public import ChatProtocol
import EventLoop
public import HTTPProtocol

/// A connected client. Sendable; calls may come from any task.
public final class ChatClientHandle: Sendable {
    /// The first connection's `welcome`: the signed-in user and the server's properties.
    public let welcome: Welcome
    /// All events, in order. One task may read them; a reader more than 10,000 events behind loses
    /// the newest. `follow` loses nothing.
    public let events: AsyncStream<ServerEvent>

    private let thread: ClientThread
    private let client: LoopBound<ChatClient>

    private init(
        thread: ClientThread,
        client: LoopBound<ChatClient>,
        welcome: Welcome,
        events: AsyncStream<ServerEvent>
    ) {
        self.thread = thread
        self.client = client
        self.welcome = welcome
        self.events = events
    }

    deinit {
        thread.remote.execute { [client] _ in client.value.close() }
    }

    /// Signs in and connects.
    /// - Parameters:
    ///   - server: the server.
    ///   - username: the user's name.
    ///   - password: the user's password.
    ///   - thread: the thread to run on; nil starts one.
    /// - Returns: the client, after `welcome`.
    /// - Throws: `ChatClientError`.
    public static func signIn(
        to server: HTTPOrigin,
        username: String,
        password: String,
        on thread: ClientThread? = nil
    ) async throws -> ChatClientHandle {
        let thread = try thread ?? ClientThread()
        let reply = try await thread.run { loop in
            try await HTTPClient(loop: loop, server: server)
                .signIn(username: username, password: password)
        }
        return try await connect(
            ChatClient.Configuration(server: server, token: reply.token),
            on: thread
        )
    }

    /// Connects with a token.
    /// - Throws: `ChatClientError` if the first connection fails or times out.
    public static func connect(
        _ configuration: ChatClient.Configuration,
        on thread: ClientThread? = nil
    ) async throws -> ChatClientHandle {
        let thread = try thread ?? ClientThread()
        let (events, sink) = AsyncStream.makeStream(
            of: ServerEvent.self,
            bufferingPolicy: .bufferingOldest(10_000)
        )
        let (client, welcome) = try await thread.run { loop in
            let client = ChatClient(loop: loop, configuration: configuration)
            client.onEvent = { sink.yield($0) }
            client.onState = { state in
                if case .ended = state { sink.finish() }
            }
            client.start()
            do throws(ChatClientError) {
                let welcome = try await client.connected()
                return (LoopBound(loop, client), welcome)
            } catch {
                client.close()
                throw error
            }
        }
        return ChatClientHandle(
            thread: thread,
            client: client,
            welcome: welcome,
            events: events
        )
    }

    /// Runs `body` with the client, on its loop.
    /// - Throws: what `body` throws.
    public func run<Success: Sendable>(
        _ body: @escaping @Sendable (ChatClient) async throws -> Success
    ) async throws -> Success {
        let client = client
        return try await thread.remote.run { _ in try await body(client.value) }
    }

    /// Sends a request once, and waits for the reply; see `ChatClient.call`.
    /// - Throws: `ChatClientError`.
    public func call<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ request: Request
    ) async throws -> Reply {
        try await run { try await $0.call(operation, request) }
    }

    /// Sends a request until there is a reply; see `ChatClient.deliver`.
    /// - Throws: `ChatClientError`.
    public func deliver<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ request: Request,
        within limit: Duration = .seconds(120)
    ) async throws -> Reply {
        try await run { try await $0.deliver(operation, request, within: limit) }
    }

    /// Follows a conversation, and waits for its first snapshot.
    /// - Throws: `ChatClientError`.
    public func follow(
        _ conversation: ConversationID,
        within limit: Duration = .seconds(30)
    ) async throws -> FollowedConversation {
        let follower = try await run { client in
            let follower = client.follow(conversation)
            _ = try await follower.wait(within: limit) { $0.lastEvent != nil }
            return LoopBound(client.loop, follower)
        }
        return FollowedConversation(client: self, follower: follower)
    }

    /// Closes the connection.
    public func close() async {
        try? await run { $0.close() }
    }
}
