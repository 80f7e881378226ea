// `stoa admin users`.

import ArgumentParser
import ChatClient
import ChatProtocol
import HTTPProtocol
import TerminalText

struct AdminUsersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Manage accounts.",
        subcommands: [
            List.self, Create.self, Reset.self, Disable.self, Enable.self, Promote.self,
            Demote.self, Limit.self, Delete.self, Sessions.self, Revoke.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all accounts, by name.",
            discussion: ServerArguments.help
        )

        @Option(help: ArgumentHelp("Only names that contain this text.", valueName: "TEXT"))
        var query: String?

        @OptionGroup var list: ListArguments
        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let query = query
            try await list.show(
                connection,
                ["NAME", "ROLE", "STATE", "SESSIONS", "LAST SEEN", "CREATED", "ID"],
                row: Self.row,
                json: { UserListReply(users: $0) },
                page: { client, cursor, limit in
                    let reply = try await client.call(
                        .userList,
                        UserListRequest(cursor: cursor, limit: limit, query: query)
                    )
                    return (rows: reply.users, next: reply.cursor)
                }
            )
        }

        private static func row(_ user: UserAccount) -> [String] {
            [
                user.name, user.isAdmin ? "administrator" : "user",
                user.isDisabled ? "disabled" : "enabled", "\(user.sessions)",
                user.seenAt.map { "\($0)" } ?? "never", "\(user.createdAt)", "\(user.id)",
            ]
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an account, and print the link that sets its password.",
            discussion: ServerArguments.help
        )

        @Argument(help: "Name to sign in with.")
        var name: String

        @Flag(help: "Make the user an administrator.")
        var admin = false

        @OptionGroup var connection: ServerArguments

        func run() async throws {
            let request = UserCreateRequest(name: name, isAdmin: admin)
            let (reply, server) = try await connection.connected { client in
                let reply = try await client.call(
                    .userCreate,
                    request
                )
                return (reply, client.configuration.server)
            }
            StandardStreams.print("\(reply.fullLink(at: server))")
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a link to set a new password: valid once, for a day.",
            discussion: ServerArguments.help
        )

        @OptionGroup var account: AccountArguments

        func run() async throws {
            let (reply, server) = try await account.connected { client, user in
                let reply = try await client.call(
                    .userReset,
                    UserRequest(user: user)
                )
                return (reply, client.configuration.server)
            }
            StandardStreams.print("\(reply.fullLink(at: server))")
        }
    }

    struct Disable: AccountChange {
        static let configuration = CommandConfiguration(
            abstract: "Disable an account: end its sessions and keys, stop its answers.",
            discussion: ServerArguments.help
        )
        static let state = "disabled"
        static let isDisabled: Bool? = true

        @OptionGroup var account: AccountArguments
    }

    struct Enable: AccountChange {
        static let configuration = CommandConfiguration(
            abstract: "Enable an account.",
            discussion: ServerArguments.help
        )
        static let state = "enabled"
        static let isDisabled: Bool? = false

        @OptionGroup var account: AccountArguments
    }

    struct Promote: AccountChange {
        static let configuration = CommandConfiguration(
            abstract: "Make a user an administrator.",
            discussion: ServerArguments.help
        )
        static let state = "an administrator"
        static let isAdmin: Bool? = true

        @OptionGroup var account: AccountArguments
    }

    struct Demote: AccountChange {
        static let configuration = CommandConfiguration(
            abstract: "Take a user's administrator role away.",
            discussion: ServerArguments.help
        )
        static let state = "not an administrator"
        static let isAdmin: Bool? = false

        @OptionGroup var account: AccountArguments
    }

    struct Limit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Set the token limits of a user; without options, the server's limits apply.",
            discussion: ServerArguments.help
        )

        @OptionGroup var budget: BudgetArguments
        @OptionGroup var account: AccountArguments

        func run() async throws {
            let (daily, monthly) = (budget.daily, budget.monthly)
            _ = try await account.connected { client, user in
                try await client.call(
                    .budgetSet,
                    BudgetSetRequest(user: user, daily: daily, monthly: monthly)
                )
            }
            StandardStreams.print("\(account.name): \(budget)")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account; its messages in shared conversations stay.",
            discussion: ServerArguments.help
        )

        @OptionGroup var confirmation: ConfirmationArguments
        @OptionGroup var account: AccountArguments

        func run() async throws {
            try confirmation.confirm("Delete the account \(account.name)?")
            _ = try await account.connected { client, user in
                try await client.call(.userDelete, UserRequest(user: user))
            }
            StandardStreams.print("deleted \(account.name)")
        }
    }

    struct Sessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the sessions of a user.",
            discussion: ServerArguments.help
        )

        @OptionGroup var table: TableArguments
        @OptionGroup var account: AccountArguments

        func run() async throws {
            let reply = try await account.connected { client, user in
                try await client.call(
                    .userSessions,
                    UserRequest(user: user)
                )
            }
            let rows = reply.sessions.map { session in
                [
                    "\(session.id)", session.device, "\(session.createdAt)",
                    "\(session.lastUsedAt)", "\(session.expiresAt)",
                ]
            }
            let headings = ["SESSION", "DEVICE", "CREATED", "LAST USED", "EXPIRES"]
            try table.show(headings, rows, json: reply)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End all sessions of a user, or one of them.",
            discussion: ServerArguments.help
        )

        @Option(
            help: ArgumentHelp("End only this session, from “users sessions”.", valueName: "ID")
        )
        var session: String?

        @OptionGroup var account: AccountArguments

        func validate() throws {
            if let session, SessionID(session) == nil {
                throw ValidationError("--session: “\(session)” is not an id")
            }
        }

        func run() async throws {
            let session = session.flatMap { SessionID($0) }
            let reply = try await account.connected { client, user in
                try await client.call(
                    .userSessionsRevoke,
                    UserSessionsRevokeRequest(user: user, session: session)
                )
            }
            StandardStreams.print("\(reply.ended) ended")
        }
    }
}

