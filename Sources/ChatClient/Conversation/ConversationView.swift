// A client's state of one conversation, as a value: watch replies and events go in, messages come out. It
// uses no socket and no clock. It detects missing or inconsistent data and then requests a new watch, so
// that every answer ends byte-equal with the stored text.

import ChatCore
public import ChatProtocol

/// A conversation, updated event by event.
///
/// Apply the reply of each `conversation.watch`, and every event of the connection, in order. Whenever
/// `mismatch` is set afterwards, send `watchRequest` and apply its reply; events in between are ignored,
/// because the reply contains them.
public struct ConversationView: Sendable {
    /// The conversation's id.
    public let id: ConversationID
    /// The conversation itself; nil until the first snapshot.
    public internal(set) var conversation: Conversation?
    /// The messages of the visible branch, oldest first. The `text` of an unfinished answer is what
    /// has arrived so far.
    public var messages: [Message] { shown.compactMap { known[$0] } }
    /// Whether the server has messages older than the first of `messages`.
    public var hasOlderMessages: Bool { shown.first.flatMap { known[$0]?.parent } != nil }
    /// A message of the selected branch; nil if the newest branch is shown.
    public internal(set) var selected: MessageID?
    /// The number of the last durable event applied; nil before the first watch.
    public internal(set) var lastEvent: Int64?
    /// The queue position of each queued answer; 1 is the next one to start.
    public internal(set) var queuePositions: [MessageID: Int] = [:]
    /// Whether the conversation was deleted.
    public internal(set) var isDeleted = false
    /// Why a new watch is needed; nil if the view is consistent.
    public internal(set) var mismatch: Mismatch?

    /// All messages that the view has, including those of other branches.
    var known: [MessageID: Message] = [:]
    /// The tree of messages, including siblings that the view has not loaded.
    var tree = MessageTree()
    /// The visible branch, as far back as the view has loaded it.
    var shown: [MessageID] = []
    /// Deleted messages: a page that was read earlier may still contain them.
    var deleted: Set<MessageID> = []

    /// An inconsistency.
    public enum Mismatch: Sendable, Hashable {
        /// A durable event arrived before its predecessor.
        case missedEvent(after: Int64)
        /// Text of an answer before the received delta is missing, or belongs to another run.
        case missedText(MessageID)
        /// An answer ended, and its text differs from the stored text.
        case wrongText(MessageID)
        /// Messages of the branch to show are missing, after a deletion or a restoration.
        case missedBranch(MessageID?)
        /// The server dropped this subscriber's position, because it read too slowly.
        case lagged
        /// A watch reply does not match its request: only a snapshot helps.
        case wrongReply
    }

    /// What applying an event or a reply changed, for a user interface.
    public enum Change: Sendable, Hashable {
        /// Everything may have changed: read all again.
        case reloaded
        /// A message was added, on the visible branch or on another.
        case created(MessageID)
        /// Messages were deleted.
        case removed([MessageID])
        /// The number of siblings of this message changed.
        case siblings(MessageID)
        /// Another branch is visible: read `messages` again.
        case switched
        /// The ratings of an answer changed.
        case rated(MessageID)
        /// An answer has this queue position, 1 for the next one to start, and starts in about
        /// `eta` seconds, if known.
        case queued(MessageID, position: Int, eta: Double?)
        /// The run of an answer started.
        case started(MessageID, droppedMessages: Int)
        /// The engine has processed this many tokens of the prompt.
        case progressed(MessageID, done: Int, total: Int)
        /// The answer has new text from this UTF-8 offset.
        case grew(MessageID, from: Int)
        /// A part of the answer's text was discarded: show it again from the start.
        case restarted(MessageID)
        /// The answer's text is final.
        case ended(MessageID)
        /// Title, system prompt or settings changed.
        case updated
        /// A member joined, left, or got another role.
        case membersChanged
        /// The conversation was deleted.
        case deleted
    }

    /// An empty view: send its `watchRequest`.
    public init(_ id: ConversationID) {
        self.id = id
    }

    /// The message with that id, if the view has it.
    public func message(_ id: MessageID) -> Message? { known[id] }

    /// Whether a message is on the visible branch.
    public func isShown(_ id: MessageID) -> Bool { shown.contains(id) }

    /// The unfinished answers of the visible branch, oldest first.
    public var unfinishedAnswers: [Message] {
        messages.filter { !$0.state.isFinal }
    }

    /// The `conversation.watch` request that updates this view.
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

    /// Drops event numbers of a previous epoch of the server.
    public mutating func forgetNumbers() {
        mismatch = .wrongReply
    }

    /// Whether the text of an answer may be wrong, so that a reply must not build on it.
    private func isDoubted(_ id: MessageID) -> Bool {
        switch mismatch {
        case .missedText(id), .wrongText(id): true
        default: false
        }
    }
}
