// The web page's files, served from memory: compressed if the client accepts it, and with validators,
// so that a browser can revalidate its copy, or resume a partial download.

import ChatProtocol
import Digests
import Glibc
package import HTTPProtocol

/// The files of the page as responses.
package struct PageFiles {
    /// A file in one coding.
    private struct Form {
        let bytes: [UInt8]
        let validators: Validators
        /// The headers of every response with it.
        let headers: HTTPHeaders
        let encodedHeaders: EncodedFields

        /// The response with all of it.
        var whole: Response {
            let head = HTTPResponseHead(.ok, headers: headers, encodedHeaders: encodedHeaders)
            return Response(head, body: bytes)
        }
    }

    /// A file in all its codings, `identity` among them.
    private struct File {
        var forms: [ContentCoding: Form] = [:]
        /// The codings of `forms`.
        var codings: Set<ContentCoding> = []
    }

    /// Endings of names that say how a file is compressed.
    private static let codings = [".gz": ContentCoding.gzip, ".br": .brotli]

    private let files: [String: File]
    private let latest = LatestPreferences()

    /// The files of a folder: "NAME.gz" and "NAME.br" are compressed forms of "NAME". Names in
    /// "assets/" contain a hash of the content, so such a file never changes.
    package init(_ folder: [(path: String, bytes: [UInt8])]) {
        let date = Self.programDate
        var files: [String: File] = [:]
        let codings = folder.map { file in Self.codings.first { file.path.hasSuffix($0.key) } }
        let names = zip(folder, codings).map { file, coding in
            String(file.path.dropLast(coding?.key.count ?? 0))
        }
        let formCounts = names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for ((_, bytes), (coding, name)) in zip(folder, zip(codings, names)) {
            // Of the form's bytes, so that the tags of a file's forms differ.
            let tag = EntityTag(Hexadecimal.text(SHA256.digest(of: bytes).bytes.prefix(16)))
            let validators = Validators(tag: tag, lastModified: date)
            let headers = Self.headers(
                of: name,
                in: coding?.value ?? .identity,
                hasOthers: formCounts[name, default: 0] > 1,
                validators
            )
            let form = Form(
                bytes: bytes,
                validators: validators,
                headers: headers,
                encodedHeaders: EncodedFields(headers)
            )
            files[name, default: File()].forms[coding?.value ?? .identity] = form
            files[name]?.codings.insert(coding?.value ?? .identity)
        }
        self.files = files
    }

    init(_ folder: BundledFolder) {
        self.init(folder.files.map { (path: $0.path, bytes: Array($0.bytes)) })
    }

    private static func caching(of name: String) -> String {
        name.hasPrefix("assets/") ? "public, max-age=31536000, immutable" : "no-cache"
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
    package func answer(_ path: [String], _ request: HTTPRequestHead) -> Response {
        let name = path.isEmpty ? "index.html" : path.joined(separator: "/")
        guard let file = files[name] else { return Self.plain(.notFound, "not found") }
        guard let coding = latest.preferences(request.headers).first(where: file.codings.contains),
            let form = file.forms[coding]
        else {
            var response = Self.plain(.notAcceptable, "it needs Accept-Encoding: identity")
            response.head.headers.add(.vary, HTTPHeaderName.acceptEncoding.text)
            return response
        }
        let headers = form.headers
        switch form.validators.verdict(on: request) {
        case .notModified:
            // A 304 response has no headers about its content (RFC 9110, section 15.4.5).
            var response = Response(.notModified, headers: headers)
            for name: HTTPHeaderName in [.contentType, .contentEncoding, .acceptRanges] {
                response.head.headers.remove(name)
            }
            return response
        case .failed: return Self.plain(.preconditionFailed, "it has changed")
        case .holds: break
        }
        // Ranges are ignored for HEAD (section 14.2), and of compressed bytes nobody needs a part.
        let wantsPart =
            request.method == .get && coding == .identity && form.validators.allowPart(to: request)
        guard wantsPart, let range = request.headers[.range] else { return form.whole }
        return Self.part(range, of: form)
    }

    /// The response with the bytes of `range`, a `Range` field.
    private static func part(_ range: String, of form: Form) -> Response {
        let (bytes, headers) = (form.bytes, form.headers)
        switch ByteRange(range, length: bytes.count) {
        case .whole: return form.whole
        case .part(let part):
            let (first, last) = (part.lowerBound, part.upperBound - 1)
            var response = Response(.partialContent, headers: headers, body: Array(bytes[part]))
            response.head.headers.add(.contentRange, "bytes \(first)-\(last)/\(bytes.count)")
            return response
        case .unsatisfiable:
            var response = plain(.rangeNotSatisfiable, "it is not that long")
            response.head.headers.add(.contentRange, "bytes */\(bytes.count)")
            return response
        }
    }

    private static func headers(
        of name: String,
        in coding: ContentCoding,
        hasOthers: Bool,
        _ validators: Validators
    ) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            .contentType: MediaType.ofFile(named: name), .cacheControl: caching(of: name),
        ]
        if hasOthers { headers.add(.vary, HTTPHeaderName.acceptEncoding.text) }
        if coding == .identity {
            headers.add(.acceptRanges, "bytes")
        } else {
            headers.add(.contentEncoding, coding.rawValue)
        }
        if let tag = validators.tag { headers.add(.eTag, tag.description) }
        if let seconds = validators.lastModified {
            headers.add(.lastModified, HTTPDate.format(secondsSince1970: seconds))
        }
        for field in PagePolicy.headers.fields { headers.add(field.name, field.value) }
        return headers
    }

    private static func plain(_ status: HTTPStatus, _ text: String) -> Response {
        Response(
            status,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: Array("\(text)\n".utf8)
        )
    }
}

/// The codings that the latest client accepts: a browser sends the same `Accept-Encoding` for each
/// file.
private final class LatestPreferences {
    private var field: String?
    private var codings = [ContentCoding.identity]

    func preferences(_ headers: HTTPHeaders) -> [ContentCoding] {
        let field = headers[.acceptEncoding]
        if field != self.field {
            self.field = field
            codings = ContentCoding.preferences(headers)
        }
        return codings
    }
}
