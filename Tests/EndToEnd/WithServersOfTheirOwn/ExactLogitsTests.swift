// `stoa model logits --exact` compared with reference logits in float32 from mlx-lm, for tiny
// models of every layout of a checkpoint (Tests/PhiModelTests/Golden).

import Checkpoints
import FoundationEssentials
import JSONText
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Exact logits")
    struct ExactLogits {
        private static let golden = "\(SharedFiles.packageRoot)/Tests/PhiModelTests/Golden"

        private static let models: [String] = {
            let names = try? FileManager.default.contentsOfDirectory(atPath: golden)
            return (names ?? []).sorted().filter { name in
                FileManager.default.fileExists(atPath: "\(golden)/\(name)/golden_logits.json")
            }
        }()

        /// The largest difference between the command's logits and the reference.
        private func worstDifference(
            _ model: String,
            _ options: [String],
            kernels: String
        ) throws -> Double {
            let errors = try TemporaryFolder()
            let path = "\(Self.golden)/\(model)"
            let file = try MappedFile(path: "\(path)/golden_logits.json").parseJSON()
            let sequences = try #require(file.array)
            var worst = 0.0
            for rope in ["short", "long"] {
                let program = try Program(
                    StoaServer.program,
                    ["model", "logits", path, "--rope", rope] + options,
                    keepsInputOpen: true,
                    environment: ["STOA_KERNELS": kernels],
                    errorPath: "\(errors.path)/errors"
                )
                let isLong = rope == "long"
                for sequence in sequences
                where (sequence["rope"]?.string?.hasPrefix("long") == true) == isLong {
                    let ids = try #require(sequence["input_ids"]?.array).compactMap(\.integer)
                    try program.write("\(ids)\n")
                    let answer = try JSONValue(parsing: program.line { Array($0.utf8) })
                    let logits = try #require(answer["last"]?.array).compactMap(\.double)
                    let expected = try #require(sequence["logits_last"]?.array).compactMap(\.double)
                    try #require(logits.count == expected.count)
                    for (logit, reference) in zip(logits, expected) {
                        worst = max(worst, abs(logit - reference))
                    }
                }
                program.closeInput()
                #expect(try program.end().end == .exited(0), "\(program.errorOutput)")
            }
            return worst
        }

        @Test("equal float32 for every layout", arguments: models)
        func exact(model: String) throws {
            #expect(try worstDifference(model, ["--exact"], kernels: "") < 1e-4)
        }

        @Test("equal float32 for any STOA_KERNELS", arguments: ["scalar-int8", "scalar-int8-kv8"])
        func exact(kernels: String) throws {
            for model in ["tiny-phi3-4bit", "affine-8bit", "tiny-phi4-bf16"] {
                #expect(try worstDifference(model, ["--exact"], kernels: kernels) < 1e-4)
            }
        }

        @Test("differ from those of quantized arithmetic, which --exact turns off")
        func rounded() throws {
            #expect(try worstDifference("affine-4bit", [], kernels: "scalar-int8") > 1e-3)
        }
    }
}
