// Events about a user's folders. They are numbered by the same counter as events about
// conversations.

/// `folders.changed`: the reader created, renamed or deleted a folder.
public struct FoldersChanged: Codable, Sendable {
    /// All of the reader's folders, by name.
    public var folders: [Folder]
    /// The change's number in the reader's list.
    public var u: Int64
    /// The number sent before it, as in `conversation.listed`.
    public var after: Int64

    /// Creates an event.
    public init(folders: [Folder], u: Int64, after: Int64) {
        self.folders = folders
        self.u = u
        self.after = after
    }
}
