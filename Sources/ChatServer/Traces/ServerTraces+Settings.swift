// Traces as the settings want them.

import EventLoop
import FoundationEssentials
import HTTPProtocol
import Logging
import Traces

extension TraceExporter {
    /// Sends the server's traces to the collector of the settings; nil if they name none.
    /// - Throws: `StartupError` if the file of header fields cannot be used.
    convenience init?(
        _ server: Server,
        node: UUID,
        workers: WorkerPool
    ) throws(StartupError) {
        guard let traces = server.traces,
            let collector = try Collector(server.settings, node: node)
        else { return nil }
        self.init(
            collector,
            traces.tracer.buffer,
            loop: server.loop,
            workers: workers,
            logger: server.logger
        )
    }
}

extension TraceExporter.Collector {
    /// The collector of the settings; nil if they name none.
    /// - Parameters:
    ///   - settings: the settings.
    ///   - node: the number of this process among the nodes.
    /// - Throws: `StartupError` if the file of header fields cannot be used.
    init?(_ settings: ServerSettings, node: UUID) throws(StartupError) {
        guard let url = settings.tracesEndpoint.flatMap({ HTTPURL($0) }) else { return nil }
        self.init(
            url: url,
            headers: try settings.tracesHeadersFile.map(Self.headers) ?? [:],
            resource: [
                ("service.name", "stoa"), ("service.version", Server.version),
                ("service.instance.id", "\(node)"), ("host.name", settings.nodeName),
            ]
        )
    }

    /// Reads header fields, one `Name: value` a line. No message contains a value.
    private static func headers(inFile path: String) throws(StartupError) -> HTTPHeaders {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw StartupError(.noInput, "\(path), the traces-headers-file, cannot be read")
        }
        var headers = HTTPHeaders()
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        for line in lines where !line.allSatisfy(\.isWhitespace) {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.last.map { String($0.drop { $0 == " " }) } ?? ""
            guard parts.count == 2, let name = HTTPHeaderName(String(parts[0])),
                HTTPHeaders.isValidValue(value), !value.isEmpty
            else {
                throw StartupError(
                    .configuration,
                    "\(path), the traces-headers-file, has a line that is not of the form Name: value"
                )
            }
            headers.add(name, value)
        }
        return headers
    }
}
