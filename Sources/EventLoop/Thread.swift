// Starts POSIX threads that run Swift functions.

import CLinux
import Glibc

/// The argument of pthread_create.
private final class ThreadBody {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// Starts a thread that runs `body`. The caller must join or detach it.
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

/// Starts a detached thread: it ends with `body`, or with the process.
/// - Parameters:
///   - name: the thread's name in debuggers; Linux keeps 15 bytes.
///   - body: may block; it returns results through a mailbox.
/// - Throws: `SystemError` if no thread is available.
public func detachThread(
    name: String,
    _ body: @escaping @Sendable () -> Void
) throws(SystemError) {
    pthread_detach(try startThread(name: name, body))
}
