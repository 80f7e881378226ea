// Who did what: written in the transaction that does it, and never changed.

import ChatCore
public import ChatProtocol
import Postgres

/// Who does something.
public struct Actor: Sendable, Hashable {
    /// Nil for the server itself, and for somebody at its terminal.
    public let id: UserID?
    /// What they are called at that time.
    public let name: String

    /// A user.
    /// - Parameter user: who.
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
    /// Somebody who runs `stoa` on the server's machine.
    public static let terminal = Actor(name: "the server's terminal")
}

extension StoreTransaction {
    /// Writes down what this transaction does. Holds no text of messages and no secret.
    func audit(
        _ action: String,
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
                .optional(actor.id), .text(actor.name), .text(action), .optional(team),
                .text(object), .json(detail),
            ]
        )
    }
}
