// Reads all answers of a request together, as they grow.

import ChatCore
import ChatProtocol
import EventLoop
import OpenAIProtocol

/// The readers of a request's answers, which are numbered from 0.
final class AnswerGroup {
    /// What a read returns.
    enum Piece {
        /// More text of an answer.
        case piece(AnswerPiece, of: Int)
        /// There is no more text of an answer.
        case end(AnswerEnd, of: Int)
        /// There was nothing for the given time.
        case nothing
    }

    private let readers: [AnswerReader]
    private let loop: EventLoop
    private var ends: [AnswerEnd?]
    /// The answer that is read next: all have their turn.
    private var next = 0
    private var waiter: LoopPromise<Void, Never>?

    /// - Parameters:
    ///   - readers: a reader for each answer; not empty.
    ///   - loop: their loop.
    init(_ readers: [AnswerReader], loop: EventLoop) {
        self.readers = readers
        self.loop = loop
        ends = readers.map { _ in nil }
        for reader in readers { reader.onArrival = { [weak self] in self?.wake() } }
    }

    /// Subscribes to the answers.
    /// - Throws: `WireError` if one is gone, and database errors.
    func begin() async throws {
        for reader in readers { try await reader.begin() }
    }

    /// Ends the subscriptions. Idempotent.
    func end() {
        for reader in readers { reader.end() }
    }

    /// Whether all answers have been read to their ends.
    var isOver: Bool { ends.allSatisfy { $0 != nil } }

    /// The tokens used by the answers that were read to their ends.
    /// - Parameter answersPerPrompt: how many of the answers share a prompt.
    /// - Returns: the tokens; nil if none has ended.
    func usage(answersPerPrompt: Int) -> TokenUsage? {
        TokenUsage.sum(
            ends.compactMap { $0?.usage.map { TokenUsage($0) } },
            answersPerPrompt: answersPerPrompt
        )
    }

    /// Waits for more of any answer.
    /// - Parameter duration: how long; nil for as long as it takes.
    /// - Returns: what came. Not after all have ended.
    /// - Throws: `APIError` if an answer cannot be read to its end, or was stopped; the others are
    ///   stopped then. Database errors.
    func read(within duration: Duration?) async throws -> Piece {
        let deadline = duration.map { loop.now + $0 }
        while true {
            do {
                if let piece = try await readNext() { return piece }
            } catch {
                for reader in readers { reader.abandon() }
                throw error
            }
            let rest = deadline.map { $0 - loop.now }
            if let rest, rest <= .zero { return .nothing }
            await wait(atMost: rest)
        }
    }

    /// Reads all answers to their ends.
    /// - Throws: as `read` does.
    func readAll() async throws -> [WholeAnswer] {
        var pieces = readers.map { _ in AnswerPiece("") }
        while !isOver {
            guard case .piece(let piece, let index) = try await read(within: nil) else { continue }
            pieces[index].text += piece.text
            pieces[index].tokens += piece.tokens
        }
        return try zip(pieces, ends).map { piece, end in
            WholeAnswer(piece, try end?.completionEnd() ?? .stop)
        }
    }

    /// What is there of the next answer that has something.
    private func readNext() async throws -> Piece? {
        for _ in readers {
            let index = next
            next = (next + 1) % readers.count
            guard ends[index] == nil, let piece = try await readers[index].read() else { continue }
            switch piece {
            case .piece(let piece): return .piece(piece, of: index)
            case .end(let end):
                _ = try end.completionEnd()
                ends[index] = end
                return .end(end, of: index)
            }
        }
        return nil
    }

    private func wait(atMost duration: Duration?) async {
        let arrival = LoopPromise<Void, Never>(loop)
        waiter = arrival
        let timer = duration.map { loop.schedule(after: $0) { arrival.succeed(()) } }
        await arrival.value { arrival.succeed(()) }
        timer?.cancel()
    }

    private func wake() {
        waiter?.succeed(())
        waiter = nil
    }

    /// Notes that the client has the head of a response, so that it will not repeat its request.
    func headIsSent() {
        for reader in readers { reader.headIsSent() }
    }

    /// The client has closed its connection.
    func clientLeft() {
        for reader in readers { reader.clientLeft() }
    }
}
