// The task executor of a loop. Jobs from the loop's own thread go to a local queue without locking;
// work from other threads goes through a mutex, and only the first piece of a batch wakes the loop.

import CLinux
import Glibc
import Synchronization

/// A piece of work for a loop's thread.
enum LoopWork {
    /// A job of a Swift task, up to its next suspension.
    case job(UnownedJob)
    /// A function from `EventLoopRemote.execute`.
    case function(@Sendable (EventLoop) -> Void)
    /// A mailbox has messages.
    case messages(UInt64)
    /// The last reference to the mailbox was released.
    case mailboxClosed(UInt64)
    /// The task that is waiting was cancelled.
    case waitCancelled(UInt64)
}

// Safety: everything is immutable or protected by a mutex or atomic, except `local`, `spare` and
// the counters beside them, which are only accessed after a check of `isCurrent`, on the loop's own
// thread.
/// Runs jobs on the thread of an epoll loop.
package final class EpollExecutor: TaskExecutor, @unchecked Sendable {
    /// Maximum pieces of work in the inbox; a further function from another thread is refused. Jobs
    /// and mailbox messages are not refused: there is at most one for each task and each mailbox.
    static let remoteWorkLimit = 65_536

    private struct Inbox {
        var work: [LoopWork] = []
        var isClosed = false
    }

    private let epoll: FileDescriptor
    private let wakeUp: FileDescriptor
    private let inbox = Mutex(Inbox())
    private var local: [LoopWork] = []
    private var spare: [LoopWork] = []
    private var localEnqueueCount = 0
    private let foreignEnqueueCount = Atomic<Int>(0)
    private let wakeUpCount = Atomic<Int>(0)

    /// Creates an executor without a thread.
    /// - Throws: `SystemError` if no descriptor is available.
    init() throws(SystemError) {
        let epoll = try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        self.epoll = FileDescriptor(owning: epoll)
        let wakeUp = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        self.wakeUp = FileDescriptor(owning: wakeUp)
    }

    /// The epoll set of the loop.
    var epollDescriptor: Int32 { epoll.number }

    /// The eventfd that becomes readable when other threads have submitted work.
    var wakeUpDescriptor: Int32 { wakeUp.number }

    // MARK: On any thread

    /// Whether the calling thread is the loop's own.
    package var isCurrent: Bool {
        clinux_get_current_executor() == UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Enqueues a job from the Swift runtime.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            localEnqueueCount += 1
            local.append(.job(job))
        } else {
            foreignEnqueueCount.add(1, ordering: .relaxed)
            post(.job(job))
        }
    }

    /// Submits `work` to the loop.
    /// - Returns: false if the loop has ended or the queue is full; the work is then not run.
    @discardableResult
    func submit(_ work: LoopWork) -> Bool {
        if isCurrent {
            local.append(work)
            return true
        }
        return post(work)
    }

    /// Makes the loop's `epoll_wait` return.
    func wake() {
        wakeUpCount.add(1, ordering: .relaxed)
        var one: UInt64 = 1
        // EAGAIN means that the counter is full, so the loop is already awake.
        _ = try? systemCall("write eventfd") { write(wakeUp.number, &one, 8) }
    }

    @discardableResult
    private func post(_ work: LoopWork) -> Bool {
        let (isAccepted, isFirst) = inbox.withLock { inbox in
            if inbox.isClosed { return (false, false) }
            if case .function = work, inbox.work.count >= Self.remoteWorkLimit {
                return (false, false)
            }
            inbox.work.append(work)
            return (true, inbox.work.count == 1)
        }
        if isFirst { wake() }
        return isAccepted
    }

    // MARK: On the loop's thread

    /// Makes the calling thread the executor's thread.
    func adoptCurrentThread() {
        precondition(clinux_get_current_executor() == nil, "the thread has a loop already")
        clinux_set_current_executor(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Moves work from other threads to the local queue.
    func takeInbox() {
        var counter: UInt64 = 0
        _ = try? systemCall("read eventfd") { read(wakeUp.number, &counter, 8) }
        moveInbox(closing: false)
    }

    /// Refuses work from other threads from now on; accepted work remains in the queue.
    func closeInbox() { moveInbox(closing: true) }

    private func moveInbox(closing: Bool) {
        var arrived: [LoopWork] = []
        inbox.withLock { inbox in
            swap(&inbox.work, &arrived)
            if closing { inbox.isClosed = true }
        }
        local.append(contentsOf: arrived)
    }

    /// Detaches the executor from the calling thread.
    func leaveCurrentThread() {
        precondition(isCurrent)
        local.removeAll()
        clinux_set_current_executor(nil)
    }

    /// Whether work is queued.
    var hasWork: Bool { !local.isEmpty }

    /// Runs queued work, and work that it enqueues, up to about `limit` pieces; the rest runs in
    /// the next turn, so that busy tasks cannot starve descriptors.
    func runWork(limit: Int, _ perform: (LoopWork) -> Void) {
        var done = 0
        while !local.isEmpty, done < limit {
            var batch = spare
            spare = []
            swap(&batch, &local)
            for work in batch {
                if case .job(let job) = work {
                    job.runSynchronously(on: asUnownedTaskExecutor())
                } else {
                    perform(work)
                }
            }
            done += batch.count
            batch.removeAll(keepingCapacity: true)
            spare = batch
        }
    }

    /// Counters for tests that guard against thread hops.
    package var counters: ExecutorCounters {
        ExecutorCounters(
            localEnqueues: isCurrent ? localEnqueueCount : 0,
            foreignEnqueues: foreignEnqueueCount.load(ordering: .relaxed),
            wakeUps: wakeUpCount.load(ordering: .relaxed)
        )
    }
}

/// Counters of enqueued jobs and wake-ups of an executor.
package struct ExecutorCounters: Equatable, Sendable {
    /// Jobs enqueued by the loop's own thread; zero if read on another thread.
    package var localEnqueues: Int
    /// Jobs enqueued by other threads.
    package var foreignEnqueues: Int
    /// Writes to the eventfd.
    package var wakeUps: Int
}
