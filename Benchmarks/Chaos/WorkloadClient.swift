// One connection of one user: the client library, and the strict readers on it.

import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol

/// A client with its strict readers. Used on its event loop.
final class WorkloadClient {
    let client: ChatClient
    private let tally: Tally
    private var readers: [ConversationID: StrictReader] = [:]

    init(loop: EventLoop, server: HTTPOrigin, token: String, tally: Tally) {
        self.tally = tally
        var configuration = ChatClient.Configuration(server: server, token: token)
        configuration.connectTimeout = .seconds(3)
        configuration.callTimeout = .seconds(4)
        configuration.silenceLimit = .seconds(6)
        configuration.backOff = BackOff(first: .milliseconds(50), longest: .milliseconds(600))
        client = ChatClient(loop: loop, configuration: configuration)
        client.onEvent = { [weak self] in self?.receive($0) }
        client.onState = { state in
            if case .ended(let error) = state, !error.isClosed {
                tally.violation("a client was turned away for good: \(error)")
            }
        }
        client.start()
    }

    private func receive(_ event: ServerEvent) {
        if case .welcome = event {
            for reader in readers.values { reader.watch() }
        } else if let conversation = event.conversation {
            readers[conversation]?.receive(event)
        }
    }

    // MARK: Readers

    func add(_ reader: StrictReader) {
        readers[reader.conversation] = reader
        if client.welcome != nil { reader.watch() }
    }

    func remove(_ reader: StrictReader) {
        readers[reader.conversation] = nil
        let request = ConversationRequest(conversation: reader.conversation)
        client.send(.conversationUnwatch, request) { _ in }
    }
}

extension ChatClientError {
    /// Whether the client was closed on purpose.
    var isClosed: Bool { if case .closed = self { true } else { false } }
}
