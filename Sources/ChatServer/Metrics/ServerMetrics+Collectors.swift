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
                + Self.models(server.dispatcher.pool)
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
                    .postgresConnections,
                    [
                        .init([("state", "open")], pool.openCount),
                        .init([("state", "used")], pool.usedCount),
                    ]
                ),
                MetricFamily(.postgresWaiting, pool.waitingCount),
                MetricFamily(.postgresDiskFull, pool.isDiskFull ? 1 : 0),
                MetricFamily(.statementTimes, pool.statementTimes),
                MetricFamily(.transactionTimes, pool.transactionTimes),
            ]
        }
    }

    // MARK: Parts

    private static func process(_ server: Server) -> [MetricFamily] {
        [
            MetricFamily(.buildInfo, [.init([("version", Server.version)], 1)]),
            MetricFamily(.startTime, Int(server.startedAt.milliseconds / 1000)),
        ]
    }

    /// The first loop has no label; the others are numbered.
    private static func lag(_ first: Histogram, _ others: [Histogram]) -> MetricFamily {
        var samples = [MetricFamily.Sample([], .histogram(first))]
        for (index, times) in others.enumerated() {
            samples.append(.init([("loop", "\(index + 1)")], .histogram(times)))
        }
        return MetricFamily(.loopLag, samples)
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
            MetricFamily(.connections, states),
            MetricFamily(.connectionsAccepted, figures.acceptedCount),
            MetricFamily(.handshakeTimes, figures.handshakeTimes),
            MetricFamily(.handshakesResumed, figures.resumedCount),
            MetricFamily(.handshakesFailed, figures.handshakeFailureCount),
        ]
    }

    private static func traffic(
        _ figures: TrafficFigures,
        _ metrics: ServerMetrics
    ) -> [MetricFamily] {
        let sockets = metrics.sockets
        return [
            MetricFamily(.receivedBytes, figures.byteCountReceived),
            MetricFamily(.sentBytes, figures.byteCountSent),
            MetricFamily(.sendsBatched, figures.batchedSendCount),
            MetricFamily(.unsentBytes, metrics.unsentByteCount),
            MetricFamily(
                .unsentOverflows,
                sockets.frames.overflowCount + metrics.overflowCountOfHTTP
            ),
            MetricFamily(
                .webSocketMessages,
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
                .controlFrames,
                [
                    sample("in", "ping", figures.pingsReceived),
                    sample("in", "pong", figures.pongsReceived),
                    sample("in", "close", figures.closesReceived),
                    sample("out", "ping", figures.pingsSent),
                    sample("out", "pong", figures.pongsSent),
                    sample("out", "close", figures.closesSent),
                ]
            ),
            MetricFamily(.webSocketCloses, ends(figures)),
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
            MetricFamily(.hubConversations, hub.channelCount),
            MetricFamily(.hubWatches, hub.figures.watchCount),
            MetricFamily(.deltasSent, hub.figures.deltasSent),
            MetricFamily(
                .deltasMerged,
                [
                    .init([("cause", "interval")], hub.figures.deltasMergedInTime),
                    .init([("cause", "slow_reader")], hub.figures.deltasMergedForSlowReaders),
                ]
            ),
            MetricFamily(.lagged, hub.figures.laggedCount),
        ]
    }

    private static func answers(_ dispatcher: RunDispatcher) -> [MetricFamily] {
        let queue = dispatcher.queue.mirror.queue
        let figures = dispatcher.figures
        return [
            MetricFamily(
                .queueAnswers,
                [
                    .init([("state", "waiting")], queue.waiting.count),
                    .init([("state", "running")], queue.running.count),
                ]
            ),
            MetricFamily(.answersRunning, dispatcher.runs.generatingCount),
            MetricFamily(
                .answersEnded,
                [
                    .init([("outcome", "finished")], figures.finishedCount),
                    .init([("outcome", "failed")], figures.failedCount),
                ]
            ),
            MetricFamily(
                .tokens,
                [
                    .init([("kind", "prompt")], figures.promptTokenCount),
                    .init([("kind", "cached")], figures.cachedTokenCount),
                    .init([("kind", "answer")], figures.answerTokenCount),
                ]
            ),
            MetricFamily(
                .draftTokens,
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
