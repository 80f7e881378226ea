// How other threads send values to a loop: bounded, and one wake-up for a batch.

import Synchronization

extension EventLoop {
    /// Makes a mailbox that hands what is posted to `receive`, in batches, on this loop.
    ///
    /// The mailbox works until its last holder lets it go or the loop ends.
    /// - Parameters:
    ///   - capacity: how many elements wait at most.
    ///   - receive: takes a batch, on the loop.
    /// - Returns: the sending end.
    public func mailbox<Element: Sendable>(
        capacity: Int,
        _ receive: @escaping ([Element]) -> Void
    ) -> Mailbox<Element> {
        let id = nextMailboxID
        nextMailboxID += 1
        let letters = Letters<Element>(capacity: capacity)
        mailboxes[id] = {
            let batch = letters.takeAll()
            if !batch.isEmpty { receive(batch) }
        }
        return Mailbox(id: id, letters: letters, executor: executor)
    }
}

/// Sends elements to one receiver on a loop, from any thread.
public final class Mailbox<Element: Sendable>: Sendable {
    private let id: UInt64
    private let letters: Letters<Element>
    private let executor: EpollExecutor

    init(id: UInt64, letters: Letters<Element>, executor: EpollExecutor) {
        self.id = id
        self.letters = letters
        self.executor = executor
    }

    deinit {
        // The receiver belongs to the loop's thread, so it is let go there.
        executor.submit(.mailboxClosed(id))
    }

    /// Posts one element.
    /// - Returns: false where the mailbox is full or the loop has ended; the element is not sent then.
    @discardableResult
    public func post(_ element: Element) -> Bool {
        post(contentsOf: CollectionOfOne(element))
    }

    /// Posts all of `elements`, which arrive in one batch and in their order, or none of them.
    /// - Returns: false where there is no room for all or the loop has ended.
    @discardableResult
    public func post(contentsOf elements: some Collection<Element>) -> Bool {
        switch letters.append(elements) {
        case .refused: false
        case .appended: true
        case .appendedFirst: executor.submit(.letters(id))
        }
    }
}

/// The elements that wait in a mailbox.
final class Letters<Element: Sendable>: Sendable {
    enum Outcome { case refused, appended, appendedFirst }

    private let capacity: Int
    private let waiting = Mutex<[Element]>([])

    init(capacity: Int) {
        precondition(capacity > 0, "a mailbox holds at least one element")
        self.capacity = capacity
    }

    func append(_ elements: some Collection<Element>) -> Outcome {
        waiting.withLock { waiting in
            guard waiting.count + elements.count <= capacity else { return .refused }
            guard !elements.isEmpty else { return .appended }
            let isFirst = waiting.isEmpty
            waiting.append(contentsOf: elements)
            return isFirst ? .appendedFirst : .appended
        }
    }

    func takeAll() -> [Element] {
        waiting.withLock { waiting in
            var batch: [Element] = []
            swap(&batch, &waiting)
            return batch
        }
    }
}
