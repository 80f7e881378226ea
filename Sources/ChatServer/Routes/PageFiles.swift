// The page's files, from memory, each with an entity tag, so that a browser that has them asks for
// nothing but that.

import Digests
import HTTPProtocol

/// The files of Web/, ready to be sent.
struct PageFiles {
    private struct File {
        let bytes: [UInt8]
        let tag: EntityTag?
        let type: String
    }

    /// What the page may do: nothing but what it brings along. Model output cannot load, send or run
    /// anything, whatever it says.
    private static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
        img-src 'self' data:; base-uri 'none'; form-action 'self'; \
        frame-ancestors 'none'; require-trusted-types-for 'script'
        """

    private let files: [String: File]

    init(_ folder: BundledFolder) {
        files = Dictionary(
            uniqueKeysWithValues: folder.files.map { file in
                let bytes = Array(file.bytes)
                let digest = SHA256.digest(of: bytes).bytes
                return (
                    file.path,
                    File(
                        bytes: bytes,
                        tag: EntityTag(Hexadecimal.text(digest.prefix(16))),
                        type: MediaType.ofFile(named: file.path)
                    )
                )
            }
        )
    }

    /// Answers for a file; "/" is the page itself.
    func answer(_ path: [String], _ head: HTTPRequestHead) -> Response {
        let name = path.isEmpty ? "index.html" : path.joined(separator: "/")
        guard let file = files[name] else {
            return Response(
                .notFound,
                headers: [.contentType: "text/plain; charset=utf-8"],
                body: Array("not found\n".utf8)
            )
        }
        var headers: HTTPHeaders = [
            .contentType: file.type,
            .cacheControl: "no-cache",
            "Content-Security-Policy": Self.contentSecurityPolicy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        ]
        if let tag = file.tag {
            headers.add(.eTag, tag.description)
            if let known = head.headers[.ifNoneMatch], tag.matches(ifNoneMatch: known) {
                return Response(.notModified, headers: headers)
            }
        }
        return Response(.ok, headers: headers, body: file.bytes)
    }
}
