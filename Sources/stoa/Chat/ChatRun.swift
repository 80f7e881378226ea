// Runs a chat on an event loop of its own.

import EventLoop
import Synchronization

enum ChatRun {
    /// Runs a chat to its end. Waits on the main thread, because Swift unblocks all signals on a main
    /// thread that it parks.
    static func run(_ options: ChatOptions) throws {
        let failure = Mutex<CommandFailure?>(nil)
        let thread = try EventLoop.launch(name: "chat") { loop in
            loop.spawn {
                do throws(CommandFailure) {
                    try await ChatSession(loop, options).run()
                } catch {
                    failure.withLock { $0 = error }
                }
                loop.stop()
            }
        }
        if let error = thread.join() { throw CommandFailure(.software, "\(error)") }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
