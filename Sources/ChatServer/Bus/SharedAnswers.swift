// What readers on other nodes learn of this node's runs: checkpoints often enough, and what a run is doing
// before it has text.

import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials

/// Knows which runs of this node are read elsewhere, and shares their progress.
final class SharedAnswers {
    /// How often what runs are doing is shared at most.
    private static let interval = Duration.milliseconds(250)

    private let loop: EventLoop
    private let store: Store
    private let runs: RunTable
    private let bus: any Bus
    /// Conversations of this node's runs that somebody reads on another node.
    private var elsewhere: Set<ConversationID> = []
    /// The last news of each run, and the runs whose last news the others do not have.
    private var latest: [MessageID: RunNews] = [:]
    private var due: Set<MessageID> = []
    private var count: Int64 = 0
    private var isSharing = false

    init(loop: EventLoop, store: Store, runs: RunTable, bus: any Bus) {
        self.loop = loop
        self.store = store
        self.runs = runs
        self.bus = bus
    }

    /// Whether somebody on another node reads a conversation in which this node has a run.
    func isWatchedElsewhere(_ conversation: ConversationID) -> Bool {
        elsewhere.contains(conversation)
    }

    /// A run begins: finds out who reads it.
    func runBegins(in conversation: ConversationID) {
        guard bus.hasOthers, !elsewhere.contains(conversation) else { return }
        loop.spawn { [self] in
            let found = try? await store.nodes.watchedElsewhere([conversation], than: bus.node)
            if found?.isEmpty == false { watched(conversation) }
        }
    }

    /// Somebody on another node reads a conversation from now on.
    func watched(_ conversation: ConversationID) {
        elsewhere.insert(conversation)
        for news in latest.values where news.conversation == conversation {
            due.insert(news.message)
        }
        share()
    }

    /// Checkpoints of runs in these conversations were stored.
    func stored(in conversations: Set<ConversationID>) {
        // The bus finds out who reads them anyway; it knows better than this node does.
        guard bus.hasOthers else { return }
        for conversation in conversations { bus.send(.text(conversation)) }
    }

    /// A run of this node said what it is doing.
    func note(_ event: ServerEvent, of run: RunID, message: MessageID) {
        guard bus.hasOthers, let conversation = runs[message]?.claim.conversation else { return }
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

    /// Asks the database who reads what, and forgets what has ended.
    func look() async {
        latest = latest.filter { runs.holds($0.key) }
        let conversations = runs.generatingConversations
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
                if !news.isEmpty, (try? await store.storeNews(news)) != nil {
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
