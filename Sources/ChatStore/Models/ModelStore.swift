// The models that administrators had the server fetch.

public import ChatProtocol
import Postgres

/// A model that the server was told to fetch.
public struct RequestedModel: Sendable, Hashable {
    /// Its full name.
    public let name: String
    /// The branch, tag or commit that was asked for.
    public let revision: String
    /// Whether all of it had arrived.
    public let isFetched: Bool
}

/// The models that administrators asked for.
public struct ModelStore {
    let pool: StorePool

    /// All models that were asked for, the oldest request first.
    public func list() async throws -> [RequestedModel] {
        let rows = try await pool.query(
            "SELECT name, revision, fetched_at IS NOT NULL AS is_fetched FROM models ORDER BY requested_at, name"
        )
        return try rows.map { row in
            RequestedModel(
                name: try row.decode("name", as: String.self),
                revision: try row.decode("revision", as: String.self),
                isFetched: try row.decode("is_fetched", as: Bool.self)
            )
        }
    }

    /// Notes that a model is to be fetched, anew where it was before.
    /// - Throws: `WireError.busy` where another is on its way.
    public func add(_ name: String, revision: String, by user: UserID) async throws {
        do {
            _ = try await pool.query(
                """
                INSERT INTO models (name, revision, requested_by) VALUES ($1, $2, $3)
                ON CONFLICT (name) DO UPDATE
                SET revision = excluded.revision, fetched_at = NULL,
                    requested_by = excluded.requested_by, requested_at = now()
                """,
                [.text(name), .text(revision), .uuid(user)]
            )
        } catch PostgresError.server(let error) where error.sqlState == .uniqueViolation {
            throw WireError(.busy, "another model is being pulled: try again when it is done")
        }
    }

    /// Notes that all of a model has arrived.
    public func markFetched(_ name: String) async throws {
        _ = try await pool.query(
            "UPDATE models SET fetched_at = now() WHERE name = $1",
            [.text(name)]
        )
    }

    /// Forgets a model: the server does not offer it any more.
    public func forget(_ name: String) async throws {
        _ = try await pool.query("DELETE FROM models WHERE name = $1", [.text(name)])
    }
}
