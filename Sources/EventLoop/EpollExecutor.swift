// The executor of a loop: where Swift puts the pieces of its tasks, and where other threads leave what
// the loop's thread shall do. Work that the loop makes for itself goes to a plain local queue; work
// from elsewhere goes through a mutex, and only the first piece of a batch wakes the loop.

import CLinux
import Glibc
import Synchronization

/// One thing for a loop's thread to do.
enum LoopWork {
    /// A piece of a Swift task, up to its next suspension.
    case job(UnownedJob)
    /// A function that was handed over by `EventLoopRemote.execute`.
    case function(@Sendable (EventLoop) -> Void)
    /// A mailbox has letters.
    case letters(UInt64)
    /// The mailbox was given up by its last holder.
    case mailboxClosed(UInt64)
    /// The task that made this wait was cancelled.
    case waitCancelled(UInt64)
}

// Safety: everything is immutable or behind a mutex or atomic, but for `local`, `spare` and the
// counters beside them, which are touched only behind `isCurrent`, that is on the loop's own thread.
/// Runs jobs on one epoll loop's thread.
package final class EpollExecutor: TaskExecutor, @unchecked Sendable {
    /// From how many waiting pieces on a further function from another thread is refused. Jobs of tasks
    /// and letters cannot be refused; there is at most one for each task and each mailbox.
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

    /// An executor without a thread yet.
    /// - Throws: where the system has no more descriptors.
    init() throws(SystemError) {
        let epoll = try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        self.epoll = FileDescriptor(owning: epoll)
        let wakeUp = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        self.wakeUp = FileDescriptor(owning: wakeUp)
    }

    /// The epoll set of the loop.
    var epollDescriptor: Int32 { epoll.number }

    /// The eventfd that becomes readable when other threads have left work.
    var wakeUpDescriptor: Int32 { wakeUp.number }

    // MARK: On any thread

    /// Whether the calling thread is the loop's own.
    package var isCurrent: Bool {
        clinux_get_current_executor() == UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Takes a job from the Swift runtime.
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

    /// Leaves `work` for the loop.
    /// - Returns: false where the loop has ended or too much waits already; the work is not done then.
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
        // EAGAIN would mean that the counter is full, that is, that the loop is awake already.
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

    /// Makes the calling thread the one that this executor's jobs run on.
    func adoptCurrentThread() {
        precondition(clinux_get_current_executor() == nil, "the thread has a loop already")
        clinux_set_current_executor(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Moves what other threads left to the local queue.
    func takeInbox() {
        var counter: UInt64 = 0
        _ = try? systemCall("read eventfd") { read(wakeUp.number, &counter, 8) }
        moveInbox(closing: false)
    }

    /// Refuses what comes from other threads from now on; what was accepted before is still there to
    /// be run.
    func closeInbox() { moveInbox(closing: true) }

    private func moveInbox(closing: Bool) {
        var arrived: [LoopWork] = []
        inbox.withLock { inbox in
            swap(&inbox.work, &arrived)
            if closing { inbox.isClosed = true }
        }
        local.append(contentsOf: arrived)
    }

    /// Ends the executor: the calling thread is nobody's.
    func leaveCurrentThread() {
        precondition(isCurrent)
        local.removeAll()
        clinux_set_current_executor(nil)
    }

    /// Whether there is work to do at once.
    var hasWork: Bool { !local.isEmpty }

    /// Runs what waits, and what that brings, `limit` pieces or slightly more; the rest waits for the
    /// next turn, so that busy tasks cannot starve the descriptors.
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

    /// How work has come so far, for tests that guard against thread hops.
    package var counters: ExecutorCounters {
        ExecutorCounters(
            localEnqueues: isCurrent ? localEnqueueCount : 0,
            foreignEnqueues: foreignEnqueueCount.load(ordering: .relaxed),
            wakeUps: wakeUpCount.load(ordering: .relaxed)
        )
    }
}

/// How often jobs were enqueued on an executor, and how often its loop was woken for them.
package struct ExecutorCounters: Equatable, Sendable {
    /// Jobs enqueued by the loop's own thread; zero where another thread asks.
    package var localEnqueues: Int
    /// Jobs enqueued by other threads.
    package var foreignEnqueues: Int
    /// Writes to the eventfd.
    package var wakeUps: Int
}
