// Metrics of the process, its connections, requests and subscribers. A test compares the names, types
// and labels with those that a server returns.

package import Instruments

extension MetricDefinition {
    /// All metrics of a server, in the order of the reference.
    package static let all: [MetricDefinition] = [
        .buildInfo, .startTime, .loopLag,
        .connections, .connectionsAccepted, .handshakeTimes, .handshakesResumed, .handshakesFailed,
        .receivedBytes, .sentBytes, .sendsBatched, .unsentBytes, .unsentOverflows,
        .webSocketMessages,
        .controlFrames, .webSocketCloses,
        .requests, .requestTimes, .responses, .errors, .traceSpans,
        .hubConversations, .hubWatches, .deltasSent, .deltasMerged, .lagged,
        .queueAnswers, .answersRunning, .answersEnded, .engineAvailable, .engineRunning,
        .engineRequests, .tokens, .draftTokens,
        .modelMemory, .modelMemoryLimit, .modelLoads, .computeThreads, .computeTime,
        .postgresConnections, .postgresWaiting, .postgresDiskFull, .statementTimes,
        .transactionTimes,
    ]

    // MARK: Process

    static let buildInfo = MetricDefinition(
        .gauge,
        "stoa_build_info",
        unit: "",
        .init("version", "the server's version"),
        meaning: "1, with the version that runs"
    )

    static let startTime = MetricDefinition(
        .gauge,
        "process_start_time_seconds",
        unit: "seconds",
        meaning: "start time of the process, Unix time"
    )

    static let loopLag = MetricDefinition(
        .histogram,
        "stoa_loop_lag_seconds",
        unit: "seconds",
        .init("loop", "the number of another loop, with `--loops`; none for the first one"),
        meaning: "duration of one turn of the event loop: how long anything that becomes"
            + " ready meanwhile has to wait"
    )

    // MARK: Connections

    static let connections = MetricDefinition(
        .gauge,
        "stoa_connections",
        unit: "connections",
        .init(
            "state",
            "`handshake` (TLS), `http`, `opening` (a WebSocket that is not authenticated"
                + " yet), `signed_in`, `reader` (by a read-only link)"
        ),
        meaning: "open connections"
    )

    static let connectionsAccepted = MetricDefinition(
        .counter,
        "stoa_connections_accepted_total",
        unit: "connections",
        meaning: "accepted connections"
    )

    static let handshakeTimes = MetricDefinition(
        .histogram,
        "stoa_tls_handshake_seconds",
        unit: "seconds",
        meaning: "from accepting a connection to the end of its TLS handshake, including"
            + " the network"
    )

    static let handshakesResumed = MetricDefinition(
        .counter,
        "stoa_tls_resumptions_total",
        unit: "handshakes",
        meaning: "TLS handshakes that resumed an earlier session"
    )

    static let handshakesFailed = MetricDefinition(
        .counter,
        "stoa_tls_handshake_failures_total",
        unit: "connections",
        meaning: "connections that ended before their TLS handshake did"
    )

    static let receivedBytes = MetricDefinition(
        .counter,
        "stoa_received_bytes_total",
        unit: "bytes",
        meaning: "bytes from clients on the network"
    )

    static let sentBytes = MetricDefinition(
        .counter,
        "stoa_sent_bytes_total",
        unit: "bytes",
        meaning: "bytes to clients on the network"
    )

    static let sendsBatched = MetricDefinition(
        .counter,
        "stoa_sends_batched_total",
        unit: "sends",
        meaning: "sends to clients that were handed to the system together with others, by"
            + " io_uring"
    )

    static let unsentBytes = MetricDefinition(
        .gauge,
        "stoa_unsent_bytes",
        unit: "bytes",
        meaning: "bytes buffered for clients that have not read what was sent before"
    )

    static let unsentOverflows = MetricDefinition(
        .counter,
        "stoa_unsent_overflows_total",
        unit: "connections",
        meaning: "connections closed because more than 8 MiB would have been buffered for them"
    )

    static let webSocketMessages = MetricDefinition(
        .counter,
        "stoa_websocket_messages_total",
        unit: "messages",
        .init("direction", "requests (`in`); replies and events (`out`, counted per client)"),
        meaning: "WebSocket messages from and to clients"
    )

    static let controlFrames = MetricDefinition(
        .counter,
        "stoa_websocket_control_frames_total",
        unit: "frames",
        .init("direction", "`in` from clients, `out` to them"),
        .init("kind", "`ping`, `pong` or `close`"),
        meaning: "control frames of WebSockets"
    )

    static let webSocketCloses = MetricDefinition(
        .counter,
        "stoa_websocket_closes_total",
        unit: "WebSockets",
        .init("by", "who closed first: `server`, `client`, or `nobody` for a lost connection"),
        .init(
            "code",
            "the close code; 1005 for a client that gave none, 1006 for a lost"
                + " connection, `other` from 3000 on"
        ),
        meaning: "closed WebSockets. 1002, 1007 and 1009 by the server are violations of"
            + " RFC 6455 or 7692, or of a limit"
    )

    // MARK: Requests

    static let requests = MetricDefinition(
        .counter,
        "stoa_requests_total",
        unit: "requests",
        .init("operation", "the operation's name"),
        meaning: "WebSocket requests that were answered, with success or an error"
    )

    static let requestTimes = MetricDefinition(
        .histogram,
        "stoa_request_seconds",
        unit: "seconds",
        meaning: "time to answer them"
    )

    static let responses = MetricDefinition(
        .counter,
        "stoa_http_responses_total",
        unit: "responses",
        .init("status", "the HTTP status"),
        meaning: "HTTP responses"
    )

    static let errors = MetricDefinition(
        .counter,
        "stoa_errors_total",
        unit: "replies",
        .init("code", "the error code"),
        meaning: "error replies over WebSocket and HTTP"
    )

    static let traceSpans = MetricDefinition(
        .counter,
        "stoa_trace_spans_total",
        unit: "spans",
        .init(
            "outcome",
            "`sent`; `failed`: the collector refused them, or did not get them;"
                + " `dropped`: too many waited"
        ),
        meaning: "spans of traces"
    )

    // MARK: Subscribers

    static let hubConversations = MetricDefinition(
        .gauge,
        "stoa_hub_conversations",
        unit: "conversations",
        meaning: "conversations with subscribers or a running generation"
    )

    static let hubWatches = MetricDefinition(
        .gauge,
        "stoa_hub_watches",
        unit: "subscriptions",
        meaning: "subscriptions of connections to conversations"
    )

    static let deltasSent = MetricDefinition(
        .counter,
        "stoa_deltas_sent_total",
        unit: "deltas",
        meaning: "pieces of partial responses that were sent to a subscriber"
    )

    static let deltasMerged = MetricDefinition(
        .counter,
        "stoa_deltas_merged_total",
        unit: "deltas",
        .init("cause", "within 25 ms (`interval`), or for a slow consumer (`slow_reader`)"),
        meaning: "pieces that were merged with others"
    )

    static let lagged = MetricDefinition(
        .counter,
        "stoa_lagged_total",
        unit: "subscriptions",
        meaning: "subscriptions that ended because the consumer was too slow"
    )
}
