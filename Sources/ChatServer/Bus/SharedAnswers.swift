// Shares the progress of this node's runs with readers on other nodes: frequent checkpoints, and
// progress events before the first text.

import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials

/// Knows which runs of this node have readers on other nodes, and shares their progress.
final class SharedAnswers {
    /// Minimum time between two writes of progress events.
    private static let interval = Duration.milliseconds(250)

    private let loop: EventLoop
    private let store: Store
    private let runs: RunTable
    private let bus: any Bus
    /// Conversations of this node's runs that have readers on other nodes.
    private var elsewhere: Set<ConversationID> = []
    /// The latest progress event of each run, and the runs whose latest one is not yet shared.
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

    /// Whether a conversation of one of this node's runs has readers on other nodes.
    func isWatchedElsewhere(_ conversation: ConversationID) -> Bool {
        elsewhere.contains(conversation)
    }

    /// Finds out which readers a new run has.
    func runBegins(in conversation: ConversationID) {
        guard bus.hasOthers, !elsewhere.contains(conversation) else { return }
        loop.spawn { [self] in
            let found = try? await store.nodes.watchedElsewhere([conversation], than: bus.node)
            if found?.isEmpty == false { watched(conversation) }
        }
    }

    /// Notes that a conversation has readers on another node from now on.
    func watched(_ conversation: ConversationID) {
        elsewhere.insert(conversation)
        for news in latest.values where news.conversation == conversation {
            due.insert(news.message)
        }
        share()
    }

    /// Notifies other nodes of new checkpoints in these conversations.
    func stored(in conversations: Set<ConversationID>) {
        // The bus determines the nodes with subscribers itself, from newer data than this node has.
        guard bus.hasOthers else { return }
        for conversation in conversations { bus.send(.text(conversation)) }
    }

    /// Shares a progress event of a run of this node.
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

    /// Reads from the database which conversations have readers elsewhere, and forgets ended runs.
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
                if !news.isEmpty, (try? await store.runs.storeNews(news)) != nil {
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
