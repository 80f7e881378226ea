// Writes audit entries in the transaction of the action. Entries are never changed.

import ChatCore
public import ChatProtocol
import Postgres

/// The actor of an action.
public struct Actor: Sendable, Hashable {
    /// Nil for the server itself, and for a user of the command line.
    public let id: UserID?
    /// The name at that time.
    public let name: String

    /// Creates an actor for a user.
    /// - Parameter user: the user.
    public init(_ user: User) {
        id = user.id
        name = user.name
    }

    private init(name: String) {
        id = nil
        self.name = name
    }

    /// The server itself: retention, budgets.
    public static let server = Actor(name: "the server")
    /// A user who runs `stoa` on the server's machine.
    public static let terminal = Actor(name: "the server's terminal")
}

extension StoreTransaction {
    /// Adds an audit entry to this transaction. It must contain no message text and no secrets.
    func audit(
        _ action: AuditAction,
        by actor: Actor,
        team: TeamID? = nil,
        object: String = "",
        detail: [String: String]? = nil
    ) throws {
        _ = try send(
            """
            INSERT INTO audit_log (actor_id, actor_name, action, team_id, object, detail)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .optional(actor.id), .text(actor.name), .text(action.rawValue), .optional(team),
                .text(object), .json(detail),
            ]
        )
    }
}
