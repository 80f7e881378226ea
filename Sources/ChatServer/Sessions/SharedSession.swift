// A reader of a conversation with a share link and without an account, who sees the link's branch
// live and nothing else. Changes are read from the database and compared with what the reader was
// sent, so that no event of the conversation reaches them unfiltered; text of running answers comes
// from the hub. A snapshot changes only when what it shows is deleted or restored.

import ChatProtocol
import ChatStore
import EventLoop
import Networking
import WebSocketProtocol

/// The session of a reader with a share link, on one connection.
final class SharedSession: Watcher {
    /// How long changes are merged.
    private static let mergeInterval = Duration.milliseconds(40)
    private static let retryInterval = Duration.seconds(1)
    private static let pageSize = 200
    private static let stuckByteCount = 4 << 20

    let share: OpenShare
    private let server: any SessionServices
    private weak var carrier: (any SessionCarrier)?
    /// What the reader was sent, in the order of the branch.
    private var title = ""
    private var order: [MessageID] = []
    private var told: [MessageID: SharedMessage] = [:]
    /// For each running answer: the byte up to which the reader has it.
    private var have: [MessageID: Int] = [:]
    /// The runs that those texts are from.
    private var runs: [MessageID: RunID] = [:]
    private var isDue = false
    private var isReading = false
    private var isBegun = false
    private var isEnded = false

    /// - Throws: `WireError.busy` if there are too many readers.
    init(
        _ share: OpenShare,
        server: any SessionServices,
        carrier: any SessionCarrier
    ) throws(WireError) {
        self.share = share
        self.server = server
        self.carrier = carrier
        try server.readers.add(self)
    }

    /// Answers `share.watch`.
    /// - Throws: `WireError`, and database errors.
    func begin(_ id: Int64) async throws {
        server.hub.beginWatch(share.conversation, self)
        await server.nodes.join(share.conversation)
        let (page, n) = try await server.store.shares.page(
            of: share,
            before: nil,
            limit: Self.pageSize
        )
        guard !isEnded else { return }
        note(page)
        send(
            WireEncoding.reply(id, ok: ShareWatchReply(page: page, growing: takeGrowth()))
        )
        isBegun = true
        server.hub.activate(share.conversation, self, n: n)
        server.nodes.activated(share.conversation)
        // Events that were published before this watch began may be newer than the reply: read
        // again.
        if server.hub.lastTold(in: share.conversation).map({ $0 > n }) ?? false { change() }
    }

