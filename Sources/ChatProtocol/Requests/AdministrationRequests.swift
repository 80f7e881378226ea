// What the operations for administrators take and answer.

/// `run.list`: pages of all answers that wait or grow, in the order of asking inside each priority.
public struct RunListRequest: Codable, Sendable {
    /// Where the page before ended; nil for the first.
    public var cursor: String?
    /// How many at most.
    public var limit: Int?

    /// Puts a request together.
    public init(cursor: String? = nil, limit: Int? = nil) {
        self.cursor = cursor
        self.limit = limit
    }
}

/// The reply of `run.list`.
public struct RunListReply: Codable, Sendable {
    /// The page.
    public var runs: [ServerRun]
    /// Where the next page begins; nil where there is none.
    public var cursor: String?

    /// Puts a reply together.
    public init(runs: [ServerRun], cursor: String? = nil) {
        self.runs = runs
        self.cursor = cursor
    }
}

/// `run.stop`: ends an answer of anybody's. What it has of text stays.
public struct RunStopRequest: Codable, Sendable {
    /// The answer.
    public var message: MessageID

    /// Puts a request together.
    public init(message: MessageID) {
        self.message = message
    }
}

/// `audit.list`: pages of the audit log, the newest first.
public struct AuditListRequest: Codable, Sendable {
    /// Where the page before ended; nil for the first.
    public var cursor: String?
    /// How many at most.
    public var limit: Int?
    /// Only what this user did: a name, or an id.
    public var actor: String?
    /// Only these acts: "user.disabled", or "user" for all that begin with "user.".
    public var action: String?
    /// Only what was done in this team.
    public var team: TeamID?
    /// Only what was done then or later.
    public var from: Timestamp?
    /// Only what was done before.
    public var to: Timestamp?

    /// Puts a request together.
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

/// `team.audit`: pages of what was done in a team, the newest first.
public struct TeamAuditRequest: Codable, Sendable {
    /// Which team.
    public var team: TeamID
    /// Where the page before ended; nil for the first.
    public var cursor: String?
    /// How many at most.
    public var limit: Int?
    /// Only what this user did: a name, or an id.
    public var actor: String?
    /// Only these acts: "team.member_removed", or "team" for all that begin with "team.".
    public var action: String?
    /// Only what was done then or later.
    public var from: Timestamp?
    /// Only what was done before.
    public var to: Timestamp?

    /// Puts a request together.
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
    /// The same of all of the log.
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
    /// Where the next page begins; nil where there is none.
    public var cursor: String?

    /// Puts a reply together.
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
    /// The nodes that live; where the database is away, the one that was asked.
    public var nodes: [NodeStatus]
    /// The models of the node that was asked, the default first.
    public var models: [Model]
    /// What waits and what is made.
    public var queue: QueueStatus
    /// How many connections the node has that was asked.
    public var connections: Int
    /// The database.
    public var database: DatabaseStatus

    /// Puts a reply together.
    public init(
        version: String,
        time: Timestamp,
        nodes: [NodeStatus],
        models: [Model],
        queue: QueueStatus,
        connections: Int,
        database: DatabaseStatus
    ) {
        self.version = version
        self.time = time
        self.nodes = nodes
        self.models = models
        self.queue = queue
        self.connections = connections
        self.database = database
    }
}
