// What this node's answers owe to watchers on other nodes: their text in parts often enough, and word of
// what their runs are doing before there is any.

package import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials

/// Knows which of this node's answers are watched elsewhere, and shares their progress.
package final class SharedAnswers {
    /// How often what runs are doing is shared at most.
    private static let interval = Duration.milliseconds(250)

    private let loop: EventLoop
    private let store: Store
    private let dispatcher: RunDispatcher
    private let bus: any Bus
    /// Conversations of growing answers that somebody watches on another node.
    private var elsewhere: Set<ConversationID> = []
    /// What each run told last, and those of which the others do not know.
    private var latest: [MessageID: RunNews] = [:]
    private var due: Set<MessageID> = []
    private var count: Int64 = 0
    private var isSharing = false

    init(loop: EventLoop, store: Store, dispatcher: RunDispatcher, bus: any Bus) {
        self.loop = loop
        self.store = store
        self.dispatcher = dispatcher
        self.bus = bus
    }

    /// Whether somebody on another node watches a conversation in which this one makes an answer.
    package func isWatchedElsewhere(_ conversation: ConversationID) -> Bool {
        elsewhere.contains(conversation)
    }

    /// A run begins: finds out for whom.
    func begins(in conversation: ConversationID) {
        guard bus.hasOthers, !elsewhere.contains(conversation) else { return }
        loop.spawn { [self] in
            let found = try? await store.nodes.watchedElsewhere([conversation], than: bus.node)
            if found?.isEmpty == false { watched(conversation) }
        }
    }

    /// Somebody on another node watches a conversation from now on.
    func watched(_ conversation: ConversationID) {
        elsewhere.insert(conversation)
        for news in latest.values where news.conversation == conversation {
            due.insert(news.message)
        }
        share()
    }

    /// Parts of the texts of answers in these conversations were stored.
    func grew(_ conversations: Set<ConversationID>) {
        // The bus looks who watches anyway; it knows better than we do.
        guard bus.hasOthers else { return }
        for conversation in conversations { bus.send(.text(conversation)) }
    }

    /// A run tells its watchers what it is doing.
    func note(_ event: ServerEvent, in conversation: ConversationID) {
        let message: MessageID
        switch event {
        case .messageStarted(let body): message = body.message
        case .messageProgress(let body): message = body.message
        default: return
        }
        guard bus.hasOthers, let run = dispatcher.run(of: message) else { return }
        count += 1
        latest[message] = RunNews(
            conversation: conversation,
            message: message,
            run: run,
            number: count,
            event: event
        )
        guard elsewhere.contains(conversation) else { return }
        due.insert(message)
        share()
    }

    /// Asks the database who watches, and forgets what has ended.
    func look() async {
        latest = latest.filter { dispatcher.isMaking($0.key) }
        let conversations = dispatcher.growingConversations
        guard bus.hasOthers, !conversations.isEmpty else {
            elsewhere = []
            return
        }
        guard
            let found = try? await store.nodes.watchedElsewhere(
                Array(conversations),
                than: bus.node
            )
        else { return }
        for conversation in found.subtracting(elsewhere) { watched(conversation) }
        elsewhere = found
    }

    private func share() {
        guard !isSharing, !due.isEmpty else { return }
        isSharing = true
        loop.spawn { [self] in
            while !due.isEmpty {
                let news = due.compactMap { latest[$0] }
                due = []
                if !news.isEmpty, (try? await store.keep(news)) != nil {
                    for conversation in Set(news.map(\.conversation)) {
                        bus.send(.text(conversation))
                    }
                }
                do { try await loop.sleep(for: Self.interval) } catch { break }
            }
            isSharing = false
        }
    }
}
