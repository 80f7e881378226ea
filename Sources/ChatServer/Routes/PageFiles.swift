// The web page's files, served from memory with an entity tag and a date, so that a browser can
// revalidate its copy, or resume a partial download.

import ChatProtocol
import Digests
import Glibc
import HTTPProtocol

/// The files of Web/ as responses.
struct PageFiles {
    private struct File {
        let bytes: [UInt8]
        let validators: Validators
        let type: String
    }

    /// The page may only use its own files. Model output cannot load, send or execute anything.
    private static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
        img-src 'self' data:; base-uri 'none'; form-action 'self'; \
        frame-ancestors 'none'; require-trusted-types-for 'script'
        """

    private let files: [String: File]

    init(_ folder: BundledFolder) {
        let date = Self.programDate
        files = Dictionary(
            uniqueKeysWithValues: folder.files.map { file in
                let bytes = Array(file.bytes)
                let digest = SHA256.digest(of: bytes).bytes
                let tag = EntityTag(Hexadecimal.text(digest.prefix(16)))
                return (
                    file.path,
                    File(
                        bytes: bytes,
                        validators: Validators(tag: tag, lastModified: date),
                        type: MediaType.ofFile(named: file.path)
                    )
                )
            }
        )
    }

    /// When the files last changed: the date of the program, which contains them. A date in the
    /// future is not allowed (RFC 9110, section 8.8.2.1).
    private static var programDate: Int? {
        var information = stat()
        guard stat("/proc/self/exe", &information) == 0 else { return nil }
        let seconds = information.st_mtim.tv_sec
        return seconds <= Int(Timestamp.now.milliseconds / 1000) ? seconds : nil
    }

    /// Responds to GET or HEAD for a file; "/" is the page itself.
    func answer(_ path: [String], _ request: HTTPRequestHead) -> Response {
        let name = path.isEmpty ? "index.html" : path.joined(separator: "/")
        guard let file = files[name] else { return Self.plain(.notFound, "not found") }
        let headers = headers(of: file)
        switch file.validators.verdict(on: request) {
        case .notModified:
            // A 304 response has no headers about its content (RFC 9110, section 15.4.5).
            var response = Response(.notModified, headers: headers)
            for name: HTTPHeaderName in [.contentType, .acceptRanges] {
                response.head.headers.remove(name)
            }
            return response
        case .failed: return Self.plain(.preconditionFailed, "it has changed")
        case .holds: break
        }
        // Ranges are ignored for HEAD (section 14.2).
        let wantsPart = request.method == .get && file.validators.allowPart(to: request)
        let range = wantsPart ? request.headers[.range] : nil
        switch ByteRange(range, length: file.bytes.count) {
        case .whole: return Response(.ok, headers: headers, body: file.bytes)
        case .part(let part):
            let (first, last) = (part.lowerBound, part.upperBound - 1)
            var response = Response(.partialContent, headers: headers)
            response.head.headers.add(.contentRange, "bytes \(first)-\(last)/\(file.bytes.count)")
            response.body = Array(file.bytes[part])
            return response
        case .unsatisfiable:
            var response = Self.plain(.rangeNotSatisfiable, "it is not that long")
            response.head.headers.add(.contentRange, "bytes */\(file.bytes.count)")
            return response
        }
    }

    private func headers(of file: File) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            .contentType: file.type,
            .cacheControl: "no-cache",
            .acceptRanges: "bytes",
            "Content-Security-Policy": Self.contentSecurityPolicy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        ]
        if let tag = file.validators.tag { headers.add(.eTag, tag.description) }
        if let seconds = file.validators.lastModified {
            headers.add(.lastModified, HTTPDate.format(secondsSince1970: seconds))
        }
        return headers
    }

    private static func plain(_ status: HTTPStatus, _ text: String) -> Response {
        Response(
            status,
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: Array("\(text)\n".utf8)
        )
    }
}
