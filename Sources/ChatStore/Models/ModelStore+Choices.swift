// What administrators chose about models: the default one, and those that stay unloaded.

public import ChatProtocol
import Postgres

/// Administrators' choices about models, for all nodes and every start.
public struct ModelChoices: Sendable, Hashable {
    /// The default model; nil if the server's settings decide.
    public var defaultName: String?
    /// Models that are not loaded.
    public var unloaded: Set<String>

    /// Creates choices.
    public init(defaultName: String? = nil, unloaded: Set<String> = []) {
        self.defaultName = defaultName
        self.unloaded = unloaded
    }
}

extension ModelStore {
    /// All choices.
    public func choices() async throws -> ModelChoices {
        let rows = try await pool.query(
            "SELECT name, is_default FROM model_choices WHERE is_default OR is_unloaded"
        )
        var choices = ModelChoices()
        for row in rows {
            let name = try row.decode("name", as: String.self)
            if try row.decode("is_default", as: Bool.self) {
                choices.defaultName = name
            } else {
                choices.unloaded.insert(name)
            }
        }
        return choices
    }

    /// Records that a model is to be loaded, or to stay unloaded, with an audit entry.
    /// - Throws: `WireError.conflict` if it is to be unloaded and is the chosen default.
    public func setLoaded(_ isLoaded: Bool, _ name: String, by user: User) async throws {
        try await pool.transaction { transaction in
            do {
                _ = try await transaction.query(
                    """
                    INSERT INTO model_choices (name, is_unloaded) VALUES ($1, $2)
                    ON CONFLICT (name) DO UPDATE SET is_unloaded = excluded.is_unloaded
                    """,
                    [.text(name), .bool(!isLoaded)]
                )
            } catch PostgresError.server(let error) where error.sqlState == .checkViolation {
                throw WireError.defaultModelStaysLoaded(name)
            }
            try transaction.audit(
                isLoaded ? .modelLoaded : .modelUnloaded,
                by: Actor(user),
                object: name
            )
        }
    }

    /// Makes a model the default, with an audit entry.
    public func setDefault(_ name: String, by user: User) async throws {
        try await pool.transaction { transaction in
            // Concurrent requests follow each other.
            try transaction.send("LOCK TABLE model_choices IN SHARE ROW EXCLUSIVE MODE")
            try transaction.send(
                "UPDATE model_choices SET is_default = false WHERE is_default AND name <> $1",
                [.text(name)]
            )
            try transaction.send(
                """
                INSERT INTO model_choices (name, is_default) VALUES ($1, true)
                ON CONFLICT (name) DO UPDATE SET is_default = true, is_unloaded = false
                """,
                [.text(name)]
            )
            try transaction.audit(.modelDefaultChanged, by: Actor(user), object: name)
        }
    }
}

extension WireError {
    /// The default model cannot be unloaded.
    public static func defaultModelStaysLoaded(_ name: String) -> WireError {
        WireError(
            .conflict,
            "\(name) is the default model, which stays loaded: make another one the default first"
        )
    }
}
