import ChatServer
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
            ("Web", BundledFolder.web), ("Migrations", BundledFolder.migrations),
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
