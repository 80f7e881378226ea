// From a server's URL to an open stream.

import EventLoop
import Networking

/// Opens streams to one server.
struct Dialer {
    let loop: EventLoop
    let server: ServerURL

    /// Connects to the first of the server's addresses that answers.
    func dial(within limit: Duration) async throws(ChatClientError) -> AsyncByteStream {
        guard !server.isSecure else {
            throw .malformed("this client does not speak TLS yet: put it behind a tunnel")
        }
        do throws(NetworkError) {
            var failure = NetworkError.unknownHost(server.host)
            for address in try await addresses() {
                do throws(NetworkError) {
                    let stream = try await StreamConnector.connect(
                        loop: loop,
                        to: address,
                        deadline: limit
                    )
                    return AsyncByteStream(stream)
                } catch {
                    failure = error
                }
            }
            throw failure
        } catch {
            throw .network(error)
        }
    }

    /// Names other than literals are looked up on a thread that lives as long as the question.
    private func addresses() async throws(NetworkError) -> [SocketAddress] {
        if let literal = SocketAddress(host: server.host, port: server.port) { return [literal] }
        let pool: WorkerPool
        do throws(SystemError) {
            pool = try WorkerPool(name: "resolve", threads: 1, queueLimit: 1)
        } catch {
            throw .system(error)
        }
        return try await HostResolver(pool: pool).resolve(server.host, port: server.port)
    }
}
