// A thread for the engine: it computes for seconds at a time, which must not block Swift's task
// pool.

import Glibc

/// A detached thread. Its body signals its end.
struct EngineThread: Sendable {
    private let handle: pthread_t

    /// Starts a thread with all signals blocked: they belong to the process' event loop.
    static func launch(
        name: String,
        _ body: @escaping @Sendable () -> Void
    ) throws(EngineError) -> EngineThread {
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var handle = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let code = pthread_create(&handle, &attributes, runThread, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw .noThread(errno: code)
        }
        return EngineThread(handle: handle)
    }

    /// Whether the caller is on this thread.
    var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }
}

/// The argument of a new thread.
private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, nil)
    nameThread(start.name)
    start.body()
    return nil
}

/// Names the calling thread for `top -H` and debuggers; `pthread_setname_np` is hidden from Swift.
private func nameThread(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    // The kernel keeps 15 bytes. Errors are ignored: the name is optional.
    _ = Array(name.utf8.prefix(15)).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
}
