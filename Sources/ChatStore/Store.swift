// The tables as Swift functions. All SQL of the project stands in this target: a file a concern, each
// an extension of `Store`. Migrations/0001_initial.sql says what the columns mean.
//
// Every function that reads or changes something of a conversation takes who asks, and finds the
// conversation through its members: there is no second path to a row.

public import ChatProtocol
public import Postgres

/// The database, as the chat server sees it. Lives on its pool's loop.
///
/// Functions throw `WireError` where the request is at fault, and `PostgresError` where the database
/// is.
public final class Store {
    let pool: PostgresPool
    /// When a search goes which way.
    package var searchBounds = SearchBounds()
    /// Told on the loop where a run is about to begin.
    public var onRunBegins: ((ConversationID) -> Void)?

    /// - Parameter pool: connections to a database whose migrations are applied.
    public init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Has `tell` called on the loop after each commit of durable events in a conversation that
    /// somebody watches on another node.
    public func onEventsWatchedElsewhere(_ tell: @escaping (ConversationID) -> Void) {
        pool.onMarks = { marks in for id in marks { tell(ConversationID(id)) } }
    }

    /// Whether the database answers at present.
    public var isReady: Bool { pool.isReady }
}
