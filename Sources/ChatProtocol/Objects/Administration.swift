// What administrators see of a server: who waits for what, what was done by whom, and how it is.

/// An answer that waits or grows, whoever asked for it. Bears no text.
public struct ServerRun: Codable, Hashable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// Who asked for it.
    public var user: User
    /// The team that the conversation belongs to; absent where it belongs to none.
    public var team: TeamID?
    /// The model that the conversation names.
    public var model: String
    /// `queued` or `streaming`.
    public var state: MessageState
    /// How urgent it is; absent for the server's own work.
    public var priority: MessagePriority?
    /// When it was asked.
    public var queuedAt: Timestamp
    /// Its place while it waits, 1 for the next one to start; as the node knows it that was asked.
    public var position: Int?
    /// The name of the node that makes it.
    public var node: String?

    /// Puts an entry together.
    public init(
        conversation: ConversationID,
        message: MessageID,
        user: User,
        team: TeamID? = nil,
        model: String,
        state: MessageState,
        priority: MessagePriority?,
        queuedAt: Timestamp,
        position: Int? = nil,
        node: String? = nil
    ) {
        self.conversation = conversation
        self.message = message
        self.user = user
        self.team = team
        self.model = model
        self.state = state
        self.priority = priority
        self.queuedAt = queuedAt
        self.position = position
        self.node = node
    }

    enum CodingKeys: String, CodingKey {
        case conversation, message, user, team, model, state, priority, position, node
        case queuedAt = "queued_at"
    }
}

/// Who did something, as they were called then.
public struct AuditActor: Codable, Hashable, Sendable {
    /// Absent for the server itself, and for somebody at its terminal.
    public var id: UserID?
    /// What they were called.
    public var name: String

    /// Puts an actor together.
    public init(id: UserID?, name: String) {
        self.id = id
        self.name = name
    }
}

/// An entry of the audit log.
public struct AuditEntry: Codable, Hashable, Sendable {
    /// Its number: later entries have higher ones.
    public var id: Int64
    /// When it was done.
    public var at: Timestamp
    /// Who did it.
    public var actor: AuditActor
    /// What was done: "user.disabled".
    public var action: String
    /// The team in which it was done.
    public var team: TeamID?
    /// What it was done to, by id or name.
    public var object: String
    /// More about it, by name.
    public var detail: [String: String]?

    /// Puts an entry together.
    public init(
        id: Int64,
        at: Timestamp,
        actor: AuditActor,
        action: String,
        team: TeamID? = nil,
        object: String,
        detail: [String: String]? = nil
    ) {
        self.id = id
        self.at = at
        self.actor = actor
        self.action = action
        self.team = team
        self.object = object
        self.detail = detail
    }
}

/// A server that works on the database.
public struct NodeStatus: Codable, Hashable, Sendable {
    /// What people call it.
    public var name: String
    /// When it was started.
    public var startedAt: Timestamp
    /// Its last sign of life.
    public var seenAt: Timestamp
    /// True for the one that was asked.
    public var current: Bool?

    /// Puts a node together.
    public init(name: String, startedAt: Timestamp, seenAt: Timestamp, current: Bool? = nil) {
        self.name = name
        self.startedAt = startedAt
        self.seenAt = seenAt
        self.current = current
    }

    enum CodingKeys: String, CodingKey {
        case name, current
        case startedAt = "started_at"
        case seenAt = "seen_at"
    }
}

/// The queue, as the node knows it that was asked.
public struct QueueStatus: Codable, Hashable, Sendable {
    /// Answers that wait.
    public var waiting: Int
    /// Answers that are made.
    public var running: Int
    /// How many may wait and grow at most, of all users together.
    public var limit: Int

    /// Puts figures together.
    public init(waiting: Int, running: Int, limit: Int) {
        self.waiting = waiting
        self.running = running
        self.limit = limit
    }
}

/// The database behind a server.
public struct DatabaseStatus: Codable, Hashable, Sendable {
    /// Whether it answers.
    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        case ready, away
    }

    /// Whether it answers. All else is absent where it does not.
    public var state: State
    /// The version, as PostgreSQL writes it.
    public var version: String?
    /// Its size, in bytes.
    public var bytes: Int64?
    /// Connections in use, whoever has them.
    public var connections: Int?
    /// For how long the oldest open transaction is open, in seconds.
    public var oldestTransactionSeconds: Double?

    /// Puts figures together.
    public init(
        state: State,
        version: String? = nil,
        bytes: Int64? = nil,
        connections: Int? = nil,
        oldestTransactionSeconds: Double? = nil
    ) {
        self.state = state
        self.version = version
        self.bytes = bytes
        self.connections = connections
        self.oldestTransactionSeconds = oldestTransactionSeconds
    }

    enum CodingKeys: String, CodingKey {
        case state, version, bytes, connections
        case oldestTransactionSeconds = "oldest_transaction_seconds"
    }
}
