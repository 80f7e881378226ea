// Collectors for each part of a server. docs/reference/metrics.md lists the names; a test compares
// them.

import ChatCore
import ChatProtocol
import EventLoop
import Gateway
import Instruments
import Networking
import Postgres
import WebSocketProtocol

extension ServerMetrics {
    /// Collects the figures of the server itself. The server owns these metrics.
    func collect(_ server: Server) {
        collect { [unowned server] in
            Self.process(server) + Self.hub(server.hub) + Self.answers(server.dispatcher)
                + Self.remoteEngines(server.dispatcher.pool)
        }
    }

    /// Collects the figures of listeners, their connections, and the loops.
    func collect(_ listeners: ServerListeners, of server: Server) {
        refresh = { [unowned server] in
            await listeners.refreshFigures()
            server.metrics.unsentByteCount = await server.unsentByteCount()
        }
        collect { [unowned server] in
            let traffic = listeners.traffic
            return [Self.lag(server.loop.turnTimes, listeners.turnTimesOfOthers)]
                + Self.connections(traffic, server)
                + Self.traffic(traffic, server.metrics)
                + Self.frames(server.metrics.sockets.frames)
        }
    }

    /// Collects the figures of the PostgreSQL pool.
    func collect(_ pool: PostgresPool) {
        collect {
            [
                MetricFamily(
                    .gauge,
                    "stoa_postgres_connections",
                    "Open connections to PostgreSQL, and those of them in use.",
                    [
                        .init([("state", "open")], pool.openCount),
                        .init([("state", "used")], pool.usedCount),
                    ]
                ),
                .gauge(
                    "stoa_postgres_waiting",
                    "Statements and transactions that wait for a connection.",
                    pool.waitingCount
                ),
                .gauge(
                    "stoa_postgres_disk_full",
                    "1 while PostgreSQL's disk is full, so that tables cannot grow.",
                    pool.isDiskFull ? 1 : 0
                ),
                .histogram(
                    "stoa_postgres_statement_seconds",
                    "Duration of single statements, including the wait for a connection.",
                    pool.statementTimes
                ),
                .histogram(
                    "stoa_postgres_transaction_seconds",
                    "Duration of transactions, including the wait for a connection.",
                    pool.transactionTimes
                ),
            ]
        }
    }

    // MARK: Parts

    private static func process(_ server: Server) -> [MetricFamily] {
        [
            MetricFamily(
                .gauge,
                "stoa_build_info",
                "Version of the server.",
                [.init([("version", Server.version)], 1)]
            ),
            .gauge(
                "process_start_time_seconds",
                "Start time of the process, in seconds since 1970.",
                Int(server.startedAt.milliseconds / 1000)
            ),
        ]
    }

    /// The first loop has no label; the others are numbered.
    private static func lag(_ first: Histogram, _ others: [Histogram]) -> MetricFamily {
        var samples = [MetricFamily.Sample([], .histogram(first))]
        for (index, times) in others.enumerated() {
            samples.append(.init([("loop", "\(index + 1)")], .histogram(times)))
        }
        return MetricFamily(
            .histogram,
            "stoa_loop_lag_seconds",
            "Duration of one turn of the event loop.",
            samples
        )
    }

    private static func connections(
        _ figures: TrafficFigures,
        _ server: Server
    ) -> [MetricFamily] {
        let sockets = server.metrics.sockets
        let handshakes = figures.handshakesUnderWay
        let http = max(0, server.connectionCount - sockets.total - handshakes)
        var states: [MetricFamily.Sample] = [
            .init([("state", "handshake")], handshakes), .init([("state", "http")], http),
        ]
        for phase in SocketFigures.Phase.allCases {
            states.append(.init([("state", phase.rawValue)], sockets.count[phase] ?? 0))
        }
        return [
            MetricFamily(
                .gauge,
                "stoa_connections",
                "Open connections by state.",
                states
            ),
            .counter(
                "stoa_connections_accepted_total",
                "Accepted connections.",
                figures.acceptedCount
            ),
            .histogram(
                "stoa_tls_handshake_seconds",
                "From accepting a connection to the end of its TLS handshake.",
                figures.handshakeTimes
            ),
            .counter(
                "stoa_tls_resumptions_total",
                "TLS handshakes that resumed an earlier session.",
                figures.resumedCount
            ),
            .counter(
                "stoa_tls_handshake_failures_total",
                "Connections that ended before their TLS handshake did.",
                figures.handshakeFailureCount
            ),
        ]
    }

    private static func traffic(
        _ figures: TrafficFigures,
        _ metrics: ServerMetrics
    ) -> [MetricFamily] {
        let sockets = metrics.sockets
        return [
            .counter(
                "stoa_received_bytes_total",
                "Bytes received from clients on the network.",
                figures.byteCountReceived
            ),
            .counter(
                "stoa_sent_bytes_total",
                "Bytes sent to clients on the network.",
                figures.byteCountSent
            ),
            .gauge(
                "stoa_unsent_bytes",
                "Bytes buffered for clients that have not read what was sent before.",
                metrics.unsentByteCount
            ),
            .counter(
                "stoa_unsent_overflows_total",
                "Connections closed because too many bytes would have been buffered.",
                sockets.frames.overflowCount + metrics.overflowCountOfHTTP
            ),
            MetricFamily(
                .counter,
                "stoa_websocket_messages_total",
                "WebSocket messages from and to clients.",
                [
                    .init([("direction", "in")], sockets.messagesReceived),
                    .init([("direction", "out")], sockets.messagesSent),
                ]
            ),
        ]
    }

