// The loops of the echo server. The first runs on the main thread, so that a server with one loop
// has one thread; the others have their own threads.

import EventLoop
import Networking

/// Messages between loops.
enum EchoMessage: Sendable {
    /// The mailboxes of the other loops and of the receiver.
    case others([Mailbox<EchoMessage>], own: Mailbox<EchoMessage>)
    /// Broadcast frames of another loop, to send to all clients of this one.
    case frames(SharedBytes, answerTo: Mailbox<EchoMessage>)
    /// An acknowledgement: this many bytes of this loop's broadcasts were sent by another loop.
    case acknowledged(byteCount: Int)
}

/// Starts the loops and connects them.
final class EchoLoops {
    /// The mailbox of a started loop, or why it could not listen.
    private typealias StartResult = Result<Mailbox<EchoMessage>, any Error>

    private let settings: EchoSettings
    private let onReady: (UInt16) -> Void
    private var mailboxes: [Mailbox<EchoMessage>] = []
    private var failure: (any Error)?

    /// Serves at `port` until a loop fails.
    /// - Parameters:
    ///   - port: 0 selects a free one.
    ///   - settings: the settings of all loops.
    ///   - onReady: called with the port when all loops listen.
    /// - Throws: `SystemError` if no thread is available, `NetworkError` if it cannot listen.
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
        // The others use the port of the first, also if the system chose it.
        let port = try server.listen(at: port)
        mailboxes.append(server.openMailbox())
        let results = loop.mailbox(capacity: settings.loopCount) {
            [self] (results: [StartResult]) in
            for result in results {
                do { mailboxes.append(try result.get()) } catch { fail(error, loop) }
            }
            introduceIfComplete(port)
        }
        for index in 1..<settings.loopCount {
            _ = try EventLoop.launch(name: "echo \(index)") { [settings] loop in
                let server = EchoServer(loop: loop, settings)
                results.post(
                    StartResult {
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