extension UserLinkReply {
    /// The link; made with the address of `server` if the server does not know its own.
    fileprivate func fullLink(at server: HTTPOrigin) -> String {
        TerminalSanitizer.clean(link.hasPrefix("/") ? "\(server)\(link)" : link)
    }
}

/// A command that changes an account's rights.
protocol AccountChange: AsyncParsableCommand {
    /// The account's state afterwards, for the output.
    static var state: String { get }
    /// Whether the user becomes an administrator; nil changes nothing.
    static var isAdmin: Bool? { get }
    /// Whether the account is disabled; nil changes nothing.
    static var isDisabled: Bool? { get }
    var account: AccountArguments { get }
}

extension AccountChange {
    static var isAdmin: Bool? { nil }
    static var isDisabled: Bool? { nil }

    func run() async throws {
        let (isAdmin, isDisabled) = (Self.isAdmin, Self.isDisabled)
        let reply = try await account.connected { client, user in
            try await client.call(
                .userUpdate,
                UserUpdateRequest(user: user, isAdmin: isAdmin, isDisabled: isDisabled)
            )
        }
        StandardStreams.print("\(reply.user.name) is \(Self.state)")
    }
}

/// The account that a command changes.
struct AccountArguments: ParsableArguments {
    @Argument(help: "Name or ID of the user.")
    var name: String

    @OptionGroup var connection: ServerArguments

    /// Runs `body` with a connection and the user's id.
    func connected<Success: Sendable>(
        _ body: @escaping @Sendable (ChatClient, UserID) async throws -> Success
    ) async throws -> Success {
        let name = name
        return try await connection.connected { client in
            try await body(client, try await Self.user(name, client))
        }
    }

    /// The id of the user named `name`, found on the pages of users whose name contains it.
    static func user(_ name: String, _ client: ChatClient) async throws -> UserID {
        if let id = UserID(name) { return id }
        let found: UserAccount? = try await ListArguments.entry(named: name, \.name) {
            cursor,
            limit in
            let reply = try await client.call(
                .userList,
                UserListRequest(cursor: cursor, limit: limit, query: name)
            )
            return (rows: reply.users, next: reply.cursor)
        }
        if let found { return found.id }
        throw CommandFailure(.dataError, "unknown user “\(name)”")
    }
}
