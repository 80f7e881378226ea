// Engines on other machines that administrators added, and those that are draining.

public import ChatProtocol
import Postgres

/// A remote engine as it is stored.
public struct StoredRemoteEngine: Sendable, Hashable {
    /// Its label.
    public let label: String
    /// The words of the setting `remote-engine`; nil for an engine of the settings that is draining.
    public let definition: String?
    /// Whether it gets no new requests.
    public let isDraining: Bool
}

extension ModelStore {
    /// Maximum number of added engines.
    private static let remoteEnginesMax = 256

    /// All stored engines, the oldest first.
    public func remoteEngines() async throws -> [StoredRemoteEngine] {
        let rows = try await pool.query(
            "SELECT label, definition, is_draining FROM remote_engines ORDER BY added_at, label"
        )
        return try rows.map { row in
            StoredRemoteEngine(
                label: try row.decode("label", as: String.self),
                definition: try row.decode("definition", as: String?.self),
                isDraining: try row.decode("is_draining", as: Bool.self)
            )
        }
    }

    /// Adds an engine, with an audit entry.
    /// - Parameters:
    ///   - label: its label.
    ///   - definition: the words of the setting; they name keys, and contain none.
    ///   - user: who adds it.
    /// - Throws: `WireError.conflict` if there is one with this label, or there are too many.
    public func addRemoteEngine(
        _ label: String,
        _ definition: String,
        by user: User
    ) async throws {
        try await pool.transaction { transaction in
            let inserted = try await transaction.query(
                """
                INSERT INTO remote_engines (label, definition)
                SELECT $1, $2
                WHERE (SELECT count(*) FROM remote_engines) < $3
                ON CONFLICT (label) DO NOTHING
                RETURNING label
                """,
                [.text(label), .text(definition), .int64(Int64(Self.remoteEnginesMax))]
            )
            guard !inserted.isEmpty else {
                throw WireError(
                    .conflict,
                    "there is an engine called \(label), or there are \(Self.remoteEnginesMax): "
                        + "choose another label=, or remove one first"
                )
            }
            try transaction.audit(
                .engineAdded,
                by: Actor(user),
                object: label,
                detail: ["engine": definition]
            )
        }
    }

    /// Records whether an engine gets new requests, with an audit entry; idempotent.
    /// - Parameters:
    ///   - isDraining: whether it gets none.
    ///   - label: its label.
    ///   - user: who asks for it.
    /// - Throws: `PostgresError`.
    public func setDraining(_ isDraining: Bool, _ label: String, by user: User) async throws {
        try await pool.transaction { transaction in
            if isDraining {
                _ = try await transaction.query(
                    """
                    INSERT INTO remote_engines (label, is_draining) VALUES ($1, true)
                    ON CONFLICT (label) DO UPDATE SET is_draining = true
                    """,
                    [.text(label)]
                )
            } else {
                _ = try await transaction.query(
                    "DELETE FROM remote_engines WHERE label = $1 AND definition IS NULL",
                    [.text(label)]
                )
                _ = try await transaction.query(
                    "UPDATE remote_engines SET is_draining = false WHERE label = $1",
                    [.text(label)]
                )
            }
            try transaction.audit(
                isDraining ? .engineDrained : .engineResumed,
                by: Actor(user),
                object: label
            )
        }
    }

    /// Removes an added engine, with an audit entry.
    /// - Throws: `WireError.notFound` if none was added with this label.
    public func removeRemoteEngine(_ label: String, by user: User) async throws {
        try await pool.transaction { transaction in
            let removed = try await transaction.query(
                """
                DELETE FROM remote_engines WHERE label = $1 AND definition IS NOT NULL
                RETURNING label
                """,
                [.text(label)]
            )
            guard !removed.isEmpty else {
                throw WireError(
                    .notFound,
                    "no engine called \(label) was added: engine.list shows those that exist"
                )
            }
            try transaction.audit(.engineRemoved, by: Actor(user), object: label)
        }
    }
}
