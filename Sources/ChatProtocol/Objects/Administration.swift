// What administrators see of a server: queued and running answers, the audit log, and its status.

/// A queued or running answer of any user. Contains no text.
public struct ServerRun: Codable, Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// Who asked for it.
    public var user: User
    /// The team that the conversation belongs to; absent if there is none.
    public var team: TeamID?
    /// The model that the conversation names.
    public var model: String
    /// `queued` or `streaming`.
    public var state: MessageState
    /// Its priority; absent for the server's own work.
    public var priority: MessagePriority?
    /// When it was requested.
    public var queuedAt: Timestamp
    /// Its queue position, 1 for the next one to start; as known to the node that was asked.
    public var position: Int?
    /// The name of the node that runs it.
    public var node: String?

    /// Creates an entry.
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

/// Who did something, with the name at that time.
public struct AuditActor: Codable, Hashable, Sendable {
    /// Absent for the server itself, and for a user of the command line.
    public var id: UserID?
    /// The name at that time.
    public var name: String

    /// Creates an actor.
    public init(id: UserID?, name: String) {
        self.id = id
        self.name = name
    }
}

/// An entry of the audit log.
public struct AuditEntry: Codable, Hashable, Sendable {
    /// Its number: later entries have higher numbers.
    public var id: Int64
    /// When it was done.
    public var at: Timestamp
    /// Who did it.
    public var actor: AuditActor
    /// What was done: an `AuditAction`, or what a later version writes.
    public var action: String
    /// The team that it concerns.
    public var team: TeamID?
    /// The object, by id or name.
    public var object: String
    /// Details by name.
    public var detail: [String: String]?

    /// Creates an entry.
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

/// A server process that uses the database.
public struct NodeStatus: Codable, Hashable, Sendable {
    /// Its name for people.
    public var name: String
    /// When it was started.
    public var startedAt: Timestamp
    /// Its last heartbeat.
    public var seenAt: Timestamp
    /// True for the node that was asked.
    public var current: Bool?

    /// Creates a node.
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

/// The queue, as known to the node that was asked.
public struct QueueStatus: Codable, Hashable, Sendable {
    /// Queued answers.
    public var waiting: Int
    /// Running answers.
    public var running: Int
    /// Maximum queued and running answers of all users together.
    public var limit: Int

    /// Creates the figures.
    public init(waiting: Int, running: Int, limit: Int) {
        self.waiting = waiting
        self.running = running
        self.limit = limit
    }
}

/// The server's database.
public struct DatabaseStatus: Codable, Hashable, Sendable {
    /// Whether it is reachable.
    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        case ready, away
    }

    /// Whether it is reachable. Everything else is absent if it is not.
    public var state: State
    /// The version, as PostgreSQL reports it.
    public var version: String?
    /// Its size, in bytes.
    public var bytes: Int64?
    /// Connections in use by all clients.
    public var connections: Int?
    /// Age of the oldest open transaction, in seconds.
    public var oldestTransactionSeconds: Double?

    /// Creates the figures.
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

/// The result of one of the doctor's checks.
public struct ServerCheck: Codable, Hashable, Sendable {
    /// The severity of a result.
    public enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
        /// No problem.
        case ok
        /// It works, but perhaps not for long, or not for everyone.
        case warning
        /// It does not work, or can lose data.
        case failure
    }

    /// The area, such as "storage" or "database".
    public var area: String
    /// What was checked.
    public var name: String
    /// The severity.
    public var verdict: Verdict
    /// What was found.
    public var found: String
    /// The code of what was found; absent if the sentence has none.
    public var foundCode: SentenceCode?
    /// What to do about it; absent if there is nothing to do.
    public var advice: String?
    /// The advice's code.
    public var adviceCode: SentenceCode?

    /// Creates a result.
    public init(
        area: String,
        name: String,
        verdict: Verdict,
        found: String,
        foundCode: SentenceCode? = nil,
        advice: String? = nil,
        adviceCode: SentenceCode? = nil
    ) {
        self.area = area
        self.name = name
        self.verdict = verdict
        self.found = found
        self.foundCode = foundCode
        self.advice = advice
        self.adviceCode = adviceCode
    }

    enum CodingKeys: String, CodingKey {
        case area, name, verdict, found, advice
        case foundCode = "found_code"
        case adviceCode = "advice_code"
    }
}