    private static func frames(_ figures: WebSocketFigures) -> [MetricFamily] {
        func sample(_ direction: String, _ kind: String, _ count: Int) -> MetricFamily.Sample {
            .init([("direction", direction), ("kind", kind)], count)
        }
        return [
            MetricFamily(
                .counter,
                "stoa_websocket_control_frames_total",
                "Control frames from and to clients.",
                [
                    sample("in", "ping", figures.pingsReceived),
                    sample("in", "pong", figures.pongsReceived),
                    sample("in", "close", figures.closesReceived),
                    sample("out", "ping", figures.pingsSent),
                    sample("out", "pong", figures.pongsSent),
                    sample("out", "close", figures.closesSent),
                ]
            ),
            MetricFamily(
                .counter,
                "stoa_websocket_closes_total",
                "Closed WebSockets, by who closed first and by code.",
                ends(figures)
            ),
        ]
    }

    /// Close codes that every server reports from the start, as zero, so that the first one is
    /// visible as an increase.
    private static func ends(_ figures: WebSocketFigures) -> [MetricFamily.Sample] {
        let everywhere: [WebSocketEnd] = [
            WebSocketEnd(.here, .protocolError), WebSocketEnd(.here, .invalidPayload),
            WebSocketEnd(.here, .messageTooBig), WebSocketEnd(.peer, .normal),
            WebSocketEnd(.peer, .goingAway), WebSocketEnd(.peer, nil), .cutOff,
        ]
        var counts = figures.ends
        for end in everywhere { counts[end, default: 0] += 0 }
        let samples = counts.map { end, count -> (by: String, code: String, count: Int) in
            (label(of: end.side), end.code?.description ?? "other", count)
        }
        return samples.sorted { ($0.by, $0.code) < ($1.by, $1.code) }.map { sample in
            MetricFamily.Sample([("by", sample.by), ("code", sample.code)], sample.count)
        }
    }

    private static func label(of side: WebSocketEnd.Side) -> String {
        switch side {
        case .here: "server"
        case .peer: "client"
        case .neither: "nobody"
        }
    }

    private static func hub(_ hub: ConversationHub) -> [MetricFamily] {
        [
            .gauge(
                "stoa_hub_conversations",
                "Conversations with subscribers or a running answer.",
                hub.channelCount
            ),
            .gauge(
                "stoa_hub_watches",
                "Subscriptions of connections to conversations.",
                hub.figures.watchCount
            ),
            .counter(
                "stoa_deltas_sent_total",
                "Deltas of answers sent to subscribers.",
                hub.figures.deltasSent
            ),
            MetricFamily(
                .counter,
                "stoa_deltas_merged_total",
                "Deltas merged with others, by cause.",
                [
                    .init([("cause", "interval")], hub.figures.deltasMergedInTime),
                    .init([("cause", "slow_reader")], hub.figures.deltasMergedForSlowReaders),
                ]
            ),
            .counter(
                "stoa_lagged_total",
                "Subscriptions that ended because the consumer was too slow.",
                hub.figures.laggedCount
            ),
        ]
    }

    private static func answers(_ dispatcher: RunDispatcher) -> [MetricFamily] {
        let queue = dispatcher.queue.mirror.queue
        let figures = dispatcher.figures
        return [
            MetricFamily(
                .gauge,
                "stoa_queue_answers",
                "Answers in the queue of all nodes, as known to this node.",
                [
                    .init([("state", "waiting")], queue.waiting.count),
                    .init([("state", "running")], queue.running.count),
                ]
            ),
            .gauge(
                "stoa_answers_running",
                "Answers running on this node's engines.",
                dispatcher.runs.generatingCount
            ),
            MetricFamily(
                .counter,
                "stoa_answers_total",
                "Answers ended by this node's engines, by outcome.",
                [
                    .init([("outcome", "finished")], figures.finishedCount),
                    .init([("outcome", "failed")], figures.failedCount),
                ]
            ),
            MetricFamily(
                .counter,
                "stoa_tokens_total",
                "Tokens of prompts, those of them found in the cache, and tokens of answers.",
                [
                    .init([("kind", "prompt")], figures.promptTokenCount),
                    .init([("kind", "cached")], figures.cachedTokenCount),
                    .init([("kind", "answer")], figures.answerTokenCount),
                ]
            ),
            MetricFamily(
                .counter,
                "stoa_draft_tokens_total",
                "Tokens computed speculatively, by outcome.",
                [
                    .init([("outcome", "accepted")], figures.acceptedTokenCount),
                    .init(
                        [("outcome", "rejected")],
                        figures.draftedTokenCount - figures.acceptedTokenCount
                    ),
                ]
            ),
        ]
    }
}
