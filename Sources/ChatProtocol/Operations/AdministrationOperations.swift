// Operations on the whole server, for administrators: runs, audit log, status.

extension Operation {
    /// Lists everyone's queued and running answers.
    public static var runList: Operation<RunListRequest, RunListReply> {
        .init(
            "run.list",
            requires: .server(.manageRuns),
            scope: .administer,
            takes: "`cursor?`, `limit?` (1-200, default 50)",
            replies: """
                `{runs:[{conversation, message, user, team?, model, state, priority?, queued_at, \
                position?, node?}], cursor?}`: everyone's queued and running answers, without \
                texts
                """,
            examples: [RunListRequest(cursor: "0.812", limit: 50)]
        )
    }

    /// Stops anyone's answer.
    public static var runStop: Operation<RunStopRequest, GenerationStopReply> {
        .init(
            "run.stop",
            requires: .server(.manageRuns),
            scope: .administer,
            takes: "`message`",
            replies: "`{state}`; stops anyone's answer; idempotent",
            examples: [RunStopRequest(message: .example(2))]
        )
    }

    /// Lists entries of the audit log.
    public static var auditList: Operation<AuditListRequest, AuditListReply> {
        .init(
            "audit.list",
            requires: .server(.audit),
            scope: .administer,
            takes: """
                `cursor?`, `limit?`, `actor?` (a name, or an id), `action?` (`user.disabled`, or \
                `user` for all that begin with `user.`), `team?`, `from?`, `to?`
                """,
            replies: "`{entries, cursor?}`, the newest first",
            examples: [
                AuditListRequest(
                    cursor: "4711",
                    limit: 50,
                    actor: "ann",
                    action: "user.disabled",
                    team: .example(10),
                    from: Timestamp(milliseconds: 1_795_253_400_000),
                    to: Timestamp(milliseconds: 1_795_339_800_000)
                )
            ]
        )
    }

    /// Lists what was done in a team.
    public static var teamAudit: Operation<TeamAuditRequest, AuditListReply> {
        .init(
            "team.audit",
            requires: .team(.audit),
            scope: .read,
            takes: """
                `team`, `cursor?`, `limit?`, `actor?`, `action?`, `from?`, `to?`, as `audit.list`
                """,
            replies: "`{entries, cursor?}`: what was done in the team",
            examples: [
                TeamAuditRequest(
                    team: .example(10),
                    cursor: "4711",
                    limit: 50,
                    actor: "ann",
                    action: "team",
                    from: Timestamp(milliseconds: 1_795_253_400_000),
                    to: Timestamp(milliseconds: 1_795_339_800_000)
                )
            ]
        )
    }

    /// Describes the server: nodes, models, queue, database.
    public static var serverStatus: Operation<EmptyRequest, ServerStatusReply> {
        .init(
            "server.status",
            requires: .server(.manageRuns),
            scope: .administer,
            replies: "`{version, time, nodes, models, queue, connections, database, load?}`",
            examples: [EmptyRequest()]
        )
    }

    /// Examines the server, as `stoa doctor` does.
    public static var serverDoctor: Operation<EmptyRequest, ServerDoctorReply> {
        .init(
            "server.doctor",
            requires: .server(.manageRuns),
            scope: .administer,
            replies: """
                `{verdict, checks:[{area, name, verdict, found, found_code?, advice?, \
                advice_code?}]}`: what [`stoa doctor`](../run/administration.md#stoa-doctor) finds \
                on the node that was asked, at most ten seconds old
                """,
            examples: [EmptyRequest()]
        )
    }
}

extension OperationDefinition {
    static let administration: [OperationDefinition] = [
        .init(.runList),
        .init(.runStop),
        .init(.auditList),
        .init(.teamAudit),
        .init(.serverStatus),
        .init(.serverDoctor),
    ]
}

// MARK: Requests and replies

/// `run.list`: pages of all queued and running answers, by priority, then in the order of their
/// requests.
public struct RunListRequest: Codable, Sendable {
    /// The cursor of the previous page's reply; nil for the first page.
    public var cursor: String?
    /// Maximum number of entries.
    public var limit: Int?

    /// Creates a request.
    public init(cursor: String? = nil, limit: Int? = nil) {
        self.cursor = cursor
        self.limit = limit
    }
}

/// The reply of `run.list`.
public struct RunListReply: Codable, Sendable {
    /// The page.
    public var runs: [ServerRun]
    /// The cursor of the next page; nil if there is none.
    public var cursor: String?

