// Mailboxes: other threads send values to a loop through a bounded queue, with one wake-up for a
// batch.

import Synchronization

extension EventLoop {
    /// Creates a mailbox that delivers posted elements to `receive` in batches, on this loop.
    ///
    /// The mailbox works until its last reference is released or the loop ends.
    /// - Parameters:
    ///   - capacity: maximum number of waiting elements.
    ///   - receive: receives a batch on the loop.
    /// - Returns: the mailbox for senders.
    public func mailbox<Element: Sendable>(
        capacity: Int,
        _ receive: @escaping ([Element]) -> Void
    ) -> Mailbox<Element> {
        let id = nextMailboxID
        nextMailboxID += 1
        let queue = MailboxQueue<Element>(capacity: capacity)
        mailboxes[id] = {
            let batch = queue.takeAll()
            if !batch.isEmpty { receive(batch) }
        }
        return Mailbox(id: id, queue: queue, executor: executor)
    }
}

/// Sends elements to one receiver on a loop, from any thread.
public final class Mailbox<Element: Sendable>: Sendable {
    private let id: UInt64
    private let queue: MailboxQueue<Element>
    private let executor: EpollExecutor

    init(id: UInt64, queue: MailboxQueue<Element>, executor: EpollExecutor) {
        self.id = id
        self.queue = queue
        self.executor = executor
    }

    deinit {
        // The receiver belongs to the loop's thread, so it is released there.
        executor.submit(.mailboxClosed(id))
    }

    /// Posts one element.
    /// - Returns: false if the mailbox is full or the loop has ended; the element is then not sent.
    @discardableResult
    public func post(_ element: Element) -> Bool {
        post(contentsOf: CollectionOfOne(element))
    }

    /// Posts all of `elements`, which arrive in order and in one batch, or none of them.
    /// - Returns: false if there is not enough capacity or the loop has ended.
    @discardableResult
    public func post(contentsOf elements: some Collection<Element>) -> Bool {
        switch queue.append(elements) {
        case .refused: false
        case .appended: true
        case .appendedFirst: executor.submit(.messages(id))
        }
    }
}

/// The waiting elements of a mailbox.
final class MailboxQueue<Element: Sendable>: Sendable {
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
