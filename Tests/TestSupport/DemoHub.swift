// A model hub on loopback that serves one model, at a speed that the test controls. It is
// well-behaved: ModelHub's own tests have a hub with errors.

import COpenSSL
import Dispatch
import EventLoop
import FoundationEssentials
import HTTPProtocol
import Networking
import Synchronization

/// Serves the demo model under a hub name, on its own thread.
public final class DemoHub: Sendable {
    /// The model's name.
    public static let model = "mlx-community/stoa-demo-4bit"

    private let desk: DemoHubDesk
    private let thread: EventLoopThread

    /// Starts the hub.
    /// - Throws: if the demo model cannot be read, or no thread is available.
    public init() throws {
        let folder = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
        }
        let desk = DemoHubDesk(files: files)
        let isOpen = DispatchSemaphore(value: 0)
        thread = try EventLoop.launch(name: "hub double") { loop in
            desk.open(on: loop)
            isOpen.signal()
        }
        isOpen.wait()
        self.desk = desk
    }

    deinit { thread.remote.stop() }

    /// The address for `HF_ENDPOINT`.
    public var address: String { "http://127.0.0.1:\(desk.state.withLock { $0.port })" }

    /// Withholds the second half of the weights until `release`.
    public func hold() { desk.state.withLock { $0.isHeld = true } }

    /// Sends what `hold` withheld.
    public func release() { desk.state.withLock { $0.isHeld = false } }

    /// The number of requests for the weights.
    public var weightRequestCount: Int { desk.state.withLock { $0.weightRequestCount } }
}

/// The server. Its files are constant, its state is behind a lock.
private final class DemoHubDesk: Sendable {
    struct State {
        var isHeld = false
        var port: UInt16 = 0
        var weightRequestCount = 0
    }

    private final class ListenerBox {
        var listener: Listener?
    }

    private static let commit = String(repeating: "d", count: 40)
    private static let weights = "model.safetensors"

    let files: [String: [UInt8]]
    let state = Mutex(State())

    init(files: [String: [UInt8]]) { self.files = files }

    /// Listens until the loop ends.
    func open(on loop: EventLoop) {
        let box = ListenerBox()
        let address = SocketAddress.ipv4(0x7F00_0001, port: 0)
        box.listener = try? Listener(loop: loop, address: address) { stream in
            withExtendedLifetime(box) {}
            loop.spawn { await self.serve(AsyncByteStream(stream), on: loop) }
        }
        let port = box.listener?.address.port ?? 0
        state.withLock { $0.port = port }
    }

    private func serve(_ stream: AsyncByteStream, on loop: EventLoop) async {
        defer { stream.stream.closeAfterFlush() }
        var connection = HTTPServerConnection()
        while let bytes = try? await stream.read() {
            bytes.withUnsafeBytes { connection.receive($0) }
            while let event = try? connection.nextEvent() {
                guard case .request(let request) = event else { continue }
                let (head, body, isWeights) = answer(request)
                let start = connection.send(head, length: .exactly(body.count))
                guard (try? await stream.write(start)) != nil else { return }
                if request.method == .get {
                    for part in [body[..<(body.count / 2)], body[(body.count / 2)...]] {
                        let bytes = connection.sendBody(Array(part))
                        guard (try? await stream.write(bytes)) != nil else { return }
                        if isWeights, await !waitForRelease(on: loop) { return }
                    }
                }
                guard (try? await stream.write(connection.sendEnd())) != nil else { return }
            }
            if connection.shouldClose { return }
        }
    }

    /// Polls for the release, since nothing notifies this thread.
    /// - Returns: false if the loop ends.
    private func waitForRelease(on loop: EventLoop) async -> Bool {
        while state.withLock({ $0.isHeld }) {
            do { try await loop.sleep(for: .milliseconds(20)) } catch { return false }
        }
        return true
    }

    // MARK: Answers

    private func answer(
        _ request: HTTPRequestHead
    ) -> (head: HTTPResponseHead, body: [UInt8], isWeights: Bool) {
        func json(_ text: String) -> (HTTPResponseHead, [UInt8], Bool) {
            (
                HTTPResponseHead(.ok, headers: [.contentType: "application/json"]),
                Array(text.utf8), false
            )
        }
        guard request.target.contains("/\(DemoHub.model)") else {
            let headers: HTTPHeaders = ["X-Error-Code": "RepoNotFound"]
            return (HTTPResponseHead(.notFound, headers: headers), [], false)
        }
        if request.target.contains("/revision/") { return json("{\"sha\":\"\(Self.commit)\"}") }
        if request.target.contains("/tree/") { return json("[\(entries)]") }
        let name = request.path.split(separator: "/").last.map(String.init) ?? ""
        guard let content = files[name] else {
            let headers: HTTPHeaders = ["X-Error-Code": "EntryNotFound"]
            return (HTTPResponseHead(.notFound, headers: headers), [], false)
        }
        let isWeights = name == Self.weights
        if isWeights { state.withLock { $0.weightRequestCount += 1 } }
        var headers: HTTPHeaders = [.eTag: "\"\(digest(of: name))\"", "X-Repo-Commit": Self.commit]
        guard let range = Self.range(request)?.clamped(to: 0..<content.count) else {
            return (HTTPResponseHead(.ok, headers: headers), content, isWeights)
        }
        headers[.contentRange] =
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
        let head = HTTPResponseHead(.partialContent, headers: headers)
        return (head, Array(content[range]), isWeights)
    }

    private static func range(_ request: HTTPRequestHead) -> Range<Int>? {
        let ends = (request.headers[.range]?.dropFirst("bytes=".count) ?? "").split(separator: "-")
            .compactMap { Int($0) }
        return ends.count == 2 ? ends[0]..<ends[1] + 1 : ends.first.map { $0..<Int.max }
    }

    /// The list of files, with the weights as a large file (LFS).
    private var entries: String {
        files.map { name, content in
            let git = Self.digest(sha1: Array("blob \(content.count)\0".utf8) + content)
            guard name == Self.weights else {
                return
                    #"{"type":"file","path":"\#(name)","size":\#(content.count),"oid":"\#(git)"}"#
            }
            return """
                {"type":"file","path":"\(name)","size":\(content.count),"oid":"\(git)","lfs":\
                {"oid":"\(digest(of: name))","size":\(content.count),"pointerSize":134}}
                """
        }.joined(separator: ",")
    }

    private func digest(of name: String) -> String {
        let content = files[name] ?? []
        guard name == Self.weights else {
            return Self.digest(sha1: Array("blob \(content.count)\0".utf8) + content)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(content, content.count, &digest)
        return Self.hexadecimal(digest)
    }

    private static func digest(sha1 bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 20)
        SHA1(bytes, bytes.count, &digest)
        return hexadecimal(digest)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
