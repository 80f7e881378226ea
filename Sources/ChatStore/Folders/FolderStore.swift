// Users' folders: creating, renaming and deleting them, and which conversation is in which. Both are
// personal: other members of a conversation see neither.

import ChatCore
public import ChatProtocol
import Postgres

/// Users' folders, and their tags of conversations.
public struct FolderStore {
    let pool: StorePool

    /// Maximum folders per user.
    public static let foldersMax = 200

    /// A user's folders, by name.
    public func list(of user: UserID) async throws -> [Folder] {
        let rows = try await pool.query(
            "SELECT id, name FROM folders WHERE user_id = $1 ORDER BY lower(name), id",
            [.uuid(user)]
        )
        return try rows.map { try Folder(row: $0) }
    }

    /// Creates a folder, or returns the one that has this name already. Idempotent.
    /// - Throws: `WireError.limitExceeded` if the user would have more than `foldersMax`.
    public func create(_ request: FolderCreateRequest, by user: UserID) async throws -> Folder {
        try await pool.transaction { transaction in
            let id = FolderID.make()
            let rows = try await transaction.query(
                """
                INSERT INTO folders AS f (id, user_id, name) VALUES ($1, $2, normalize($3))
                ON CONFLICT (user_id, lower(name)) DO UPDATE SET name = f.name
                RETURNING id, name
                """,
                [.uuid(id), .uuid(user), .text(request.name)]
            )
            guard let row = rows.first else { throw WireError.noSuchFolder }
            let folder = try Folder(row: row)
            guard folder.id == id else { return folder }
            // The user's list number is locked from here on, so concurrent requests cannot exceed
            // the limit.
            try transaction.tellList(ofFoldersOf: user)
            let all = try await transaction.query(
                "SELECT count(*) AS folders FROM folders WHERE user_id = $1",
                [.uuid(user)]
            )
            guard try all.first?.decode("folders", as: Int64.self) ?? 0 <= Self.foldersMax else {
                throw WireError(
                    .limitExceeded,
                    "more than \(Self.foldersMax) folders: delete one first"
                )
            }
            return folder
        }
    }

    /// Renames a folder.
    /// - Throws: `WireError.notFound` if it is not the user's; `.conflict` if another one has the
    ///   name.
    public func rename(_ request: FolderRenameRequest, by user: UserID) async throws -> Folder {
        do {
            return try await pool.transaction { transaction in
                let rows = try await transaction.query(
                    """
                    UPDATE folders SET name = normalize($3) WHERE id = $1 AND user_id = $2
                    RETURNING id, name
                    """,
                    [.uuid(request.folder), .uuid(user), .text(request.name)]
                )
                guard let row = rows.first else { throw WireError.noSuchFolder }
                try transaction.tellList(ofFoldersOf: user)
                return try Folder(row: row)
            }
        } catch PostgresError.server(let error) where error.constraint == "folders_name" {
            throw WireError(.conflict, "you have another folder with this name")
        }
    }

    /// Deletes a folder. Its conversations stay, in no folder.
    /// - Throws: `WireError.notFound` if it is not the user's.
    public func delete(_ folder: FolderID, by user: UserID) async throws {
        try await pool.transaction { transaction in
            // Nothing can be put into it from here on.
            try await transaction.lockFolder(folder, of: user, "FOR UPDATE")
            try transaction.send(
                """
                SELECT FROM conversations WHERE id IN (
                    SELECT conversation_id FROM members WHERE user_id = $2 AND folder_id = $1
                ) ORDER BY id FOR SHARE
                """,
                [.uuid(folder), .uuid(user)]
            )
            // A number for each of its conversations, and the last one for the folders.
            try transaction.send(
                """
                WITH filed AS (
                    SELECT conversation_id, row_number() OVER (ORDER BY conversation_id) AS step
                    FROM members WHERE user_id = $2 AND folder_id = $1
                ), steps AS (
                    SELECT count(*) + 1 AS count FROM filed
                ), counted AS (
                    INSERT INTO list_positions AS p (user_id, u, folders_u)
                    SELECT $2, count, count FROM steps
                    ON CONFLICT (user_id) DO UPDATE
                        SET u = p.u + excluded.u, folders_u = p.u + excluded.u
                    RETURNING p.u
                )
                UPDATE members m
                SET folder_id = NULL, list_u = counted.u - steps.count + filed.step
                FROM filed, steps, counted
                WHERE m.conversation_id = filed.conversation_id AND m.user_id = $2
                """,
                [.uuid(folder), .uuid(user)]
            )
            try transaction.send("DELETE FROM folders WHERE id = $1", [.uuid(folder)])
        }
    }

    /// Moves a conversation into one of the member's folders, or out of its folder. Idempotent.
    /// - Throws: `WireError.notFound` if the user is not a member, or the folder is not theirs.
    public func file(_ request: ConversationFileRequest, by user: UserID) async throws {
        try await pool.transaction { transaction in
            if let folder = request.folder {
                try await transaction.lockFolder(folder, of: user, "FOR KEY SHARE")
            }
            _ = try await transaction.lock(request.conversation, for: user, to: .read)
            try transaction.send(
                """
                WITH \(ListNumbers.next(of: """
                    SELECT user_id FROM members WHERE conversation_id = $1 AND user_id = $2
                        AND folder_id IS DISTINCT FROM $3
                    """))
                UPDATE members m SET list_u = counted.u, folder_id = $3
                FROM counted
                WHERE m.conversation_id = $1 AND m.user_id = counted.user_id
                """,
                [.uuid(request.conversation), .uuid(user), .optional(request.folder)]
            )
        }
    }
}

extension StoreTransaction {
    /// Locks a folder's row, before any conversation.
    /// - Throws: `WireError.notFound` if it is not the user's.
    fileprivate func lockFolder(
        _ folder: FolderID,
        of user: UserID,
        _ strength: String
    ) async throws {
        let rows = try await query(
            "SELECT FROM folders WHERE id = $1 AND user_id = $2 \(strength)",
            [.uuid(folder), .uuid(user)]
        )
        guard !rows.isEmpty else { throw WireError.noSuchFolder }
    }

    /// Adds a change of a user's folders to their list, without waiting for the result. No
    /// conversation may be locked afterwards.
    func tellList(ofFoldersOf user: UserID) throws {
        try send(
            """
            INSERT INTO list_positions AS p (user_id, u, folders_u) VALUES ($1, 1, 1)
            ON CONFLICT (user_id) DO UPDATE SET u = p.u + 1, folders_u = p.u + 1
            """,
            [.uuid(user)]
        )
    }
}

extension Folder {
    /// Reads the id and the name of a folder.
    init(row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: Folder.self),
            name: try row.decode("name", as: String.self)
        )
    }
}
