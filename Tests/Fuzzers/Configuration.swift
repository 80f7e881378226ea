// config.json, generation_config.json and tokenizer_config.json, separated by zero bytes.

import Checkpoints

/// Reads the configuration of a model. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readConfiguration(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = FuzzerInput(start, count).parts(atMost: 3)
    do throws(CheckpointError) {
        let files = try parts.enumerated().map { (index, part) throws(CheckpointError) in
            try ConfigurationFile(parsing: part.span, path: "file\(index).json")
        }
        let configuration = try ModelConfiguration(
            config: files[0],
            generation: files.count > 1 ? files[1] : nil,
            tokenizer: files.count > 2 ? files[2] : nil
        )
        let rope = configuration.ropeScaling
        precondition(configuration.rotaryDimensions.isMultiple(of: 2))
        precondition(configuration.rotaryDimensions <= configuration.headSize)
        precondition(rope?.longFactors.count ?? 0 <= configuration.rotaryDimensions / 2)
        precondition(configuration.stopTokens.allSatisfy { $0 >= 0 })
    } catch {
        precondition(error.description.contains("file"), "an error names its file")
    }
    return 0
}
