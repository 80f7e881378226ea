import Checkpoints
import TestSupport
import Testing

@Suite("safetensors files")
struct SafetensorsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func openError(_ bytes: [UInt8]) throws -> CheckpointError? {
        let path = try folder.write("model.safetensors", bytes)
        do throws(CheckpointError) {
            _ = try SafetensorsFile(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test("tensors are found where the header says, also at odd offsets")
    func valid() throws {
        let bytes = safetensors(header: validHeader, dataByteCount: 28)
        let path = try folder.write("model.safetensors", bytes)
        let file = try SafetensorsFile(path: path)
        #expect(file.tensors.map(\.name) == ["b", "a"])
        let tensor = file.tensors[0]
        #expect(tensor.elementType == .bfloat16)
        #expect(tensor.shape == [2, 2])
        #expect(tensor.elementCount == 4)
        #expect(withExtendedLifetime(file) { Array(tensor.bytes) } == Array(20..<28))
        #expect(tensor.byteRange.lowerBound == 8 + validHeader.utf8.count + 20)
    }

    @Test("an empty tensor and one without dimensions are valid")
    func emptyAndScalar() throws {
        let header = #"""
            {"empty":{"dtype":"F16","shape":[0,4],"data_offsets":[2,2]},\#
            "one":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}
            """#
        #expect(try openError(safetensors(header: header, dataByteCount: 2)) == nil)
    }

    @Test(
        "a damaged entry is refused with the tensor's name",
        arguments: [
            (#"{"shape":[1],"data_offsets":[0,4]}"#, "no dtype"),
            (#"{"dtype":"F33","shape":[1],"data_offsets":[0,4]}"#, "F33"),
            (#"{"dtype":"F32","data_offsets":[0,4]}"#, "no shape"),
            (#"{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}"#, "shape"),
            (#"{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}"#, "shape"),
            (#"{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}"#, "shape"),
            (#"{"dtype":"F32","shape":[1],"data_offsets":[0]}"#, "no range"),
            (#"{"dtype":"F32","shape":[1],"data_offsets":[4,0]}"#, "no range"),
            (#"{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}"#, "no range"),
            (#"{"dtype":"F32","shape":[3],"data_offsets":[0,8]}"#, "does not fit"),
            (#"{"dtype":"F32","shape":[3],"data_offsets":[0,12]}"#, "only 8"),
            (#"{"dtype":"F32","shape":[1],"data_offsets":[0,9223372036854775807]}"#, "only 8"),
            (
                #"{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}"#,
                "does not fit"
            ),
            ("7", "no dtype"),
        ]
    )
    func damagedEntry(entry: String, cause: String) throws {
        let bytes = safetensors(header: "{\"w\":\(entry)}", dataByteCount: 8)
        let error = try #require(try openError(bytes))
        guard case .malformedWeights(_, "w", let reason) = error else {
            Issue.record("unexpected error \(error)")
            return
        }
        #expect(reason.contains(cause))
        #expect(error.description.contains("download it again"))
    }

    @Test("overlapping tensors are refused")
    func overlap() throws {
        let header = #"""
            {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},\#
            "b":{"dtype":"U8","shape":[1],"data_offsets":[7,8]}}
            """#
        let error = try openError(safetensors(header: header, dataByteCount: 8))
        #expect(error?.description.contains("overlap") == true)
    }

    @Test("every truncation is refused")
    func truncation() throws {
        let bytes = safetensors(header: validHeader, dataByteCount: 28)
        for count in 0..<bytes.count {
            #expect(try openError(Array(bytes[..<count])) != nil)
        }
    }

    @Test(
        "a header that is too long or not an object is refused",
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7B],
            [0x01, 0xE1, 0xF5, 0x05, 0, 0, 0, 0, 0x7B], [1, 0, 0, 0, 0, 0, 0, 0, 0x37],
            [1, 0, 0, 0, 0, 0, 0, 0, 0x7B],
        ] as [[UInt8]]
    )
    func damagedHeader(bytes: [UInt8]) throws {
        #expect(try openError(bytes) != nil)
    }

    @Test("a folder instead of a file and a missing file are named")
    func unreadable() {
        let path = folder.path
        #expect(
            throws: CheckpointError.unreadable(
                path: path,
                operation: "open",
                cause: "not a regular file"
            )
        ) { try SafetensorsFile(path: path) }
        #expect(throws: CheckpointError.missingFile(path: path + "/x")) {
            try SafetensorsFile(path: path + "/x")
        }
    }

    @Test("mutated files are refused or read, and their tensors lie inside them")
    func fuzz() throws {
        var random = SeededGenerator(seed: 2)
        let valid = safetensors(header: validHeader, dataByteCount: 28)
        var refusedCount = 0
        for _ in 0..<3000 {
            let bytes = random.mutate(valid)
            let path = try folder.write("model.safetensors", bytes)
            guard let file = try? SafetensorsFile(path: path) else {
                refusedCount += 1
                continue
            }
            for tensor in file.tensors {
                #expect(tensor.byteRange.upperBound <= bytes.count)
                #expect(tensor.elementCount * tensor.elementType.byteCount == tensor.bytes.count)
            }
        }
        #expect(refusedCount > 1000)
    }
}
