// How a user sorts the conversations of their own list: folders and tags. Both are personal.

/// A folder of a user. A conversation is in one folder at most.
public struct Folder: Codable, Hashable, Sendable {
    /// The folder's id.
    public var id: FolderID
    /// Its name.
    public var name: String

    /// Creates a folder.
    public init(id: FolderID, name: String) {
        self.id = id
        self.name = name
    }
}

/// A folder's identifier.
public typealias FolderID = ID<Folder>

/// A tag of a user's conversations.
public struct Tag: Codable, Hashable, Sendable {
    /// The tag itself.
    public var name: String
    /// Number of the user's conversations that have it, archived ones included.
    public var conversations: Int

    /// Creates a tag.
    public init(name: String, conversations: Int) {
        self.name = name
        self.conversations = conversations
    }
}
