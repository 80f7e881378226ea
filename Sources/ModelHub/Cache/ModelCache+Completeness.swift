// Whether a snapshot is complete. An existing folder does not prove it: other tools create it with the
// first file. The stored list of files decides; without one, the files' references to each other.

import FoundationEssentials
import Glibc

extension ModelCache {
    /// The files that the snapshot of `commit` lacks; empty if it is complete.
    func missing(_ commit: String, in folder: ModelFolder) -> [String] {
        let snapshot = folder.snapshot(commit)
        guard let listing = StoredListing.read(commit, in: folder) else {
            return missing(in: snapshot)
        }
        return listing.files.filter { file in
            var status = stat()
            return stat("\(snapshot)/\(file.path)", &status) != 0
                || Int(status.st_size) != file.byteCount
        }.map(\.path)
    }

    /// The missing files of a snapshot without a list, as far as they can be known.
    private func missing(in snapshot: String) -> [String] {
        // Skips links whose blob does not exist.
        let present = Set(
            Folder.names(in: snapshot).filter { access("\(snapshot)/\($0)", F_OK) == 0 }
        )
        let weights = shards(snapshot) ?? shards(namedLike: present)
        // Phi-3-small's tokenizer is in a file of another format.
        let tokenizer = ["cl100k_base.tiktoken"].first(where: present.contains) ?? "tokenizer.json"
        let wanted = ["config.json", tokenizer] + (weights ?? ["model.safetensors"])
        return wanted.filter { !present.contains($0) }
    }

    /// The weights' files that the index names; nil if there is no index.
    private func shards(_ snapshot: String) -> [String]? {
        struct Index: Decodable {
            let files: [String: String]

            enum CodingKeys: String, CodingKey {
                case files = "weight_map"
            }
        }
        let path = "\(snapshot)/model.safetensors.index.json"
        guard let bytes = Folder.read(path, limit: 64 << 20),
            let index = try? JSONDecoder().decode(Index.self, from: Data(bytes))
        else { return nil }
        return Set(index.files.values).sorted()
    }

    /// The weights' files derived from one name: "model-00001-of-00003.safetensors" implies two
    /// more.
    private func shards(namedLike present: Set<String>) -> [String]? {
        for name in present where RepositoryFile.isWeights(name) {
            let words = name.dropLast(".safetensors".count).split(separator: "-")
            guard words.count == 4, words[2] == "of", let count = Int(words[3]),
                (1...1000).contains(count)
            else { continue }
            return (1...count).map { number in
                let digits = "\(number)"
                let zeros = String(repeating: "0", count: max(words[1].count - digits.count, 0))
                return "\(words[0])-\(zeros)\(digits)-of-\(words[3]).safetensors"
            }
        }
        return nil
    }
}