    /// Creates a reply.
    public init(runs: [ServerRun], cursor: String? = nil) {
        self.runs = runs
        self.cursor = cursor
    }
}

/// `run.stop`: stops any user's answer, which keeps its text so far.
public struct RunStopRequest: Codable, Sendable {
    /// The answer.
    public var message: MessageID

    /// Creates a request.
    public init(message: MessageID) {
        self.message = message
    }
}

/// `audit.list`: pages of the audit log, newest first.
public struct AuditListRequest: Codable, Sendable {
    /// The cursor of the previous page's reply; nil for the first page.
    public var cursor: String?
    /// Maximum number of entries.
    public var limit: Int?
    /// Only entries of this user, by name or id.
    public var actor: String?
    /// Only these actions: "user.disabled", or "user" for all that begin with "user.".
    public var action: String?
    /// Only entries of this team.
    public var team: TeamID?
    /// Only entries of this time or later.
    public var from: Timestamp?
    /// Only entries before this time.
    public var to: Timestamp?

    /// Creates a request.
    public init(
        cursor: String? = nil,
        limit: Int? = nil,
        actor: String? = nil,
        action: String? = nil,
        team: TeamID? = nil,
        from: Timestamp? = nil,
        to: Timestamp? = nil
    ) {
        self.cursor = cursor
        self.limit = limit
        self.actor = actor
        self.action = action
        self.team = team
        self.from = from
        self.to = to
    }
}

/// `team.audit`: pages of the audit log of a team, newest first.
public struct TeamAuditRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// The cursor of the previous page's reply; nil for the first page.
    public var cursor: String?
    /// Maximum number of entries.
    public var limit: Int?
    /// Only entries of this user, by name or id.
    public var actor: String?
    /// Only these actions: "team.member_removed", or "team" for all that begin with "team.".
    public var action: String?
    /// Only entries of this time or later.
    public var from: Timestamp?
    /// Only entries before this time.
    public var to: Timestamp?

    /// Creates a request.
    public init(
        team: TeamID,
        cursor: String? = nil,
        limit: Int? = nil,
        actor: String? = nil,
        action: String? = nil,
        from: Timestamp? = nil,
        to: Timestamp? = nil
    ) {
        self.team = team
        self.cursor = cursor
        self.limit = limit
        self.actor = actor
        self.action = action
        self.from = from
        self.to = to
    }
}

extension AuditListRequest {
    /// Creates the same filter for the whole audit log.
    public init(_ request: TeamAuditRequest) {
        self.init(
            cursor: request.cursor,
            limit: request.limit,
            actor: request.actor,
            action: request.action,
            team: request.team,
            from: request.from,
            to: request.to
        )
    }
}

/// The reply of `audit.list` and `team.audit`.
public struct AuditListReply: Codable, Sendable {
    /// The page.
    public var entries: [AuditEntry]
    /// The cursor of the next page; nil if there is none.
    public var cursor: String?

    /// Creates a reply.
    public init(entries: [AuditEntry], cursor: String? = nil) {
        self.entries = entries
        self.cursor = cursor
    }
}

/// The reply of `server.status`.
public struct ServerStatusReply: Codable, Sendable {
    /// The version of the node that was asked.
    public var version: String
    /// Its time.
    public var time: Timestamp
    /// The live nodes; only the node that was asked, if the database is unavailable.
    public var nodes: [NodeStatus]
    /// The models of the node that was asked, the default first.
    public var models: [Model]
    /// The queued and running answers.
    public var queue: QueueStatus
    /// Number of connections of the node that was asked.
    public var connections: Int
    /// The database.
    public var database: DatabaseStatus
    /// The load of the node that was asked; nil just after its start.
    public var load: ServerLoad?

    /// Creates a reply.
    public init(
        version: String,
        time: Timestamp,
        nodes: [NodeStatus],
        models: [Model],
        queue: QueueStatus,
        connections: Int,
        database: DatabaseStatus,
        load: ServerLoad? = nil
    ) {
        self.version = version
        self.time = time
        self.nodes = nodes
        self.models = models
        self.queue = queue
        self.connections = connections
        self.database = database
        self.load = load
    }
}

/// The reply of `server.doctor`.
public struct ServerDoctorReply: Codable, Sendable {
    /// The worst verdict.
    public var verdict: ServerCheck.Verdict
    /// The checks, dependencies first.
    public var checks: [ServerCheck]

    /// Creates a reply.
    public init(verdict: ServerCheck.Verdict, checks: [ServerCheck]) {
        self.verdict = verdict
        self.checks = checks
    }
}
