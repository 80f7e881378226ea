// Starting a POSIX thread that runs a Swift function.

import CLinux
import Glibc

/// What travels through pthread_create's untyped pointer.
private final class ThreadBody {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// Starts a thread that runs `body`, to be joined or detached by the caller.
func startThread(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError)
    -> pthread_t
{
    let pointer = Unmanaged.passRetained(ThreadBody(name: name, body: body)).toOpaque()
    var thread = pthread_t()
    let result = pthread_create(
        &thread,
        nil,
        { pointer in
            guard let pointer else { return nil }
            let thread = Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue()
            clinux_name_thread(String(decoding: thread.name.utf8.prefix(15), as: UTF8.self))
            thread.body()
            return nil
        },
        pointer
    )
    guard result == 0 else {
        Unmanaged<ThreadBody>.fromOpaque(pointer).release()
        throw SystemError(errno: result, operation: "pthread_create")
    }
    return thread
}

/// Starts a thread that nobody waits for: it ends with `body`, or with the process.
/// - Parameters:
///   - name: the thread's name in debuggers; Linux keeps 15 bytes.
///   - body: may block; what it finds out comes back by a mailbox.
/// - Throws: where the system has no more threads.
public func detachThread(
    name: String,
    _ body: @escaping @Sendable () -> Void
) throws(SystemError) {
    pthread_detach(try startThread(name: name, body))
}