    /// Ends the session after its connection has closed.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        server.readers.remove(self)
        server.hub.unwatch(share.conversation, self)
    }

    /// Ends the connection.
    func close(_ code: CloseCode) {
        guard !isEnded else { return }
        end()
        carrier?.close(code)
    }

    /// Sends the new text, once the connection can send again.
    func resume() { grow() }

    /// Receives the text of one frame: only `ping` is allowed.
    func receive(_ text: [UInt8]) {
        do {
            let request = try ClientRequest.parse(text)
            if request.body(of: .ping) != nil {
                send(WireEncoding.reply(request.id, ok: PingReply(time: .now)))
            } else {
                refuse(request.id, WireError(.forbidden, "a share link is read-only"))
            }
            server.metrics.requests.answered(request.operation, after: .zero)
        } catch {
            refuse(error.id, error.error)
        }
    }

    private func refuse(_ id: Int64?, _ error: WireError) {
        server.metrics.requests.refused(error.code)
        send(WireEncoding.reply(id, error: error))
    }

    // MARK: Watcher

    var isSlow: Bool { carrier?.isAboveHighMark ?? false }
    var isStuck: Bool { carrier.map { $0.queuedByteCount > Self.stuckByteCount } ?? false }

    /// Called only with `lagged`, the one frame that is the same for all subscribers.
    func send(_ frame: SharedBytes) { close(.tooSlow) }

    func tell(_ frame: SharedBytes, _ kind: FrameKind) {
        switch kind {
        case .durable: change()
        case .text(let delta):
            guard share.isLive else { return }
            guard continues(delta) else { return grow() }
            have[delta.message] = delta.to
            carrier?.send(frame)
        case .fleeting: break
        }
    }

    private func send(_ text: [UInt8]) {
        if !isEnded { carrier?.send(SharedBytes(WebSocketFrame.encode(text: text))) }
    }

    // MARK: Changes

    private func change() {
        isDue = true
        guard !isReading, isBegun else { return }
        isReading = true
        server.loop.spawn { [self] in
            while isDue, !isEnded {
                do {
                    try await server.loop.sleep(for: Self.mergeInterval)
                    isDue = false
                    let (page, _) = try await server.store.shares.page(
                        of: share,
                        before: nil,
                        limit: Self.pageSize
                    )
                    tellChange(page)
                } catch let error as WireError where error == .noSuchShare {
                    close(.linkEnded)
                } catch {
                    isDue = true
                    do { try await server.loop.sleep(for: Self.retryInterval) } catch { break }
                }
            }
            isReading = false
        }
    }

    private func tellChange(_ page: SharedPage) {
        let changed = page.messages.filter { told[$0.id] != $0 }
        let ids = Set(page.messages.map(\.id))
        // Messages before the page are still on the branch.
        let first = page.more ? order.firstIndex { ids.contains($0) } : order.startIndex
        let removed = first.map { order[$0...].filter { !ids.contains($0) } } ?? order
        guard !changed.isEmpty || !removed.isEmpty || page.title != title else { return }
        if removed.isEmpty, let first {
            let kept = Set(order[first...])
            order += page.messages.map(\.id).filter { !kept.contains($0) }
            title = page.title
            for message in page.messages { told[message.id] = message }
        } else {
            note(page)
        }
        let event = ShareChanged(
            title: page.title,
            messages: changed,
            removed: removed.isEmpty ? nil : Array(removed)
        )
        send(WireEncoding.event(.shareChanged(event)))
        grow()
    }

    private func note(_ page: SharedPage) {
        title = page.title
        order = page.messages.map(\.id)
        told = Dictionary(page.messages.map { ($0.id, $0) }) { first, _ in first }
        have = have.filter { told[$0.key] != nil }
        runs = runs.filter { told[$0.key] != nil }
    }

    // MARK: Running answers

    private func grow() {
        guard isBegun, !isEnded, !isSlow else { return }
        for answer in takeGrowth() {
            let delta = MessageDelta(
                conversation: share.conversation,
                message: answer.message,
                run: answer.run,
                at: answer.at,
                to: answer.to,
                text: answer.text
            )
            send(WireEncoding.event(.messageDelta(delta)))
        }
    }

    /// Whether a delta begins where the reader's text ends: then its encoded frame is sent as it
    /// is.
    private func continues(_ delta: MessageDelta) -> Bool {
        guard isBegun, !isEnded, !isSlow, told[delta.message]?.state.isFinal == false else {
            return false
        }
        return runs[delta.message] == delta.run && have[delta.message] == delta.at
    }

    /// The new text of the branch's running answers; it counts as sent afterwards.
    private func takeGrowth() -> [GrowingAnswer] {
        let known = Dictionary(
            uniqueKeysWithValues: have.map { ($0.key.description, $0.value) }
        )
        var growth: [GrowingAnswer] = []
        for var answer in server.hub.growing(share.conversation, have: known) {
            let count = have[answer.message] ?? 0
            guard let message = told[answer.message], !message.state.isFinal,
                answer.to != count || answer.at < answer.to
            else { continue }
            if runs[answer.message] == answer.run, answer.at < count, count <= answer.to {
                // The reader has this run's text: only the text after it is new.
                let rest = answer.text.utf8.dropFirst(count - answer.at)
                guard !rest.isEmpty else { continue }
                answer.text = String(decoding: rest, as: UTF8.self)
                answer.at = count
            }
            have[answer.message] = answer.to
            runs[answer.message] = answer.run
            growth.append(answer)
        }
        return growth
    }
}
