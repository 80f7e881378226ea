import ChatServer
import Digests
import FoundationEssentials
import TestSupport
import Testing

@Suite("Files inside the binary")
struct BundledFolderTests {
    private func files(below folder: String) throws -> Set<String> {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return Set(
            names.filter { name in
                let attributes = try? FileManager.default.attributesOfItem(
                    atPath: "\(folder)/\(name)"
                )
                return attributes?[.type] as? FileAttributeType == .typeRegular
            }
        )
    }

    @Test(
        "equal those of the source folders, byte for byte",
        arguments: [
            (".build/page/files", BundledFolder.web), ("Migrations", BundledFolder.migrations),
            ("Sources/BundledFiles/demo-model", BundledFolder.demoModel),
        ]
    )
    func complete(path: String, folder: BundledFolder) throws {
        let source = "\(SharedFiles.packageRoot)/\(path)"
        #expect(try files(below: source) == Set(folder.files.map(\.path)))
        for file in folder.files {
            let bytes = try Data(contentsOf: URL(filePath: "\(source)/\(file.path)"))
            #expect(Array(bytes) == Array(file.bytes), "\(file.path)")
        }
    }

    @Test("contain a page that is made of all of Web/, as it is now")
    func page() throws {
        let root = SharedFiles.packageRoot
        let text = try String(contentsOfFile: "\(root)/.build/page/sources.txt", encoding: .utf8)
        var digests: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            digests[parts[1].trimmingPrefix(" ").description] = String(parts[0])
        }
        let sources = try files(below: "\(root)/Web").map { "Web/\($0)" }
        // A file that is missing in the list is one that no page names and no module imports.
        #expect(Set(digests.keys.filter { $0.hasPrefix("Web/") }) == Set(sources))
        for path in sources {
            let bytes = try Data(contentsOf: URL(filePath: "\(root)/\(path)"))
            let digest = Hexadecimal.text(SHA256.digest(of: Array(bytes)).bytes)
            #expect(digests[path] == digest, "\(path) has changed: run `make page`, and build")
        }
    }

    /// A module more in the first view is a request more, and with bad luck a round trip.
    @Test("contain a page whose first view is one style sheet and two modules")
    func firstView() throws {
        let files = BundledFolder.web.files
        let page = try #require(files.first { $0.path == "index.html" })
        let text = String(decoding: page.bytes, as: UTF8.self)
        func names(_ pattern: Regex<(Substring, Substring)>) -> [String] {
            text.matches(of: pattern).map { String($0.1) }
        }
        #expect(names(/rel="stylesheet" href="([^"]+)">/).count == 1)
        let main = names(/type="module" src="([^"]+)"/)
        let modules = main + names(/rel="modulepreload" href="([^"]+)"/)
        #expect(main.count == 1 && modules.count == 2, "\(modules)")
        // All that they import at once is named in the page.
        for module in modules {
            let file = try #require(files.first { $0.path == module })
            let code = String(decoding: file.bytes, as: UTF8.self)
            let imported = code.matches(of: /(?:from|import) ?"\.\/([^"]+\.js)"/).map { $0.1 }
            for name in imported {
                #expect(modules.contains("assets/\(name)"), "\(module) imports \(name)")
            }
        }
    }

    @Test("contain the demo model, which is written to disk if it is missing or damaged")
    func demoModel() throws {
        let folder = try TemporaryFolder()
        let path = try DemoModel.folder(in: folder.path)
        let weights = "\(path)/model.safetensors"
        let original = try Data(contentsOf: URL(filePath: weights))
        try Data([1, 2, 3]).write(to: URL(filePath: weights))
        #expect(try DemoModel.folder(in: folder.path) == path)
        #expect(try Data(contentsOf: URL(filePath: weights)) == original)
    }
}
