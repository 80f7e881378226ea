// A hub on loopback that serves one model, and misbehaves as a test tells it to.

import COpenSSL
import EventLoop
import HTTPProtocol
import ModelHub
import Networking

/// Serves `files` of the model `org/name`.
final class HubDouble {
    static let commit = String(repeating: "c", count: 40)
    var files: [String: [UInt8]] = ["config.json": Array("{}".utf8)]
    /// Answers a file's request in place of the double; nil lets the double answer.
    var onFile: (HTTPRequestHead) -> (HTTPResponseHead, [UInt8])? = { _ in nil }
    /// Answers everything with this.
    var refusal: HTTPResponseHead?
    /// How many body bytes of the next file go out before the connection is cut.
    var cutAfter: Int?
    private(set) var fileRequests: [HTTPRequestHead] = []
    let loop: EventLoop
    private var listener: Listener?

    init(_ loop: EventLoop) throws {
        self.loop = loop
        listener = try Listener(loop: loop, address: .ipv4(0x7F00_0001, port: 0)) {
            [unowned self] stream in
            loop.spawn { await self.serve(AsyncByteStream(stream)) }
        }
    }

    var address: String { "http://127.0.0.1:\(listener?.address.port ?? 0)" }

    func close() { listener?.close() }

    private func serve(_ stream: AsyncByteStream) async {
        var connection = HTTPServerConnection()
        while let bytes = try? await stream.read() {
            bytes.withUnsafeBytes { connection.receive($0) }
            while let event = try? connection.nextEvent() {
                guard case .request(let request) = event else { continue }
                let (head, body) = answer(request)
                stream.stream.write(connection.send(head, length: .exactly(body.count)))
                let limit = request.target.contains("model.safetensors") ? cutAfter : nil
                if limit != nil { cutAfter = nil }
                stream.stream.write(connection.sendBody(Array(body.prefix(limit ?? body.count))))
                stream.stream.closeAfterFlush()
                return
            }
        }
    }

    private func answer(_ request: HTTPRequestHead) -> (HTTPResponseHead, [UInt8]) {
        if let refusal { return (refusal, []) }
        if request.target.contains("/revision/") {
            return (HTTPResponseHead(.ok), Array("{\"sha\":\"\(Self.commit)\"}".utf8))
        }
        if request.target.contains("/tree/") { return (HTTPResponseHead(.ok), list()) }
        fileRequests.append(request)
        if let answer = onFile(request) { return answer }
        let name = request.target.split(separator: "/").last.map(String.init) ?? ""
        guard let content = files[name] else { return (HTTPResponseHead(.notFound), []) }
        guard let range = request.headers[.range], let from = Int(range.dropFirst(6).dropLast())
        else { return (HTTPResponseHead(.ok), content) }
        let told = "bytes \(from)-\(content.count - 1)/\(content.count)"
        let head = HTTPResponseHead(.partialContent, headers: [.contentRange: told])
        return (head, Array(content[from...]))
    }

    private func list() -> [UInt8] {
        let entries = files.map { name, content in
            var digest = [UInt8](repeating: 0, count: 32)
            SHA256(content, content.count, &digest)
            let hex = digest.map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
            return """
                {"type":"file","path":"\(name)","size":\(content.count),\
                "oid":"\(String(repeating: "0", count: 40))",\
                "lfs":{"oid":"\(hex.joined())","size":\(content.count)}}
                """
        }
        return Array("[\(entries.joined(separator: ","))]".utf8)
    }
}
