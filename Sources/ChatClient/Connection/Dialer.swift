// From a server's URL to an open stream.

import EventLoop
import HTTPProtocol
import Networking
import TLSEngine

/// Opens streams to one server.
struct Dialer {
    let loop: EventLoop
    let server: HTTPOrigin

    /// Connects to the first of the server's addresses that answers.
    func dial(within limit: Duration) async throws(ChatClientError) -> AsyncByteStream {
        do throws(NetworkError) {
            let stream = try await StreamConnector.connect(
                loop: loop,
                toFirstOf: addresses(),
                deadline: limit,
                tls: certificates()
            )
            return AsyncByteStream(stream)
        } catch {
            throw .network(error)
        }
    }

    /// The server's certificate must lead to one that the system trusts.
    private func certificates() throws(NetworkError) -> TLSClientConfiguration? {
        guard server.isSecure else { return nil }
        do throws(TLSError) {
            return try TLSClientConfiguration(serverName: server.host)
        } catch {
            throw .tls(error)
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
