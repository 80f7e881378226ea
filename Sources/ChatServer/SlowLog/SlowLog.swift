// Logs operations and statements that took longer than a limit, and how PostgreSQL executes the
// statements. Parameters, which may be what people wrote, are in none of it.

import EventLoop
import Logging
import Postgres

/// The log of slow operations and statements of a server. Lives on its loop.
final class SlowLog {
    /// Maximum lines in a second; others are counted.
    private static let lineCountMax = 20
    /// Time between two plans, each of which takes a connection, and between two of a statement.
    private static let planPauses = (any: Duration.seconds(1), same: Duration.seconds(60))

    private let limit: Duration
    private let loop: EventLoop
    private let plans: StatementPlans
    private let logger: Logger
    private var second: ContinuousClock.Instant
    private var lineCount = 0
    /// Lines that were left out since the last one.
    private var omittedCount = 0
    private var nextPlan: ContinuousClock.Instant
    /// When a plan was last asked for, by the statement's name: there are as many as functions.
    private var planTimes: [String: ContinuousClock.Instant] = [:]

    /// - Parameters:
    ///   - limit: what takes longer is logged.
    ///   - loop: the loop that it runs on.
    ///   - plans: asks for plans.
    ///   - logger: gets the lines.
    init(limit: Duration, loop: EventLoop, plans: StatementPlans, logger: Logger) {
        self.limit = limit
        self.loop = loop
        self.plans = plans
        self.logger = logger
        second = loop.now
        nextPlan = loop.now
    }

    /// Logs the statements of a pool; nil if the settings want no slow log.
    convenience init?(
        _ settings: ServerSettings,
        _ pool: PostgresPool,
        _ configuration: PostgresConfiguration,
        loop: EventLoop,
        logger: Logger
    ) {
        guard settings.slowLogLimit > .zero else { return nil }
        self.init(
            limit: settings.slowLogLimit,
            loop: loop,
            plans: StatementPlans(loop: loop, configuration: configuration),
            logger: logger
        )
        pool.onStatement = { [weak self] in self?.note($0) }
    }

    // MARK: Operations

    /// Runs an operation, and logs it if it was slow.
    /// - Parameters:
    ///   - name: the operation, or the route with its method.
    ///   - request: its name in the log.
    ///   - body: the operation.
    /// - Returns: what `body` returns.
    func watch<Value>(
        _ name: String,
        _ request: RequestID,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let parts = OperationParts(request)
        let begin = loop.now
        defer {
            let figures = parts.end()
            let duration = loop.now - begin
            if duration >= limit { log(name, request, duration, figures) }
        }
        return try await OperationParts.$current.withValue(parts) { try await body() }
    }

    private func log(
        _ name: String,
        _ request: RequestID,
        _ duration: Duration,
        _ figures: OperationParts.Figures
    ) {
        var fields: Logger.Metadata = [
            "operation": "\(name)", "request": "\(request)",
            "milliseconds": "\(Self.milliseconds(duration))",
            "statements": "\(figures.count)",
            "statement_milliseconds": "\(Self.milliseconds(figures.execution))",
            "wait_milliseconds": "\(Self.milliseconds(figures.wait))",
        ]
        if let slowest = figures.slowest {
            fields["slowest_statement"] = "\(slowest.name)"
            fields["slowest_milliseconds"] = "\(Self.milliseconds(slowest.execution))"
        }
        log("slow operation", fields)
    }

    // MARK: Statements

    /// Notes the end of a statement.
    private func note(_ statement: TimedStatement) {
        let parts = OperationParts.current
        parts?.add(statement)
        guard statement.wait + statement.execution >= limit else { return }
        var fields: Logger.Metadata = [
            "statement": "\(statement.nameText)",
            "milliseconds": "\(Self.milliseconds(statement.execution))",
            "wait_milliseconds": "\(Self.milliseconds(statement.wait))",
        ]
        if let request = parts?.request { fields["request"] = "\(request)" }
        log("slow statement", fields)
        // One that only waited has no plan to blame.
        if statement.execution >= limit { logPlan(of: statement) }
    }

    private func logPlan(of statement: TimedStatement) {
        let (name, now) = (statement.nameText, loop.now)
        let isRecent = planTimes[name].map { now - $0 < Self.planPauses.same } ?? false
        guard now >= nextPlan, !isRecent else { return }
        nextPlan = now + Self.planPauses.any
        planTimes[name] = now
        loop.spawn { [self] in
            // The error could quote a parameter.
            guard let plan = try? await plans.plan(of: statement) else { return }
            log(
                "plan of slow statement",
                ["statement": "\(name)", "plan": "\(plan)"]
            )
        }
    }

    // MARK: Lines

    private func log(_ message: Logger.Message, _ fields: Logger.Metadata) {
        if loop.now - second >= .seconds(1) { (second, lineCount) = (loop.now, 0) }
        guard lineCount < Self.lineCountMax else {
            omittedCount += 1
            return
        }
        lineCount += 1
        var fields = fields
        if omittedCount > 0 { fields["omitted_lines"] = "\(omittedCount)" }
        omittedCount = 0
        logger.notice(message, metadata: fields)
    }

    private static func milliseconds(_ duration: Duration) -> Int { Int(duration.milliseconds) }
}

extension TimedStatement {
    /// The name for the log.
    fileprivate var nameText: String { name.map { "\($0)" } ?? "unnamed" }
}
