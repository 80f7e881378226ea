// A hub on loopback with a second origin to which it redirects requests for large files, like the real
// one. It serves one model, fails as a test configures it, and records requests and bytes served.

import EventLoop
import HTTPProtocol
import ModelHub
import Networking

/// Serves the model `org/name`. Used on its event loop.
final class HubDouble {
    /// The commit that `main` points to.
    static let commit = String(repeating: "c", count: 40)

    /// Its faults.
    var faults = HubFaults()
    var repository = RepositoryDouble()
    /// The requests in order: those to the hub, and those to the storage for large files.
    private(set) var hubRequests: [HTTPRequestHead] = []
    private(set) var storageRequests: [HTTPRequestHead] = []
    /// How many bytes of files were written.
    private(set) var servedByteCount = 0
    /// Called before each part of a file is written.
    var onServe: (_ file: String, Range<Int>) -> Void = { _, _ in }
    /// Called for each request.
    var onRequest: () -> Void = {}
    /// Awaited before each step of a connection.
    var wait: (HubStep) async -> Void = { _ in }
    /// Called when it leaves a request unanswered.
    var onSilence: () -> Void = {}
    private let loop: EventLoop
    private var hub: Listener?
    private var storage: Listener?
    private var linkNumber = 0

    init(_ loop: EventLoop) throws {
        self.loop = loop
        let anyPort = SocketAddress.ipv4(0x7F00_0001, port: 0)
        hub = try Listener(loop: loop, address: anyPort) { [unowned self] stream in
            loop.spawn { await self.serve(stream, isHub: true) }
        }
        storage = try Listener(loop: loop, address: anyPort) { [unowned self] stream in
            loop.spawn { await self.serve(stream, isHub: false) }
        }
    }

    /// The endpoint's URL.
    var address: String { "http://127.0.0.1:\(hub?.address.port ?? 0)" }
    private var storageAddress: String { "http://127.0.0.1:\(storage?.address.port ?? 0)" }

    /// All requests for bytes of files.
    var fileRequests: [HTTPRequestHead] {
        hubRequests.filter { $0.target.contains("/resolve/") } + storageRequests
    }

    func close() {
        hub?.close()
        storage?.close()
    }

    /// Clears the recorded requests and byte counts.
    func forgetRequests() {
        hubRequests = []
        storageRequests = []
        servedByteCount = 0
    }

    // MARK: Connections

    private func serve(_ stream: ByteStream, isHub: Bool) async {
        let last = await answerRequests(of: AsyncByteStream(stream), isHub: isHub)
        stream.closeAfterFlush()
        if let last { await wait(.end(last)) }
    }

    /// - Returns: the last request.
    private func answerRequests(of stream: AsyncByteStream, isHub: Bool) async -> HTTPRequestHead? {
        var connection = HTTPServerConnection()
        var last: HTTPRequestHead?
        while let bytes = try? await stream.read() {
            bytes.withUnsafeBytes { connection.receive($0) }
            while let event = try? connection.nextEvent() {
                guard case .request(let request) = event else { continue }
                last = request
                let answer = isHub ? answerOfHub(request) : answerOfStorage(request)
                onRequest()
                await wait(.answer(request))
                if faults.takeSilence() {
                    onSilence()
                    continue
                }
                let head = connection.send(answer.head, length: .exactly(answer.length))
                guard (try? await stream.write(head)) != nil else { return last }
                if request.method != .head {
                    for piece in answer.pieces {
                        if let file = answer.file {
                            servedByteCount += piece.count
                            onServe(file, piece)
                            await wait(.part(request, piece))
                        }
                        let body = connection.sendBody(Array(answer.content[piece]))
                        guard (try? await stream.write(body)) != nil else { return last }
                    }
                }
                guard !answer.isCut else { return last }
                guard (try? await stream.write(connection.sendEnd())) != nil else { return last }
            }
            if connection.shouldClose { return last }
        }
        return last
    }

    // MARK: Answers

    private func answerOfHub(_ request: HTTPRequestHead) -> HubAnswer {
        hubRequests.append(request)
        if let refusal = faults.takeRefusal() { return HubAnswer(refusal) }
        if let name = faults.renamedFrom, request.target.contains(name) {
            let target = request.target.replacing(name, with: "org/name")
            return HubAnswer(HTTPResponseHead(HTTPStatus(307), headers: [.location: target]))
        }
        if request.path.hasSuffix("/revision/nonsense") {
            let headers: HTTPHeaders = ["X-Error-Code": "RevisionNotFound"]
            return HubAnswer(HTTPResponseHead(.notFound, headers: headers))
        }
        if request.target.contains("/revision/") || request.path.hasSuffix("/models/org/name") {
            return HubAnswer(json: repository.information(Self.commit))
        }
        if request.target.contains("/tree/") { return page(request) }
        return file(request, isHub: true)
    }

    private func answerOfStorage(_ request: HTTPRequestHead) -> HubAnswer {
        storageRequests.append(request)
        let number = request.query.flatMap { Int($0.dropFirst("link=".count)) } ?? 0
        if faults.isExpired(link: number) { return HubAnswer(HTTPResponseHead(.forbidden)) }
        return file(request, isHub: false)
    }

    private func page(_ request: HTTPRequestHead) -> HubAnswer {
        let entries = repository.entries
        let query = request.query ?? ""
        let start =
            query.split(separator: "&").first { $0.hasPrefix("cursor=") }
            .flatMap { Int($0.dropFirst("cursor=".count)) } ?? 0
        let shown = entries[start...].prefix(faults.pageEntriesMax)
        var answer = HubAnswer(json: "[\(shown.joined(separator: ","))]")
        if shown.endIndex < entries.count {
            let next = "\(address)\(request.path)?recursive=true&cursor=\(shown.endIndex)"
            answer.head.headers["Link"] = "<\(next)>; rel=\"next\""
        }
        return answer
    }

    private func file(_ request: HTTPRequestHead, isHub: Bool) -> HubAnswer {
        let name = request.path.split(separator: "/").last.map(String.init) ?? ""
        guard let content = repository.files[name] else {
            let headers: HTTPHeaders = ["X-Error-Code": "EntryNotFound"]
            return HubAnswer(HTTPResponseHead(.notFound, headers: headers))
        }
        let etag = RepositoryDouble.digest(content, isLarge: RepositoryDouble.isLarge(name))
        var headers: HTTPHeaders = ["X-Repo-Commit": Self.commit]
        if isHub, RepositoryDouble.isLarge(name), faults.usesStorage {
            linkNumber += 1
            headers.add("X-Linked-Etag", "\"\(etag)\"")
            headers.add("X-Linked-Size", "\(content.count)")
            headers.add(.location, "\(storageAddress)/blobs/\(name)?link=\(linkNumber)")
            return HubAnswer(HTTPResponseHead(HTTPStatus(302), headers: headers))
        }
        headers.add(.eTag, "\"\(etag)\"")
        guard request.method == .get else {
            return HubAnswer(HTTPResponseHead(.ok, headers: headers), name, content)
        }
        return faults.answer(request, name, content, headers)
    }
}

/// A step of a connection to the hub double.
enum HubStep {
    case answer(HTTPRequestHead)
    case part(HTTPRequestHead, Range<Int>)
    /// The connection ended; its last request.
    case end(HTTPRequestHead)
}
