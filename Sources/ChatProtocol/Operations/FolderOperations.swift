// Operations on a user's folders and tags.

extension Operation {
    /// Lists the user's folders.
    public static var folderList: Operation<EmptyRequest, FolderListReply> {
        .init(
            "folder.list",
            requires: .signedIn,
            scope: .read,
            replies: "`{folders, u}`, by name; `u` as in [lists](#lists)",
            examples: [EmptyRequest()]
        )
    }

    /// Creates a folder.
    public static var folderCreate: Operation<FolderCreateRequest, FolderReply> {
        .init(
            "folder.create",
            requires: .signedIn,
            scope: .write,
            takes: "`name` (1-64 characters)",
            replies: """
                `{folder}`; the existing one if the user has one with this name, in upper or lower \
                case; at most 200: `limit_exceeded`
                """,
            examples: [FolderCreateRequest(name: "Kitchen")]
        )
    }

    /// Renames a folder.
    public static var folderRename: Operation<FolderRenameRequest, FolderReply> {
        .init(
            "folder.rename",
            requires: .signedIn,
            scope: .write,
            takes: "`folder`, `name`",
            replies: "`{folder}`; `conflict` if another folder of the user has this name",
            examples: [FolderRenameRequest(folder: .example(14), name: "Bakery")]
        )
    }

    /// Deletes a folder, and keeps its conversations.
    public static var folderDelete: Operation<FolderRequest, EmptyReply> {
        .init(
            "folder.delete",
            requires: .signedIn,
            scope: .write,
            takes: "`folder`",
            replies: "`{}`; its conversations stay in the list, in no folder",
            examples: [FolderRequest(folder: .example(14))]
        )
    }

    /// Moves a conversation into one of the user's folders, or out of its folder.
    public static var conversationFile: Operation<ConversationFileRequest, EmptyReply> {
        .init(
            "conversation.file",
            requires: .conversation(.read),
            scope: .write,
            takes: "`conversation`, `folder?` (absent: into none)",
            replies: "`{}`; only in the user's own list; idempotent",
            examples: [
                ConversationFileRequest(conversation: .example(1)),
                ConversationFileRequest(conversation: .example(1), folder: .example(14)),
            ]
        )
    }

    /// Replaces a conversation's tags in the user's own list.
    public static var conversationTag: Operation<ConversationTagRequest, ConversationTagReply> {
        .init(
            "conversation.tag",
            requires: .conversation(.read),
            scope: .write,
            takes: "`conversation`, `tags` (at most 20, each of 1-40 characters)",
            replies: """
                `{tags}`: all of its tags in the user's own list, which replace the earlier ones; \
                a user has at most 200 different tags: `limit_exceeded`; idempotent
                """,
            examples: [ConversationTagRequest(conversation: .example(1), tags: ["tea", "to read"])]
        )
    }

    /// Lists the user's tags.
    public static var tagList: Operation<EmptyRequest, TagListReply> {
        .init(
            "tag.list",
            requires: .signedIn,
            scope: .read,
            replies: "`{tags:[{name, conversations}]}`, by name",
            examples: [EmptyRequest()]
        )
    }
}

extension OperationDefinition {
    static let folders: [OperationDefinition] = [
        .init(.folderList),
        .init(.folderCreate),
        .init(.folderRename),
        .init(.folderDelete),
        .init(.conversationFile),
        .init(.conversationTag),
        .init(.tagList),
    ]
}

// MARK: Requests and replies

/// `folder.create`.
public struct FolderCreateRequest: Codable, Sendable {
    /// The name.
    public var name: String

    /// Creates a request.
    public init(name: String) {
        self.name = name
    }
}

/// `folder.rename`.
public struct FolderRenameRequest: Codable, Sendable {
    /// The folder.
    public var folder: FolderID
    /// The new name.
    public var name: String

    /// Creates a request.
    public init(folder: FolderID, name: String) {
        self.folder = folder
        self.name = name
    }
}

/// The request of operations that only name a folder.
public struct FolderRequest: Codable, Sendable {
    /// The folder.
    public var folder: FolderID

    /// Creates a request.
    public init(folder: FolderID) {
        self.folder = folder
    }
}

/// The reply of operations that return one folder.
public struct FolderReply: Codable, Sendable {
    /// The folder in its current state.
    public var folder: Folder

    /// Creates a reply.
    public init(folder: Folder) {
        self.folder = folder
    }
}

/// The reply of `folder.list`.
public struct FolderListReply: Codable, Sendable {
    /// All of the user's folders, by name.
    public var folders: [Folder]
    /// The list's latest change number: the reply contains every change of folders up to it.
    public var u: Int64

    /// Creates a reply.
    public init(folders: [Folder], u: Int64) {
        self.folders = folders
        self.u = u
    }
}

/// `conversation.file`: moves a conversation into a folder of the user's own list, or out of it.
public struct ConversationFileRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The folder; absent for none.
    public var folder: FolderID?

    /// Creates a request.
    public init(conversation: ConversationID, folder: FolderID? = nil) {
        self.conversation = conversation
        self.folder = folder
    }
}

/// `conversation.tag`: replaces a conversation's tags in the user's own list.
public struct ConversationTagRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The tags; empty for none.
    public var tags: [String]

    /// Creates a request.
    public init(conversation: ConversationID, tags: [String]) {
        self.conversation = conversation
        self.tags = tags
    }
}

/// The reply of `conversation.tag`.
public struct ConversationTagReply: Codable, Sendable {
    /// The conversation's tags, each once, in Unicode normalization form C, by name.
    public var tags: [String]

    /// Creates a reply.
    public init(tags: [String]) {
        self.tags = tags
    }
}

/// The reply of `tag.list`.
public struct TagListReply: Codable, Sendable {
    /// The tags, by name.
    public var tags: [Tag]

    /// Creates a reply.
    public init(tags: [Tag]) {
        self.tags = tags
    }
}
