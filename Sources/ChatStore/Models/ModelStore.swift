// Models that administrators have requested.

public import ChatProtocol
import Postgres

/// A model to download.
public struct RequestedModel: Sendable, Hashable {
    /// Its full name.
    public let name: String
    /// The requested branch, tag or commit.
    public let revision: String
    /// Whether it is downloaded completely.
    public let isFetched: Bool
}

/// Models that administrators have requested.
public struct ModelStore {
    let pool: StorePool

    /// All requested models, the oldest request first.
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

    /// Records that a model is to be downloaded, and loaded then; repeated if it was before.
    /// - Throws: `WireError.busy` if another download is in progress.
    public func add(_ name: String, revision: String, by user: UserID) async throws {
        do {
            _ = try await pool.query(
                """
                WITH loaded AS (
                    UPDATE model_choices SET is_unloaded = false WHERE name = $1
                )
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

    /// Records that a model is downloaded completely.
    public func markFetched(_ name: String) async throws {
        _ = try await pool.query(
            "UPDATE models SET fetched_at = now() WHERE name = $1",
            [.text(name)]
        )
    }

    /// Removes a model: the server no longer offers it.
    public func forget(_ name: String) async throws {
        _ = try await pool.query("DELETE FROM models WHERE name = $1", [.text(name)])
    }
}
