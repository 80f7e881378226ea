// A client of the chat protocol: one connection that reconnects by itself, typed calls, and followers of
// conversations. It has no user interface.

public import ChatProtocol
public import EventLoop
public import HTTPProtocol

/// A connection to one server as one user. Used on its event loop, with everything it calls.
public final class ChatClient {
    /// A client's settings.
    public struct Configuration: Sendable {
        /// The server.
        public var server: HTTPOrigin
        /// The bearer token from signing in.
        public var token: String
        /// Timeout for connecting, up to `welcome`.
        public var connectTimeout: Duration = .seconds(10)
        /// Timeout for the reply to a call.
        public var callTimeout: Duration = .seconds(30)
        /// The connection is closed if the server sends nothing for this long.
        public var silenceLimit: Duration = .seconds(60)
        /// The backoff between connection attempts.
        public var backOff = BackOff()

        /// A configuration with default timeouts.
        public init(server: HTTPOrigin, token: String) {
            self.server = server
            self.token = token
        }
    }

    /// The state of the connection.
    public enum State: Sendable {
        /// Connecting.
        case connecting
        /// Connected; the server sent `welcome`.
        case connected(Welcome)
        /// Disconnected; the next attempt follows after this delay.
        case waiting(Duration, ChatClientError)
        /// Ended; the client will not reconnect.
        case ended(ChatClientError)
    }

    /// The event loop that the client uses.
    public let loop: EventLoop
    /// The client's settings.
    public let configuration: Configuration
    /// The state of the connection.
    public private(set) var state = State.connecting
    /// Called for each event, in order, before followers apply it.
    public var onEvent: ((ServerEvent) -> Void)?
    /// Called after `state` has changed.
    public var onState: ((State) -> Void)?

    var followers: [ConversationID: ConversationFollower] = [:]
    var listFollower: ConversationListFollower?
    private var link: WebSocketLink?
    private var calls = PendingCalls()
    private var backOff: BackOff
    private var generator = SystemRandomNumberGenerator()
    private var epoch: String?
    private var waiters: [LoopPromise<Welcome, ChatClientError>] = []
    private var task: LoopTask?
    private var isClosed = false

    /// A client that is idle until `start()`.
    public init(loop: EventLoop, configuration: Configuration) {
        self.loop = loop
        self.configuration = configuration
        backOff = configuration.backOff
    }

    // MARK: The connection

    /// Connects, and reconnects whenever the connection ends in a way that allows it.
    public func start() {
        guard task == nil, !isClosed else { return }
        task = loop.spawn { [self] in await run() }
    }

