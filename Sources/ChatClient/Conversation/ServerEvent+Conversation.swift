// The conversation of an event.

public import ChatProtocol

extension ServerEvent {
    /// The conversation that the event belongs to; nil for other events.
    public var conversation: ConversationID? {
        switch self {
        case .welcome, .modelChanged, .modelRemoved, .shareChanged, .teamChanged, .teamLeft,
            .foldersChanged:
            nil
        case .messageCreated(let body): body.conversation
        case .messageQueued(let body): body.conversation
        case .messageStarted(let body): body.conversation
        case .messageProgress(let body): body.conversation
        case .messageRestarted(let body): body.conversation
        case .messageDelta(let body): body.conversation
        case .messageCompleted(let body), .messageStopped(let body), .messageFailed(let body):
            body.conversation
        case .messageDeleted(let body): body.conversation
        case .messageRestored(let body): body.conversation
        case .messageFeedback(let body): body.conversation
        case .conversationUpdated(let body): body.conversation
        case .conversationDeleted(let body): body.conversation
        case .memberChanged(let body): body.conversation
        case .conversationListed(let body): body.conversation
        case .conversationUnlisted(let body): body.conversation
        case .presenceChanged(let body): body.conversation
        case .typing(let body): body.conversation
        case .lagged(let body): body.conversation
        }
    }
}
