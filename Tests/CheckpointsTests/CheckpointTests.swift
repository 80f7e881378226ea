import Checkpoints
import TestSupport
import Testing

@Suite("Checkpoints")
struct CheckpointTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func shard(_ name: String) -> [UInt8] {
        safetensors(
            header: #"{"\#(name)":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#,
            dataByteCount: 4
        )
    }

    @Test("shards are combined by name, and other files are ignored")
    func shards() throws {
        try folder.write("model-00001-of-00002.safetensors", shard("a"))
        try folder.write("model-00002-of-00002.safetensors", shard("b"))
        try folder.write("adapter.safetensors", [1, 2, 3])
        let checkpoint = try Checkpoint.open(folder.path)
        #expect(Set(checkpoint.tensors.keys) == ["a", "b"])
        #expect(try checkpoint.tensor("b").file.path.hasSuffix("model-00002-of-00002.safetensors"))
        #expect(checkpoint.contains("a"))
    }

    @Test("a tensor in two files is refused with both names")
    func duplicates() throws {
        let first = try folder.write("model-00001-of-00002.safetensors", shard("a"))
        let second = try folder.write("model.safetensors", shard("a"))
        #expect(throws: CheckpointError.duplicateTensor(name: "a", paths: [first, second])) {
            try Checkpoint.open(folder.path)
        }
    }

    @Test("a missing shard is named by the index")
    func missingShard() throws {
        try folder.write("model-00001-of-00002.safetensors", shard("a"))
        let missing = "model-00002-of-00002.safetensors"
        try folder.write(
            "model.safetensors.index.json",
            Array(
                #"{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"\#(missing)"}}"#.utf8
            )
        )
        let checkpoint = try Checkpoint.open(folder.path)
        #expect(
            throws: CheckpointError.missingTensor(
                name: "b",
                folder: folder.path,
                indexedFile: missing
            )
        ) { try checkpoint.tensor("b") }
        #expect(
            throws: CheckpointError.missingTensor(
                name: "c",
                folder: folder.path,
                indexedFile: nil
            )
        ) { try checkpoint.tensor("c") }
    }

    @Test("an empty folder, a missing folder and a file have different errors")
    func notACheckpoint() throws {
        #expect(throws: CheckpointError.noWeights(folder: folder.path)) {
            try Checkpoint.open(folder.path)
        }
        let file = try folder.write("file", [])
        for path in [file, folder.path + "/none"] {
            let error = #expect(throws: CheckpointError.self) { try Checkpoint.open(path) }
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test("errors of shape and element type name both sides")
    func checks() throws {
        try folder.write("model.safetensors", shard("a"))
        let tensor = try Checkpoint.open(folder.path).tensor("a")
        #expect(try tensor.checked(shape: [1]).checked(types: [.float32]).name == "a")
        let shapeError = #expect(throws: CheckpointError.self) {
            try tensor.checked(shape: [2, 3])
        }
        #expect(shapeError?.description.contains("[1] where config.json asks for [2, 3]") == true)
        let typeError = #expect(throws: CheckpointError.self) {
            try tensor.checked(types: [.uint32, .float16])
        }
        #expect(typeError?.description.contains("F32 where U32 or F16") == true)
    }
}
