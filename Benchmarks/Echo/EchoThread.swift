// One loop of the echo server with its thread, as the main thread and the other loops hold it.

import EventLoop
import Networking

/// What loops say to each other.
enum EchoLetter: Sendable {
    /// Where the other loops take letters, and where this one does.
    case others([Mailbox<EchoLetter>], own: Mailbox<EchoLetter>)
    /// What another loop has published, to be sent to everyone here.
    case frames(SharedBytes, answerTo: Mailbox<EchoLetter>)
    /// So many bytes of what this loop has published were sent to everyone on another.
    case taken(byteCount: Int)
}

/// A running loop.
struct EchoThread: Sendable {
    /// Where this loop takes letters.
    let mailbox: Mailbox<EchoLetter>
    /// Where it listens.
    let port: UInt16
    private let thread: EventLoopThread

    /// Starts a loop that listens at `port`.
    /// - Throws: `SystemError` where there is no thread, `NetworkError` where it cannot listen.
    static func launch(
        index: Int,
        port: UInt16,
        _ settings: EchoSettings
    ) async throws -> EchoThread {
        var thread: EventLoopThread?
        let opened: Result<(Mailbox<EchoLetter>, UInt16), any Error> =
            await withCheckedContinuation { finished in
                do {
                    thread = try EventLoop.launch(name: "echo \(index)") { loop in
                        let server = EchoServer(loop: loop, settings)
                        do {
                            let openPort = try server.listen(at: port)
                            finished.resume(
                                returning: .success((server.openMailbox(), openPort))
                            )
                        } catch {
                            finished.resume(returning: .failure(error))
                            loop.stop()
                        }
                    }
                } catch {
                    finished.resume(returning: .failure(error))
                }
            }
        let (mailbox, openPort) = try opened.get()
        guard let thread else { preconditionFailure("a loop listens without a thread") }
        return EchoThread(mailbox: mailbox, port: openPort, thread: thread)
    }

    /// Waits, blocking the calling thread, until the loop has ended.
    func join() { thread.join() }
}
