import EventLoop
import Synchronization
import Testing

/// Signals another thread.
private final class Flag: Sendable {
    let isUp = Atomic<Bool>(false)
}

@Suite("Mailboxes")
struct MailboxTests {
    @Test("posts of one piece of work arrive as one batch without a wake-up")
    func localBatch() async throws {
        try await EventLoop.run { loop in
            let received = LoopPromise<[Int], Never>(loop)
            let mailbox = loop.mailbox(capacity: 100) { (batch: [Int]) in received.succeed(batch) }
            let before = loop.executor.counters.wakeUps
            for number in 0..<10 { mailbox.post(number) }
            mailbox.post(contentsOf: 10..<20)
            #expect(await received.value {} == Array(0..<20))
            #expect(loop.executor.counters.wakeUps == before)
        }
    }

    @Test("a thousand posts to a loop that is busy wake it once")
    func oneWakeUp() async throws {
        let allPosted = Flag()
        let counts = try await EventLoop.run { loop in
            let received = LoopPromise<Int, Never>(loop)
            var total = 0
            let mailbox = loop.mailbox(capacity: 1000) { (batch: [Int]) in
                total += batch.count
                if total == 1000 { received.succeed(total) }
            }
            let before = loop.executor.counters.wakeUps
            Task.detached {
                for number in 0..<1000 { mailbox.post(number) }
                allPosted.isUp.store(true, ordering: .releasing)
            }
            // The loop is kept busy, so that all posts arrive while it is awake.
            while !allPosted.isUp.load(ordering: .acquiring) {}
            return (await received.value {}, loop.executor.counters.wakeUps - before)
        }
        #expect(counts == (1000, 1))
    }

    @Test("a full mailbox refuses messages, and accepts them again after delivery")
    func bound() async throws {
        try await EventLoop.run { loop in
            var received: [Int] = []
            let mailbox = loop.mailbox(capacity: 3) { received += $0 }
            #expect(mailbox.post(1))
            #expect(!mailbox.post(contentsOf: [2, 3, 4]))
            #expect(mailbox.post(contentsOf: [2, 3]))
            #expect(!mailbox.post(4))
            await Task.yield()
            #expect(mailbox.post(5))
            await Task.yield()
            #expect(received == [1, 2, 3, 5])
        }
    }

    @Test("all messages of several threads arrive, those of each thread in order")
    func manySenders() async throws {
        let perSender = 2000
        try await EventLoop.run { loop in
            let done = LoopPromise<Void, Never>(loop)
            var next = [0, 0, 0]
            let mailbox = loop.mailbox(capacity: 100_000) { (batch: [(Int, Int)]) in
                for (sender, number) in batch {
                    #expect(next[sender] == number)
                    next[sender] += 1
                }
                if next == [perSender, perSender, perSender] { done.succeed(()) }
            }
            for sender in 0..<3 {
                Task.detached {
                    for number in 0..<perSender { #expect(mailbox.post((sender, number))) }
                }
            }
            await done.value {}
        }
    }

    @Test("the receiver is released on the loop when the last sender is released")
    func receiverIsReleased() async throws {
        try await EventLoop.run { loop in
            var object: Pipe? = try Pipe()
            weak let watched = object
            var mailbox: Mailbox<Int>? = loop.mailbox(capacity: 1) { [object] _ in _ = object }
            object = nil
            #expect(mailbox != nil && watched != nil)
            mailbox = nil
            await Task.yield()
            #expect(watched == nil)
        }
    }
}
