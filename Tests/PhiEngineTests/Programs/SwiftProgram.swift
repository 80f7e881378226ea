// Compiles programs against this build's modules and runs them, in a few seconds: a package of their own
// would compile everything again.

import Foundation
import TestSupport

/// A program that a test compiles.
struct SwiftProgram {
    /// The result of a process.
    struct Outcome {
        let status: Int32
        /// Standard output and standard error, interleaved.
        let output: String
    }

    private let folder: TemporaryFolder
    private let path: String

    /// Compiles `sources`, by file name, in Swift's language mode `languageMode`.
    /// - Parameters:
    ///   - sources: the texts by file name.
    ///   - languageMode: the language mode.
    ///   - hasMain: whether a type has the program's beginning; otherwise it is main.swift.
    ///   - stubs: names of modules that do not exist here, of which nothing but Foundation and
    ///     Observation is used.
    ///   - allowsWarnings: whether warnings are no errors: those of others' programs are not ours.
    /// - Throws: `CompilerError` with the compiler's output.
    init(
        _ sources: [String: String],
        languageMode: String = "6",
        hasMain: Bool = true,
        stubs: [String] = [],
        allowsWarnings: Bool = false
    ) async throws {
        try Requirement.childProcess.check()
        folder = try TemporaryFolder()
        path = "\(folder.path)/program"
        for stub in stubs { try await Self.compile(stub, in: folder) }
        let files = try sources.map { try folder.write($0.key, Array($0.value.utf8)) }
        let arguments =
            ["swiftc", "-swift-version", languageMode, "-I", folder.path]
            + [allowsWarnings ? "-suppress-warnings" : "-warnings-as-errors"]
            + (hasMain ? ["-parse-as-library"] : [])
            + Self.moduleArguments + files.sorted() + (try Self.objects) + ["-o", path]
        let outcome = try await Self.run("/usr/bin/env", arguments, in: folder)
        guard outcome.status == 0 else { throw CompilerError(output: outcome.output) }
    }

    /// Makes a module that shows Foundation and Observation under its name.
    private static func compile(_ stub: String, in folder: TemporaryFolder) async throws {
        let source = "@_exported import Foundation\n@_exported import Observation\n"
        let file = try folder.write("\(stub)-stub.swift", Array(source.utf8))
        let arguments = [
            "swiftc", "-parse-as-library", "-emit-module", "-module-name", stub, file,
            "-emit-module-path", "\(folder.path)/\(stub).swiftmodule",
        ]
        let outcome = try await run("/usr/bin/env", arguments, in: folder)
        guard outcome.status == 0 else { throw CompilerError(output: outcome.output) }
    }

    /// Runs the program to its end.
    func run(_ environment: [String: String]) async throws -> Outcome {
        try await Self.run(path, [], environment: environment, in: folder)
    }

    // MARK: - Build products

    /// The folder of build products that contains this test.
    static let products: String = {
        let link = "/proc/self/exe"
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? ""
        return path.split(separator: "/", omittingEmptySubsequences: false)
            .dropLast().joined(separator: "/")
    }()

    /// Compiler options for the Swift modules, and the C modules that those import.
    private static var moduleArguments: [String] {
        let files = FileManager.default
        let built = (try? files.contentsOfDirectory(atPath: products)) ?? []
        let system = (try? files.contentsOfDirectory(atPath: "\(SharedFiles.packageRoot)/Sources"))
        let maps =
            built.filter { $0.hasSuffix(".build") }.map { "\(products)/\($0)/module.modulemap" }
            + (system ?? []).map { "\(SharedFiles.packageRoot)/Sources/\($0)/module.modulemap" }
        let macros = "MLXHuggingFaceMacros"
        let plugin = ["-load-plugin-executable", "\(products)/\(macros)-tool#\(macros)"]
        return ["-I", "\(products)/Modules"] + plugin
            + maps.filter(files.fileExists).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// The object files that the example program links, without its own, and that of the macros' module.
    private static var objects: [String] {
        get throws {
            let list = "\(products)/from-mlx.product/Objects.LinkFileList"
            return try String(contentsOfFile: list, encoding: .utf8)
                .split(separator: "\n").map(String.init)
                .filter { !$0.contains("/from_mlx.build/") }
                + ["\(products)/MLXHuggingFace.build/Macros.swift.o"]
        }
    }

    // MARK: - Processes

    /// Runs a program to its end, without blocking a thread.
    static func run(
        _ path: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        in folder: TemporaryFolder
    ) async throws -> Outcome {
        let outputPath = try folder.write("output-\(UUID().uuidString)", [])
        let output = try FileHandle(forWritingTo: URL(filePath: outputPath))
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        let status: Int32 = try await withCheckedThrowingContinuation { ended in
            process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        try output.close()
        return Outcome(
            status: status,
            output: try String(contentsOfFile: outputPath, encoding: .utf8)
        )
    }
}

/// A program did not compile.
struct CompilerError: Error, CustomStringConvertible {
    let output: String
    var description: String { output }
}
