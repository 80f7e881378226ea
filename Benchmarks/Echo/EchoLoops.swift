// The loops of the echo server: the first is the main thread's, so that a server of one loop is a process of
// one thread, and the others have threads of their own.

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

/// Begins loops, and makes them known to each other.
final class EchoLoops {
    /// How a loop began: where it takes letters, or why it does not listen.
    private typealias Beginning = Result<Mailbox<EchoLetter>, any Error>

    private let settings: EchoSettings
    private let onReady: (UInt16) -> Void
    private var mailboxes: [Mailbox<EchoLetter>] = []
    private var failure: (any Error)?

    /// Serves at `port` until a loop fails.
    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - settings: how its loops serve.
    ///   - onReady: is told the port when all loops listen.
    /// - Throws: `SystemError` where there is no thread, `NetworkError` where it cannot listen.
    static func run(
        port: UInt16,
        _ settings: EchoSettings,
        onReady: @escaping (UInt16) -> Void
    ) throws {
        let loops = EchoLoops(settings, onReady)
        try EventLoop.runHere { loop in
            do { try loops.begin(loop, port) } catch { loops.fail(error, loop) }
        }
        if let failure = loops.failure { throw failure }
    }

    private init(_ settings: EchoSettings, _ onReady: @escaping (UInt16) -> Void) {
        self.settings = settings
        self.onReady = onReady
    }

    private func begin(_ loop: EventLoop, _ port: UInt16) throws {
        let server = EchoServer(loop: loop, settings)
        // The others listen where the first one does, also where the system chose its port.
        let port = try server.listen(at: port)
        mailboxes.append(server.openMailbox())
        let beginnings = loop.mailbox(capacity: settings.loopCount) {
            [self] (beginnings: [Beginning]) in
            for beginning in beginnings {
                do { mailboxes.append(try beginning.get()) } catch { fail(error, loop) }
            }
            introduceIfComplete(port)
        }
        for index in 1..<settings.loopCount {
            _ = try EventLoop.launch(name: "echo \(index)") { [settings] loop in
                let server = EchoServer(loop: loop, settings)
                beginnings.post(
                    Beginning {
                        _ = try server.listen(at: port)
                        return server.openMailbox()
                    }
                )
            }
        }
        introduceIfComplete(port)
    }

    private func introduceIfComplete(_ port: UInt16) {
        guard mailboxes.count == settings.loopCount, failure == nil else { return }
        for (index, own) in mailboxes.enumerated() {
            let others = mailboxes.enumerated().filter { $0.offset != index }
            own.post(.others(others.map(\.element), own: own))
        }
        onReady(port)
    }

    private func fail(_ error: any Error, _ loop: EventLoop) {
        failure = error
        loop.stop()
    }
}
