// Requests to the hub: connections, redirects, and what its refusals mean.

import EventLoop
import FoundationEssentials
import HTTPProtocol
import Networking
import TLSEngine

/// Asks the hub. Lives on its loop.
struct HubClient {
    let loop: EventLoop
    let configuration: HubConfiguration
    let pool: WorkerPool

    private static let redirectsMax = 5

    /// Asks for `url` from byte `offset` on, and follows redirects. The token goes to the hub alone.
    /// - Returns: an exchange with status 200 or 206.
    func open(
        _ url: HubURL,
        from offset: Int = 0,
        bodyBytesMax: Int,
        what: String
    ) async throws(HubError) -> HubExchange {
        var url = url
        for _ in 0...Self.redirectsMax {
            let exchange = try await begin(url, from: offset, bodyBytesMax: bodyBytesMax)
            let status = exchange.head.status
            if status == .ok || status == .partialContent { return exchange }
            defer { exchange.close() }
            guard status.isRedirection else { throw refusal(exchange.head, of: url, what: what) }
            let location = exchange.head.headers[.location]
            guard let next = location.flatMap({ url.resolving($0) }),
                next.isSecure || !url.isSecure
            else { throw .badResponse("\(url.host) redirects to no usable address") }
            url = next
        }
        throw .badResponse("\(what) is behind more than \(Self.redirectsMax) redirects")
    }

    /// Asks for a JSON document of at most 16 MiB.
    func json<Document: Decodable>(
        _ url: HubURL,
        as type: Document.Type,
        what: String
    ) async throws(HubError) -> Document {
        let exchange = try await open(url, bodyBytesMax: 16 << 20, what: what)
        defer { exchange.close() }
        let body = try await exchange.readAll()
        do { return try JSONDecoder().decode(type, from: Data(body)) } catch {
            throw .badResponse("\(what): not the JSON that was expected")
        }
    }

    private func begin(
        _ url: HubURL,
        from offset: Int,
        bodyBytesMax: Int
    ) async throws(HubError) -> HubExchange {
        var headers: HTTPHeaders = [.connection: "close", .userAgent: "stoa"]
        headers.add("Accept-Encoding", "identity")
        if offset > 0 { headers[.range] = "bytes=\(offset)-" }
        if let token = configuration.token, url.hasSameOrigin(as: configuration.endpoint) {
            headers[.authorization] = "Bearer \(token)"
        }
        let stream: AsyncByteStream
        do throws(NetworkError) { stream = try await connect(url) } catch {
            throw .network(host: url.host, error)
        }
        let exchange = HubExchange(
            loop,
            stream,
            host: url.host,
            silenceLimit: configuration.silenceLimit,
            bodyBytesMax: bodyBytesMax
        )
        do throws(HubError) {
            try await exchange.begin(
                HTTPRequestHead(.get, url.target, host: url.authority, headers: headers)
            )
        } catch {
            exchange.close()
            throw error
        }
        return exchange
    }

    private func connect(_ url: HubURL) async throws(NetworkError) -> AsyncByteStream {
        var tls: TLSClientConfiguration?
        if url.isSecure {
            do throws(TLSError) { tls = try TLSClientConfiguration(serverName: url.host) } catch {
                throw .tls(error)
            }
        }
        var failure = NetworkError.unknownHost(url.host)
        for address in try await HostResolver(pool: pool).resolve(url.host, port: url.port) {
            do throws(NetworkError) {
                let stream = try await StreamConnector.connect(
                    loop: loop,
                    to: address,
                    deadline: .seconds(10),
                    tls: tls
                )
                return AsyncByteStream(stream)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func refusal(_ head: HTTPResponseHead, of url: HubURL, what: String) -> HubError {
        let isHub = url.hasSameOrigin(as: configuration.endpoint)
        switch (head.status.code, head.headers["X-Error-Code"]) {
        case (_, "GatedRepo"): return .gated(what)
        case (_, "RepoNotFound"), (_, "RevisionNotFound"), (_, "EntryNotFound"), (404, _):
            return .notFound(what)
        case (401, _): return .gated(what)
        case (403, _) where isHub: return .gated(what)
        // A signed address that has expired: the next attempt gets a new one from the hub.
        case (403, _), (408, _), (429, _), (500..., _):
            let seconds = head.headers[.retryAfter].flatMap { Int($0) }
            return .unavailable(
                host: url.host,
                head.status,
                retryAfter: seconds.map { .seconds(min(max($0, 0), 60)) }
            )
        default: return .badResponse("\(url.host) answers \(head.status) for \(what)")
        }
    }
}
