/// The operations of protocol v1 that this server has: the one list that requests, rights and docs
/// are held against.
public enum Operation: String, Codable, Sendable, CaseIterable {
    case auth
    case ping
    case conversationList = "conversation.list"
    case conversationCreate = "conversation.create"
    case conversationGet = "conversation.get"
    case conversationUpdate = "conversation.update"
    case conversationPrompts = "conversation.prompts"
    case conversationDelete = "conversation.delete"
    case conversationFork = "conversation.fork"
    case conversationWatch = "conversation.watch"
    case conversationUnwatch = "conversation.unwatch"
    case conversationRead = "conversation.read"
    case memberAdd = "member.add"
    case memberRemove = "member.remove"
    case messageList = "message.list"
    case messageSend = "message.send"
    case messageEdit = "message.edit"
    case messageRegenerate = "message.regenerate"
    case messageContinue = "message.continue"
    case messageSelect = "message.select"
    case messageDelete = "message.delete"
    case messageFeedback = "message.feedback"
    case generationStop = "generation.stop"
    case generationList = "generation.list"
    case search
    case modelList = "model.list"
    case modelPull = "model.pull"
    case modelPullCancel = "model.pull.cancel"
    case sessionList = "session.list"
    case sessionRevoke = "session.revoke"
    case sessionRevokeOthers = "session.revoke_others"
    case accountPassword = "account.password"
    case keyCreate = "key.create"
    case keyList = "key.list"
    case keyRevoke = "key.revoke"
}