    /// Closes the connection with a close frame; pending calls fail with `.closed`.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        if let link { link.close() } else { task?.cancel() }
        end(.closed)
    }

    /// The `welcome` of this connection; nil if not connected.
    public var welcome: Welcome? {
        if case .connected(let welcome) = state { welcome } else { nil }
    }

    /// Waits until connected.
    /// - Throws: `.timedOut`, or why the client will not connect.
    public func connected(within limit: Duration? = nil) async throws(ChatClientError) -> Welcome {
        switch state {
        case .connected(let welcome): return welcome
        case .ended(let error): throw error
        case .connecting, .waiting: break
        }
        let promise = LoopPromise<Welcome, ChatClientError>(loop)
        waiters.append(promise)
        defer { waiters.removeAll { $0 === promise } }
        return try await promise.value(
            within: limit ?? configuration.connectTimeout,
            on: loop
        )
    }

    private func run() async {
        while !isClosed {
            change(.connecting)
            let failure = await connectOnce()
            link = nil
            for completion in calls.removeAll() {
                completion(.failure(isClosed ? .closed : .connectionLost))
            }
            if isClosed { return }
            guard failure.isRetryable else {
                end(failure)
                return
            }
            let delay = backOff.delay(using: &generator)
            change(.waiting(delay, failure))
            try? await loop.sleep(for: delay)
        }
    }

    /// Connects and runs the connection until it ends.
    /// - Returns: why it ended.
    private func connectOnce() async -> ChatClientError {
        do throws(ChatClientError) {
            let link = try await WebSocketLink.open(
                loop: loop,
                server: configuration.server,
                token: configuration.token,
                within: configuration.connectTimeout
            )
            self.link = link
            if isClosed { link.abort() }
            let deadline = Deadline(loop, after: configuration.connectTimeout) { [weak self] in
                if self?.welcome == nil { link.abort() }
            }
            defer { deadline.cancel() }
            let end = await link.run(silenceLimit: configuration.silenceLimit) { receive($0) }
            switch ReconnectAdvice(code: end.code) {
            case .reconnect: return .connectionLost
            case .signIn: return .signInNeeded
            case .stayAway: return .turnedAway(code: end.code, reason: end.reason)
            }
        } catch {
            return error
        }
    }

    private func change(_ state: State) {
        self.state = state
        onState?(state)
    }

    private func end(_ error: ChatClientError) {
        change(.ended(error))
        for completion in calls.removeAll() { completion(.failure(error)) }
        for waiter in waiters { waiter.fail(error) }
        for follower in followers.values { follower.fail(error) }
        followers = [:]
        listFollower?.fail(error)
    }

    // MARK: Frames

    private func receive(_ text: [UInt8]) {
        // Ignores a frame that cannot be parsed, like one of an unknown type.
        guard !isClosed, let frame = try? ServerFrame.parse(text) else { return }
        switch frame {
        case .unknown: break
        case .reply(let number, let result):
            guard let number, let completion = calls.remove(number) else { break }
            completion(result.mapError(ChatClientError.refused))
        case .event(.welcome(let welcome)):
            begin(welcome)
            onEvent?(.welcome(welcome))
        case .event(let event):
            onEvent?(event)
            if let conversation = event.conversation { followers[conversation]?.receive(event) }
            listFollower?.receive(event)
        }
    }

    private func begin(_ welcome: Welcome) {
        backOff.reset()
        let isOtherEpoch = epoch.map { $0 != welcome.epoch } ?? false
        epoch = welcome.epoch
        change(.connected(welcome))
        for waiter in waiters { waiter.succeed(welcome) }
        for follower in followers.values { follower.connected(forgetNumbers: isOtherEpoch) }
        listFollower?.connected(welcome, forgetNumbers: isOtherEpoch)
    }

    // MARK: Calls

    /// Sends a request; `completion` gets the reply as soon as it is read, before any later event.
    ///
    /// Without a connection it gets `.connectionLost` at once. Prefer `call`, which waits.
    public func send<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ request: Request,
        _ completion: @escaping (Result<Reply, ChatClientError>) -> Void
    ) {
        _ = sendNumbered(operation, request, completion)
    }

    /// Sends a request.
    /// - Returns: its number, or nil if `completion` already got a failure.
    private func sendNumbered<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ request: Request,
        _ completion: @escaping (Result<Reply, ChatClientError>) -> Void
    ) -> Int64? {
        guard let link, welcome != nil else {
            if case .ended(let error) = state {
                completion(.failure(error))
            } else {
                completion(.failure(.connectionLost))
            }
            return nil
        }
        let number = calls.add { completion($0.flatMap { text in text.read() }) }
        link.send(text: WireEncoding.text(OutgoingRequest(id: number, operation, request)))
        return number
    }

    /// Sends a request once, and waits for the reply.
    /// - Throws: `.refused` with the server's error, `.connectionLost`, or `.timedOut`.
    public func call<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ request: Request
    ) async throws(ChatClientError) -> Reply {
        let promise = LoopPromise<Reply, ChatClientError>(loop)
        let number = sendNumbered(operation, request) { promise.complete($0) }
        // A later reply is ignored.
        defer { if let number { _ = calls.remove(number) } }
        return try await promise.value(within: configuration.callTimeout, on: loop)
    }

    /// Sends a request without fields once, and waits for the reply.
    /// - Throws: as `call` with a request.
    public func call<Reply>(
        _ operation: Operation<EmptyRequest, Reply>
    ) async throws(ChatClientError) -> Reply {
        try await call(operation, EmptyRequest())
    }

    /// Sends a request until there is a reply: waits for the connection, and repeats it on the next
    /// one if the connection is lost. A request that creates something must carry a key, so that it
    /// is created once.
    /// - Throws: a permanent refusal; the last failure, once `limit` has passed.
    public func deliver<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ request: Request,
        within limit: Duration = .seconds(120)
    ) async throws(ChatClientError) -> Reply {
        let deadline = loop.now + limit
        var pause = BackOff()
        while true {
            do throws(ChatClientError) {
                _ = try await connected(within: deadline - loop.now)
                return try await call(operation, request)
            } catch {
                let delay = max(
                    pause.delay(using: &generator),
                    .seconds(error.retryAfterSeconds ?? 0)
                )
                guard error.isRetryable, loop.now + delay < deadline else { throw error }
                do { try await loop.sleep(for: delay) } catch { throw .closed }
            }
        }
    }
}

extension ReplyText {
    /// The reply, or that it is malformed.
    fileprivate func read<Reply: Decodable>() -> Result<Reply, ChatClientError> {
        do {
            return .success(try decode(as: Reply.self))
        } catch {
            return .failure(.malformed(DecodingError.reason(of: error)))
        }
    }
}

extension ChatClientError {
    /// The delay that the server asks for.
    var retryAfterSeconds: Double? {
        if case .refused(let error) = self { error.retryAfter } else { nil }
    }
}

extension LoopPromise where Failure == ChatClientError {
    /// Waits for the result, at most for `limit`.
    func value(within limit: Duration, on loop: EventLoop) async throws(ChatClientError) -> Success
    {
        let timer = loop.schedule(after: limit) { self.fail(.timedOut) }
        defer { timer.cancel() }
        return try await value { self.fail(.closed) }
    }
}
