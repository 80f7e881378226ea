// Requests to the hub and to the hosts it redirects to: connections, redirects, and which host gets the
// token.

import EventLoop
import HTTPProtocol
import Networking
import TLSEngine

/// The hub's client. Used on its event loop.
final class HubClient {
    private static let redirectsMax = 5

    let loop: EventLoop
    let configuration: HubConfiguration
    let retrier: Retrier
    private let resolver: HostResolver
    private var idle: [HubConnection] = []
    /// TLS settings by host, cached because creating them reads the system's certificates.
    private var trust: [String: TLSClientConfiguration] = [:]

    init(
        loop: EventLoop,
        configuration: HubConfiguration,
        pool: WorkerPool,
        retrier: Retrier
    ) {
        self.loop = loop
        self.configuration = configuration
        self.retrier = retrier
        resolver = HostResolver(pool: pool)
    }

    /// Requests `url`, or the bytes `range` of it, and follows redirects.
    /// - Returns: an exchange with status 200 or 206, to be ended by the caller.
    func open(
        _ url: HTTPURL,
        range: Range<Int>? = nil,
        timeout: Duration,
        about subject: HubSubject
    ) async throws(HubError) -> HubExchange {
        var url = url
        for _ in 0...Self.redirectsMax {
            let exchange = try await begin(url, range: range, timeout: timeout)
            let status = exchange.head.status
            if status == .ok || status == .partialContent { return exchange }
            await exchange.skip()
            exchange.end()
            guard status.isRedirection else { throw refusal(exchange, about: subject) }
            let location = exchange.head.headers[.location]
            // An https request must not be redirected to plain http.
            guard let next = location.flatMap({ url.resolving($0) }),
                next.origin.isSecure || !url.origin.isSecure
            else { throw .badResponse("\(url.origin.host) redirects to an invalid address") }
            url = next
        }
        throw .badResponse("\(subject) is behind more than \(Self.redirectsMax) redirects")
    }

    /// Closes idle connections.
    func close() {
        for connection in idle { connection.close() }
        idle = []
    }

    /// Keeps the connection of a finished exchange for reuse if it can carry another request.
    func take(back connection: HubConnection, isComplete: Bool) {
        if isComplete, connection.isReusable, idle.count < configuration.connections {
            idle.append(connection)
        } else {
            connection.close()
        }
    }

    // MARK: One request

    private func begin(
        _ url: HTTPURL,
        range: Range<Int>?,
        timeout: Duration
    ) async throws(HubError) -> HubExchange {
        let request = request(url, range: range)
        if let index = idle.firstIndex(where: { $0.url.origin == url.origin }) {
            let connection = idle.remove(at: index)
            do throws(HubError) {
                return try await exchange(request, url, on: connection, timeout: timeout)
            } catch {
                // The host may have closed the idle connection; that says nothing about the
                // request.
                guard error.isTransient, connection.isUnused else { throw error }
            }
        }
        let connection: HubConnection
        do throws(NetworkError) {
            connection = HubConnection(loop, try await connect(url), to: url)
        } catch {
            throw error == .cancelled ? .cancelled : .network(host: url.origin.host, error)
        }
        return try await exchange(request, url, on: connection, timeout: timeout)
    }

    private func request(_ url: HTTPURL, range: Range<Int>?) -> HTTPRequestHead {
        var headers: HTTPHeaders = [.userAgent: "stoa", .acceptEncoding: "identity"]
        if let range { headers[.range] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)" }
        if let token = configuration.token, url.origin == configuration.endpoint.origin {
            headers[.authorization] = "Bearer \(token)"
        }
        return HTTPRequestHead(.get, url.target, host: url.origin.authority, headers: headers)
    }

    private func exchange(
        _ request: HTTPRequestHead,
        _ url: HTTPURL,
        on connection: HubConnection,
        timeout: Duration
    ) async throws(HubError) -> HubExchange {
        connection.timeout = timeout
        do throws(HubError) {
            return HubExchange(try await connection.send(request), of: url, on: connection, self)
        } catch {
            connection.close()
            throw error
        }
    }

    private func connect(_ url: HTTPURL) async throws(NetworkError) -> AsyncByteStream {
        let stream = try await StreamConnector.connect(
            loop: loop,
            toFirstOf: resolver.resolve(url.origin.host, port: url.origin.port),
            deadline: configuration.downloadTimeout,
            tls: trust(in: url)
        )
        return AsyncByteStream(stream)
    }

    /// - Returns: nil for an http URL.
    private func trust(in url: HTTPURL) throws(NetworkError) -> TLSClientConfiguration? {
        guard url.origin.isSecure else { return nil }
        if let known = trust[url.origin.host] { return known }
        do throws(TLSError) {
            let trusted = try TLSClientConfiguration(serverName: url.origin.host)
            trust[url.origin.host] = trusted
            return trusted
        } catch {
            throw .tls(error)
        }
    }
}
