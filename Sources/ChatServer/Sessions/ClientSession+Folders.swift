// Operations on folders and tags.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addFolders() {
        handle(.folderList) { session, _ in try await session.listFolders() }
        handle(.folderCreate) { try await $0.createFolder($1) }
        handle(.folderRename) { try await $0.renameFolder($1) }
        handle(.folderDelete) { try await $0.deleteFolder($1) }
        handle(.conversationFile) { try await $0.file($1) }
        handle(.conversationTag) { try await $0.tag($1) }
        handle(.tagList) { session, _ in
            TagListReply(tags: try await session.server.store.folders.tags(of: session.user.id))
        }
    }
}

extension ClientSession {
    func listFolders() async throws -> FolderListReply {
        // The number is read first: newer changes are sent again as events.
        let u = try await server.store.lists.position(of: user.id)
        return FolderListReply(folders: try await server.store.folders.list(of: user.id), u: u)
    }

    func createFolder(_ request: FolderCreateRequest) async throws -> FolderReply {
        try Limits.check(name: request.name, of: "a folder")
        let folder = try await server.store.folders.create(request, by: user.id)
        server.hub.lists.changed(user.id)
        return FolderReply(folder: folder)
    }

    func renameFolder(_ request: FolderRenameRequest) async throws -> FolderReply {
        try Limits.check(name: request.name, of: "a folder")
        let folder = try await server.store.folders.rename(request, by: user.id)
        server.hub.lists.changed(user.id)
        return FolderReply(folder: folder)
    }

    func deleteFolder(_ request: FolderRequest) async throws -> EmptyReply {
        try await server.store.folders.delete(request.folder, by: user.id)
        server.hub.lists.changed(user.id)
        return EmptyReply()
    }

    func file(_ request: ConversationFileRequest) async throws -> EmptyReply {
        try await server.store.folders.file(request, by: user.id)
        server.hub.lists.changed(user.id)
        return EmptyReply()
    }

    func tag(_ request: ConversationTagRequest) async throws -> ConversationTagReply {
        guard request.tags.count <= FolderStore.tagsPerConversationMax else {
            throw WireError(
                .limitExceeded,
                "a conversation has at most \(FolderStore.tagsPerConversationMax) tags"
            )
        }
        for tag in request.tags {
            try Limits.check(name: tag, of: "a tag", atMost: FolderStore.tagCharactersMax)
        }
        let tags = try await server.store.folders.tag(request, by: user.id)
        server.hub.lists.changed(user.id)
        return ConversationTagReply(tags: tags)
    }
}
