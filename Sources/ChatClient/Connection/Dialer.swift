// Opens a stream to a server's URL.

import EventLoop
import HTTPProtocol
import Networking
import TLSEngine

/// Opens streams to one server.
struct Dialer {
    let loop: EventLoop
    let server: HTTPOrigin

    /// Connects to the first of the server's addresses that accepts.
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

    /// TLS settings that verify the server's certificate against the system's roots.
    private func certificates() throws(NetworkError) -> TLSClientConfiguration? {
        guard server.isSecure else { return nil }
        do throws(TLSError) {
            return try TLSClientConfiguration(serverName: server.host)
        } catch {
            throw .tls(error)
        }
    }

    /// Resolves host names other than literals on a thread of their own.
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
