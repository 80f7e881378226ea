// What a client knows of one conversation, as a value: watch replies and events in, messages out. It
// touches no socket and no clock. It notices whatever is missing or does not fit, and then asks for a
// new watch, so that every answer ends byte-equal with the text that the server stored.

import ChatCore
public import ChatProtocol

/// One conversation, followed event by event.
///
/// Apply the reply of each `conversation.watch`, and every event that comes on the connection, in
/// order. Whenever `mismatch` is set afterwards, send `watchRequest` and apply its reply; events in
/// between are ignored, because the reply holds them.
public struct ConversationView: Sendable {
    /// Which conversation.
    public let id: ConversationID
    /// The conversation itself; nil until the first snapshot.
    public internal(set) var conversation: Conversation?
    /// The messages of the branch that is shown, oldest first. Of a growing answer `text` is what has
    /// come so far.
    public var messages: [Message] { shown.compactMap { known[$0] } }
    /// Whether the server has messages older than the first of `messages`.
    public var hasOlderMessages: Bool { shown.first.flatMap { known[$0]?.parent } != nil }
    /// A message of the branch that is shown; nil while whatever is newest is shown.
    public internal(set) var selected: MessageID?
    /// The number of the last durable event that is contained; nil before the first watch.
    public internal(set) var lastEvent: Int64?
    /// For each waiting answer, how many are before it; 1 for the next one to start.
    public internal(set) var queuePositions: [MessageID: Int] = [:]
    /// Whether the conversation is gone for everybody.
    public internal(set) var isDeleted = false
    /// Why a new watch is needed; nil while everything fits.
    public internal(set) var mismatch: Mismatch?

    /// All messages that the view has, also those of other branches.
    var known: [MessageID: Message] = [:]
    /// How they hang together, with those beside them that the view does not have.
    var tree = MessageTree()
    /// The branch that is shown, as far back as the view has it.
    var shown: [MessageID] = []
    /// What was deleted: a page that was read before may still hold it.
    var deleted: Set<MessageID> = []

    /// What did not fit.
    public enum Mismatch: Sendable, Hashable {
        /// A durable event came, and the one before it had not.
        case missedEvent(after: Int64)
        /// Text of an answer is missing before what came, or another run wrote it.
        case missedText(MessageID)
        /// An answer ended, and its text is not the one that the server stored.
        case wrongText(MessageID)
        /// What is to be shown was never told: something was deleted that hid it, or came back.
        case missedBranch(MessageID?)
        /// The server gave up on this reader's place.
        case lagged
        /// A watch reply did not fit what it was asked for: only a snapshot helps.
        case wrongReply
    }

    /// What applying an event or a reply changed, for whoever shows the conversation.
    public enum Change: Sendable, Hashable {
        /// Everything may have changed: read it all again.
        case reloaded
        /// A message came, on the branch that is shown or on another.
        case created(MessageID)
        /// Messages were deleted.
        case removed([MessageID])
        /// There are more or fewer messages in the place of this one.
        case siblings(MessageID)
        /// Another branch is shown: read `messages` anew.
        case switched
        /// What members think of an answer changed.
        case rated(MessageID)
        /// An answer has this place in the queue, 1 for the next one to start, and begins in so many
        /// seconds, where that is known.
        case queued(MessageID, position: Int, eta: Double?)
        /// An engine has the prompt.
        case started(MessageID, droppedMessages: Int)
        /// So many tokens of the prompt have been read.
        case progressed(MessageID, done: Int, total: Int)
        /// The answer has new text from this UTF-8 offset on.
        case grew(MessageID, from: Int)
        /// Some of what the answer had said counts no more: show it anew from its beginning.
        case restarted(MessageID)
        /// The answer's text is final.
        case ended(MessageID)
        /// Title, system prompt or settings changed.
        case updated
        /// Someone came, left, or has another role.
        case membersChanged
        /// The conversation is gone for everybody.
        case deleted
    }

    /// A view that knows nothing yet: send its `watchRequest`.
    public init(_ id: ConversationID) {
        self.id = id
    }

    /// The message of that id, where the view has it.
    public func message(_ id: MessageID) -> Message? { known[id] }

    /// Whether a message is on the branch that is shown.
    public func isShown(_ id: MessageID) -> Bool { shown.contains(id) }

    /// The answers of the shown branch that are not final yet, oldest first.
    public var unfinishedAnswers: [Message] {
        messages.filter { !$0.state.isFinal }
    }

    /// The `conversation.watch` that brings this view up to date from what it has.
    public var watchRequest: ConversationWatchRequest {
        switch mismatch {
        case .wrongReply: return ConversationWatchRequest(conversation: id, leaf: shown.last)
        case .missedBranch(let leaf):
            return ConversationWatchRequest(conversation: id, leaf: leaf)
        default: break
        }
        var have: [String: Int] = [:]
        for answer in known.values where !answer.state.isFinal && !answer.text.isEmpty {
            guard !isDoubted(answer.id) else { continue }
            have[answer.id.description] = answer.text.utf8.count
        }
        return ConversationWatchRequest(
            conversation: id,
            after: lastEvent,
            have: have.isEmpty ? nil : have,
            leaf: shown.last
        )
    }

    /// Forgets what was numbered under another epoch of the server.
    public mutating func forgetNumbers() {
        mismatch = .wrongReply
    }

    /// Whether the text of an answer may not be built upon.
    private func isDoubted(_ id: MessageID) -> Bool {
        switch mismatch {
        case .missedText(id), .wrongText(id): true
        default: false
        }
    }
}
