// The server's end: in order after the first signal, at once after the third.

import EventLoop
import Glibc
import Inference
import Logging
import Postgres

extension ServerHost {
    /// How much longer than the drain period the end may take: then the process ends all the same.
    private static let endingMax: Duration = .seconds(10)
    /// How much of the drain period is for goodbyes, at most.
    private static let goodbyeMax: Duration = .seconds(3)

    /// How far the server is on its way down.
    enum Phase {
        case serving
        /// Replies are sent, and growing answers go on for a while.
        case draining
        /// Leases are released, or about to be; what is left are goodbyes.
        case leaving
    }

    /// How long the release of leases may take once the server was asked a second time.
    private static let leavingMax: Duration = .seconds(2)

    var isStopping: Bool { phase != .serving }

    /// A signal to stop: the first lets replies and answers finish, the second releases the leases of
    /// answers and ends the process, a third ends it at once.
    func stop() {
        switch phase {
        case .serving: drain()
        case .draining: leave()
        case .leaving: exit(EXIT_FAILURE)
        }
    }

    /// Releases the leases, so that other nodes, or this one's next life, go on with the answers at once,
    /// and ends the process. Where the database does not let it in time, the leases expire by themselves.
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

    /// Takes no more, lets replies and answers finish, says goodbye, and ends the loop.
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
            let goodbye = min(period / 4, Self.goodbyeMax)
            let lastAnswer = loop.now + (period - goodbye)
            await server.dispatcher.drain(within: period - goodbye)
            phase = .leaving
            await wait(until: lastAnswer) { !server.isAnswering }
            let lastGoodbye = loop.now + goodbye
            // A few are told at once; a crowd comes back as a crowd otherwise.
            let spread = min(goodbye / 2, Duration.milliseconds(2) * server.connectionCount)
            await server.drain(over: spread)
            await wait(until: lastGoodbye) { server.connectionCount == 0 }
            await end()
        }
    }

    /// Waits for a condition, but not past a deadline.
    private func wait(
        until deadline: ContinuousClock.Instant,
        for condition: () -> Bool
    ) async {
        while !condition(), loop.now < deadline {
            do { try await loop.sleep(for: .milliseconds(10)) } catch { return }
        }
    }

    /// Ends what has no client any more.
    private func end() async {
        let shutDown = server.dispatcher.pool?.shutDown
        try? await workers.run { [pages = server.pages] in
            shutDown?()
            pages?.close()
        }
        await server.signIns.stop()
        await server.nodes.stop()
        await postgres.close()
        if let others = listeners?.stopOthers(), !others.isEmpty {
            try? await workers.run { for thread in others { thread.join() } }
        }
        loop.stop()
    }
}
