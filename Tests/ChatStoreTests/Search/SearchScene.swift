// Searches in a database of the test's own, with a given search strategy.

import ChatProtocol
import ChatStore
import EventLoop
import Logging
import Postgres
import TestSupport
import Testing

/// A search strategy. All must find the same messages.
enum SearchWay: CaseIterable, Sendable {
    /// Reads all messages that the asker can see.
    case reading
    /// Uses the index, in counted conversations.
    case lookingInSome
    /// Reads the newest messages of all.
    case walking
    /// Uses the index, for all conversations.
    case looking
    /// The same, one time slice after another.
    case lookingInSlices

    var bounds: SearchBounds {
        var bounds = SearchBounds()
        switch self {
        case .reading: break
        case .lookingInSome:
            bounds.readMax = -1
            bounds.listedWalkMax = 1
            bounds.listedPieceWalkMax = 1
        case .walking:
            bounds.listedMax = 0
            bounds.walkMax = 1_000_000
        case .looking:
            bounds.listedMax = 0
            bounds.walkMax = 1
            bounds.pieceWalkMax = 1
            bounds.sliceMin = .infinity
        case .lookingInSlices:
            bounds.listedMax = 0
            bounds.walkMax = 1
            bounds.pieceWalkMax = 1
            bounds.sliceMin = -1
        }
        return bounds
    }
}

/// Runs `body` with a store whose searches use a given strategy, and its database.
func withSearch<Value: Sendable>(
    _ way: SearchWay = .reading,
    _ body: @escaping @Sendable (Store, TestDatabase) async throws -> Value
) async throws -> Value {
    let database = try TestCluster.database(migrations: schema)
    return try await EventLoop.run { loop in
        let pool = PostgresPool(
            loop: loop,
            configuration: database.configuration,
            logger: Logger(label: "test")
        )
        let store = Store(pool: pool)
        store.search.bounds = way.bounds
        let result = try await body(store, database)
        await pool.close()
        return result
    }
}

extension Store {
    /// All pages of a user's search.
    func find(
        _ query: String,
        as user: User,
        in conversation: Conversation? = nil,
        team: TeamID? = nil,
        by author: String? = nil,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        pageSize: Int = 20
    ) async throws -> [SearchResult] {
        var request = SearchRequest(
            query: query,
            conversation: conversation?.id,
            team: team,
            author: author,
            from: from,
            to: to
        )
        var found: [SearchResult] = []
        repeat {
            let page = try await search.page(request, for: user.id, limit: pageSize)
            found += page.results
            request.cursor = page.cursor
        } while request.cursor != nil
        return found
    }
}

extension SearchResult {
    /// The snippet with matches in brackets.
    var marked: String { snippet.map { $0.match ? "[\($0.text)]" : $0.text }.joined() }
}
