import Checkpoints
import FoundationEssentials
import PhiKernels
import PhiModel
import TestSupport

/// The files of an adapter in mlx-lm's format, which tests may change.
struct AdapterFiles {
    let folder: TemporaryFolder
    var config: String
    /// The float32 matrices by name.
    var tensors: [(name: String, shape: [Int], values: [Float])] = []
    /// The number of bytes missing at the end of the weights.
    var cutByteCount = 0

    init(rank: Int, scale: Double = 2) throws {
        folder = try TemporaryFolder()
        config = """
            {"fine_tune_type": "lora", "num_layers": -1,
            "lora_parameters": {"rank": \(rank), "scale": \(scale), "dropout": 0.0}}
            """
    }

    /// Adds a random change of a module, or with `isZero` one that changes nothing.
    mutating func add(
        _ path: String,
        from inputCount: Int,
        to outputCount: Int,
        rank: Int,
        isZero: Bool = false,
        _ random: inout SeededGenerator
    ) {
        tensors.append(("\(path).lora_a", [inputCount, rank], random.floats(inputCount * rank)))
        let values = random.floats(rank * outputCount).map { isZero ? 0 : $0 / 8 }
        tensors.append(("\(path).lora_b", [rank, outputCount], values))
    }

    /// Writes the files, and loads the adapter.
    func load(for model: PhiModel) throws -> Adapter {
        try folder.write("adapter_config.json", Array(config.utf8))
        var entries: [String] = []
        var data: [UInt8] = []
        for (name, shape, values) in tensors {
            let end = data.count + 4 * values.count
            entries.append(
                "\"\(name)\": {\"dtype\": \"F32\", \"shape\": \(shape), "
                    + "\"data_offsets\": [\(data.count), \(end)]}"
            )
            data += values.flatMap { FloatBytes.of($0, PHI_FLOAT32) }
        }
        let header = Array("{\(entries.joined(separator: ", "))}".utf8)
        let length = (0..<8).map { UInt8(truncatingIfNeeded: header.count >> (8 * $0)) }
        let file = length + header + data
        try folder.write("adapters.safetensors", Array(file.dropLast(cutByteCount)))
        return try Adapter(AdapterCheckpoint.open(folder.path), for: model)
    }

    /// The error of loading it.
    func error(for model: PhiModel) throws -> String? {
        do {
            _ = try load(for: model)
            return nil
        } catch {
            return (error as? CheckpointError)?.description ?? "\(error)"
        }
    }
}
