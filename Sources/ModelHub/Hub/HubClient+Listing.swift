// Requests a model's commit and list of files from the hub's API.

import FoundationEssentials
import HTTPProtocol

/// The files of a model at one commit.
struct RepositoryListing: Sendable {
    var commit: String
    /// The files that the engine reads.
    var files: [RepositoryFile]
}

extension HubClient {
    /// Maximum size of a JSON response in bytes.
    private static let answerBytesMax = 16 << 20
    /// Maximum pages of a list; a page has 1,000 entries.
    private static let pagesMax = 100

    /// The commit that `revision` of `name` points to.
    func commit(_ name: ModelName, _ revision: Revision) async throws(HubError) -> String {
        let path = "/api/models/\(name)/revision/\(PercentEncoding.encode(revision.description))"
        let answer = try await json(
            configuration.url(path),
            as: RevisionAnswer.self,
            about: HubSubject(name: name, revision: revision.description)
        )
        guard isHexadecimal(answer.document.sha, count: 40) else {
            throw .badResponse("\(name) has no commit: is HF_ENDPOINT a hub?")
        }
        return answer.document.sha
    }

    /// The files of a model at `commit` that the engine reads: all of a folder, or one GGUF file.
    func listing(
        _ target: PullTarget,
        _ commit: String
    ) async throws(HubError) -> RepositoryListing {
        let name = target.name
        var entries: [TreeEntry] = []
        var page = configuration.url(
            "/api/models/\(name)/tree/\(commit)?recursive=true&expand=false"
        )
        for _ in 0..<Self.pagesMax {
            let answer = try await json(
                page,
                as: [TreeEntry].self,
                about: HubSubject(name: name, revision: commit)
            )
            entries += answer.document.filter { entry in
                target.gguf == nil ? entry.isWanted : entry.type == "file"
            }
            let link = answer.head.headers["Link"].flatMap {
                LinkHeader.target(in: $0, relation: "next")
            }
            guard let link else {
                return RepositoryListing(commit: commit, files: try files(entries, of: target))
            }
            guard let next = page.resolving(link), next.origin == page.origin else {
                throw .badResponse("the next page of the list of files is on another host")
            }
            page = next
        }
        throw .badResponse("the list of \(name)'s files has too many pages")
    }

    private func files(
        _ entries: [TreeEntry],
        of target: PullTarget
    ) throws(HubError) -> [RepositoryFile] {
        let name = target.name
        if let gguf = target.gguf {
            let file = try gguf.file(in: entries.map(\.path), of: name)
            guard let entry = entries.first(where: { $0.path == file }) else { return [] }
            return [try entry.file()]
        }
        var files: [RepositoryFile] = []
        for entry in entries { files.append(try entry.file()) }
        let names = Set(files.map(\.path))
        guard names.count == files.count else {
            throw .badResponse("the list of \(name)'s files has a duplicate")
        }
        guard names.contains("config.json") else {
            throw .notAModel(
                name,
                "it has no config.json; of a repository of GGUF files name one: \(name):Q4_K_M"
            )
        }
        guard names.contains(where: RepositoryFile.isWeights) else {
            throw .notAModel(name, "it has no model*.safetensors")
        }
        return files
    }

    /// The content of a small file of `name` at `commit`.
    func file(
        _ file: String,
        of name: ModelName,
        _ commit: String,
        limit: Int
    ) async throws(HubError) -> [UInt8] {
        try await retrier.run { () throws(HubError) in
            let exchange = try await open(
                configuration.url("/\(name)/resolve/\(commit)/\(PercentEncoding.encode(file))"),
                timeout: configuration.metadataTimeout,
                about: HubSubject(name: name, revision: commit, file: file)
            )
            defer { exchange.end() }
            return try await exchange.readAll(limit: limit)
        }
    }

    private func json<Document: Decodable>(
        _ url: HTTPURL,
        as type: Document.Type,
        about subject: HubSubject
    ) async throws(HubError) -> (document: Document, head: HTTPResponseHead) {
        try await retrier.run { () throws(HubError) in
            let exchange = try await open(
                url,
                timeout: configuration.metadataTimeout,
                about: subject
            )
            defer { exchange.end() }
            let body = try await exchange.readAll(limit: Self.answerBytesMax)
            do { return (try JSONDecoder().decode(type, from: Data(body)), exchange.head) } catch {
                throw .badResponse("\(subject): unexpected JSON")
            }
        }
    }
}

/// The response for a revision.
private struct RevisionAnswer: Decodable {
    let sha: String
}

/// A file or a folder of a repository.
struct TreeEntry: Sendable, Decodable {
    struct LargeFile: Sendable, Decodable {
        let oid: String
        let size: Int
    }

    let type: String
    let oid: String
    let size: Int?
    let path: String
    let lfs: LargeFile?

    /// Whether it is a file that the engine reads.
    var isWanted: Bool { type == "file" && RepositoryFile.isWanted(path) }

    func file() throws(HubError) -> RepositoryFile {
        try RepositoryFile(
            path: path,
            byteCount: lfs?.size ?? size ?? -1,
            digest: ContentDigest(lfs?.oid ?? oid)
        )
    }
}
