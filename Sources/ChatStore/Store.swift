// The tables as Swift functions. All SQL of the project is in this target: a folder for each
// aggregate, with its store, its statements and its rows. Migrations/ documents the columns.
//
// Every function that reads or changes a conversation takes the asking user, and finds the
// conversation through its members, or, for a request of OpenAI's API, through the user who sent it:
// there is no other path to a row.

public import FoundationEssentials
public import Postgres

/// The database for the chat server: a store for each aggregate, all over one pool. Lives on its
/// pool's loop.
///
/// Functions throw `WireError` for errors in the request, and `PostgresError` for errors of the
/// database.
public final class Store {
    /// Users, and their administration.
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
    /// The input of runs, summaries of branches, and receipts.
    public let context: ContextStore
    /// The queue of answers, and the leases of those that nodes run.
    public let queue: QueueStore
    /// Runs: how they begin, their checkpoints, their end, and their latest events.
    public let runs: RunStore
    /// The event logs of conversations.
    public let events: EventStore
    /// Users' folders, and their tags of conversations.
    public let folders: FolderStore
    /// Users' lists of conversations and teams.
    public let lists: ListStore
    /// The end of conversations: archive, deletion, purging.
    public let lifeCycle: LifeCycleStore
    /// Share links to conversations.
    public let shares: ShareStore
    /// Prompt libraries, and system prompts.
    public let prompts: PromptStore
    /// Search in messages.
    public package(set) var search: SearchStore
    /// Exports and imports.
    public let transfers: TransferStore
    /// The ledger, and budgets.
    public let ledger: LedgerStore
    /// The audit log.
    public let audit: AuditStore
    /// Models that administrators have requested.
    public let models: ModelStore
    /// The nodes on this database.
    public let nodes: NodeStore
    /// Figures of PostgreSQL and of the tables.
    public let health: HealthStore

    let pool: StorePool

    /// Creates the store of a command, or of a part of a server that writes no events: other nodes
    /// are not notified of its commits; they notice changes by polling.
    /// - Parameter pool: connections to a database with current migrations.
    public convenience init(pool: PostgresPool) {
        self.init(StorePool(pool, node: nil))
    }

    /// Creates the store of a node.
    /// - Parameters:
    ///   - pool: connections to a database with current migrations.
    ///   - node: the committing node.
    ///   - observer: is notified of changes by commits.
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
        context = ContextStore(pool: pool, conversations: conversations)
        queue = QueueStore(pool: pool)
        runs = RunStore(pool: pool)
        events = EventStore(
            pool: pool,
            conversations: conversations,
            messages: messages,
            runs: runs
        )
        folders = FolderStore(pool: pool)
        lists = ListStore(pool: pool, teams: teams, folders: folders)
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

    /// Whether the database is available.
    public var isReady: Bool { pool.isReady }

    /// Whether the database's disk is full, so that nothing can be stored.
    public var isDiskFull: Bool { pool.isDiskFull }

    /// The number of open connections, of those in use, and of callers that wait for one.
    public var connections: (open: Int, used: Int, waiting: Int) { pool.connections }

    /// Distinguishes this database from one restored from a backup.
    public func epoch() async throws -> String { try await pool.epoch() }
}
