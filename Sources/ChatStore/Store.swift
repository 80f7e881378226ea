// The tables as Swift functions. All SQL of the project stands in this target: a folder for each
// aggregate, with its store, its statements and its rows. Migrations/ says what the columns mean.
//
// Every function that reads or changes something of a conversation takes who asks, and finds the
// conversation through its members: there is no second path to a row.

public import ChatProtocol
public import FoundationEssentials
public import Postgres

/// The database, as the chat server sees it: a store for each aggregate, all over one pool. Lives on
/// its pool's loop.
///
/// Functions throw `WireError` where the request is at fault, and `PostgresError` where the database
/// is.
public final class Store {
    /// Users, and how administrators change them.
    public let accounts: AccountStore
    /// Passwords, one-time links, API keys, and OpenID identities.
    public let credentials: CredentialStore
    /// Sign-ins.
    public let sessions: SessionStore
    /// Teams, their members, and invitations.
    public let teams: TeamStore
    /// Conversations, their members, and rights in them.
    public let conversations: ConversationStore
    /// Messages and their branches.
    public let messages: MessageStore
    /// Users' lists of conversations and teams.
    public let lists: ListStore
    /// How conversations end.
    public let lifeCycle: LifeCycleStore
    /// Links to conversations.
    public let shares: ShareStore
    /// Libraries of prompts, and system prompts.
    public let prompts: PromptStore
    /// Search in messages.
    public package(set) var search: SearchStore
    /// Exports and imports.
    public let transfers: TransferStore
    /// The ledger, and budgets.
    public let ledger: LedgerStore
    /// The audit log.
    public let audit: AuditStore
    /// Models that administrators asked for.
    public let models: ModelStore
    /// The servers on this database.
    public let nodes: NodeStore
    /// Figures of PostgreSQL and of the tables.
    public let health: HealthStore

    let pool: StorePool
    /// Told on the loop where a run is about to begin.
    public var onRunBegins: ((ConversationID) -> Void)?

    /// The store of a command, or of a part of a server that writes no events: no other node is
    /// notified of its commits; they find what has changed when they look.
    /// - Parameter pool: connections to a database whose migrations are applied.
    public convenience init(pool: PostgresPool) {
        self.init(StorePool(pool, node: nil))
    }

    /// The store of a node.
    /// - Parameters:
    ///   - pool: connections to a database whose migrations are applied.
    ///   - node: the node that commits.
    ///   - observer: receives what its commits change.
    public convenience init(pool: PostgresPool, node: UUID, observer: any CommitObserver) {
        self.init(StorePool(pool, node: CommittingNode(id: node, observer: observer)))
    }

    private init(_ pool: StorePool) {
        self.pool = pool
        accounts = AccountStore(pool: pool)
        credentials = CredentialStore(pool: pool)
        sessions = SessionStore(pool: pool)
        teams = TeamStore(pool: pool)
        conversations = ConversationStore(pool: pool)
        messages = MessageStore(pool: pool)
        lists = ListStore(pool: pool, teams: teams)
        lifeCycle = LifeCycleStore(pool: pool)
        shares = ShareStore(pool: pool, conversations: conversations, messages: messages)
        prompts = PromptStore(pool: pool, teams: teams, conversations: conversations)
        search = SearchStore(pool: pool)
        transfers = TransferStore(pool: pool)
        ledger = LedgerStore(pool: pool)
        audit = AuditStore(pool: pool)
        models = ModelStore(pool: pool)
        nodes = NodeStore(pool: pool)
        health = HealthStore(pool: pool)
    }

    /// Whether the database answers at present.
    public var isReady: Bool { pool.isReady }

    /// Whether the database's disk is full at present, so that nothing can be stored.
    public var isDiskFull: Bool { pool.isDiskFull }

    /// What tells this database from one restored from a backup.
    public func epoch() async throws -> String { try await pool.epoch() }
}
