// Looks up models in the cache, without the network.

import Glibc

/// The folder in which all Hugging Face tools keep models. All functions block: on an event loop, call
/// them on a worker thread.
public struct ModelCache: Sendable {
    /// The cache's absolute path.
    public let folder: String

    /// The cache at `folder`, which need not exist.
    public init(folder: String) { self.folder = folder }

    /// The cache into which pulls with `configuration` write.
    public init(_ configuration: HubConfiguration) { folder = configuration.cacheFolder }

    func folder(of name: ModelName) -> ModelFolder { ModelFolder(name: name, cache: folder) }

    /// The folder of a model's files, as `serve --model` takes it.
    /// - Parameters:
    ///   - name: the model.
    ///   - revision: a branch, a tag or a commit.
    /// - Returns: nil if the cache does not hold the complete model.
    public func snapshot(of name: ModelName, revision: String = "main") -> String? {
        path(of: PullTarget(name), revision: revision)
    }

    /// The folder of a model's files, or one GGUF file of it, as `serve --model` takes them.
    /// - Parameters:
    ///   - target: the model, or its file.
    ///   - revision: a branch, a tag or a commit.
    /// - Returns: nil if the cache does not hold all of it.
    public func path(of target: PullTarget, revision: String = "main") -> String? {
        guard let revision = try? Revision(revision) else { return nil }
        let (path, missing) = lookUp(target, revision)
        return missing.isEmpty ? path : nil
    }

    /// Where `target` is, and what of it is missing.
    func lookUp(_ target: PullTarget, _ revision: Revision) -> (path: String, missing: [String]) {
        let folder = folder(of: target.name)
        guard let commit = folder.commit(revision) else { return ("", ["the model"]) }
        let snapshot = folder.snapshot(commit)
        guard let gguf = target.gguf else { return (snapshot, missing(commit, in: folder)) }
        guard let file = try? gguf.file(in: folder.files(of: commit), of: target.name),
            access("\(snapshot)/\(file)", F_OK) == 0
        else { return ("", ["\(gguf)"]) }
        return ("\(snapshot)/\(file)", [])
    }

    /// The models in the cache, sorted by name, with each commit that has any data.
    public func models() -> [CachedModel] {
        Folder.names(in: folder).compactMap(ModelName.init(folderName:)).flatMap(commits)
    }

    /// Each commit of `name` that has any data.
    public func commits(of name: ModelName) -> [CachedModel] {
        let folder = folder(of: name)
        let names = names(in: folder)
        let listed = Folder.names(in: folder.lists).compactMap { file in
            file.split(separator: ".").first.map(String.init)
        }
        let commits = Set(Folder.names(in: folder.snapshots) + listed + names.keys)
        return commits.filter { isHexadecimal($0, count: 40) }.sorted().map { commit in
            CachedModel(
                name: name,
                commit: commit,
                revisions: names[commit] ?? [],
                folder: folder.snapshot(commit),
                byteCount: byteCount(commit, in: folder),
                missing: missing(commit, in: folder)
            )
        }
    }

    /// The branches and tags that point to each commit.
    private func names(in folder: ModelFolder) -> [String: [String]] {
        var names: [String: [String]] = [:]
        func look(_ path: String, prefix: String) {
            for name in Folder.names(in: path) {
                if Folder.kind("\(path)/\(name)") == S_IFDIR {
                    look("\(path)/\(name)", prefix: "\(prefix)\(name)/")
                } else if let revision = try? Revision(prefix + name),
                    let commit = folder.commit(revision)
                {
                    names[commit, default: []].append(prefix + name)
                }
            }
        }
        look(folder.refs, prefix: "")
        return names
    }

    /// The bytes of a commit on disk, incomplete files included.
    private func byteCount(_ commit: String, in folder: ModelFolder) -> Int {
        if let listing = StoredListing.read(commit, in: folder) {
            return listing.files.reduce(0) { sum, file in
                sum + (folder.has(file) ? file.byteCount : folder.partialBytes(file))
            }
        }
        let snapshot = folder.snapshot(commit)
        return folder.files(of: commit).reduce(0) { sum, file in
            var status = stat()
            return stat("\(snapshot)/\(file)", &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }
}
