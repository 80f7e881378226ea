// Shutdown: gracefully after the first signal, at once after the third.

import EventLoop
import Glibc
import Inference
import Logging
import Postgres

extension ServerHost {
    /// How much longer than the drain period shutdown may take before the process ends regardless.
    private static let endingMax: Duration = .seconds(10)
    /// Maximum part of the drain period for closing connections.
    private static let closingMax: Duration = .seconds(3)

    /// The phase of shutdown.
    enum Phase {
        case serving
        /// Replies are sent, and running answers continue for a while.
        case draining
        /// Leases are being released, or were; only connections are left to close.
        case leaving
    }

    /// How long releasing the leases may take after the second signal.
    private static let leavingMax: Duration = .seconds(2)

    var isStopping: Bool { phase != .serving }

    /// Handles a signal to stop: the first lets replies and answers finish, the second releases the
    /// leases and ends the process, a third ends it at once.
    func stop() {
        switch phase {
        case .serving: drain()
        case .draining: leave()
        case .leaving: exit(EXIT_FAILURE)
        }
    }

    /// Releases the leases, so that other nodes, or this one after a restart, resume the answers at
    /// once, and ends the process. If the database does not respond in time, the leases expire.
    private func leave() {
        phase = .leaving
        logger.warning("second signal; releasing leases before exit")
        loop.schedule(after: Self.leavingMax) { [logger] in
            logger.error("leases not released in time; they will expire")
            exit(EXIT_FAILURE)
        }
        loop.spawn { [self] in
            await server.dispatcher.release()
            await server.nodes.stop()
            exit(EXIT_FAILURE)
        }
    }

    /// Accepts no more connections, lets replies and answers finish, closes connections, and ends
    /// the loop.
    private func drain() {
        phase = .draining
        let period = settings.drainPeriod
        logger.notice("shutting down")
        manager.stopping(within: period + Self.endingMax)
        listeners?.close()
        server.beginDraining()
        lifeCycle.stop()
        server.pulls?.stop()
        loop.schedule(after: period + Self.endingMax) { [logger] in
            logger.error("shutdown took too long; other nodes take over unfinished runs")
            exit(EXIT_FAILURE)
        }
        loop.spawn { [self] in
            let closing = min(period / 4, Self.closingMax)
            let lastAnswer = loop.now + (period - closing)
            await server.dispatcher.drain(within: period - closing)
            phase = .leaving
            await wait(until: lastAnswer) { !server.isAnswering }
            let deadline = loop.now + closing
            // A few clients are closed at once; many are spread, so that they do not reconnect at
            // once.
            let spread = min(closing / 2, Duration.milliseconds(2) * server.connectionCount)
            await server.drain(over: spread)
            await wait(until: deadline) { server.connectionCount == 0 }
            await end()
        }
    }

    /// Waits for a condition, until a deadline.
    private func wait(
        until deadline: ContinuousClock.Instant,
        for condition: () -> Bool
    ) async {
        while !condition(), loop.now < deadline {
            do { try await loop.sleep(for: .milliseconds(10)) } catch { return }
        }
    }

    /// Ends everything after the last client.
    private func end() async {
        let shutDown = server.dispatcher.pool?.shutDown
        try? await workers.run { [pages = server.pages] in
            shutDown?()
            pages?.close()
        }
        await server.signIns.stop()
        await server.nodes.stop()
        await exporter?.stop()
        await postgres.close()
        if let others = listeners?.stopOthers(), !others.isEmpty {
            try? await workers.run { for thread in others { thread.join() } }
        }
        loop.stop()
    }
}
