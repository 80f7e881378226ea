// Files of the measurements of a site.

import ArgumentParser
import Capacity
import ChatServer
import FoundationEssentials
import Glibc

enum SiteFiles {
    /// Reads costs that `stoa bench site --json` wrote.
    static func costs(at path: String) throws -> SiteCosts {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("cannot read \(path)")
        }
        guard let costs = try? JSONDecoder().decode(SiteCosts.self, from: data) else {
            throw ValidationError("\(path) has no costs: write them by `stoa bench site --json`")
        }
        return costs
    }

    /// Writes a value as JSON that people can read.
    static func write(_ value: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(value) + Data("\n".utf8)
        try data.write(to: URL(filePath: path))
    }

    /// This machine.
    static func machine(version: String) -> SiteCosts.Machine {
        let lines = text("/proc/cpuinfo").split(separator: "\n")
        let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return SiteCosts.Machine(
            processor: name.map { $0.drop { $0 == " " } }.map(String.init) ?? "unknown",
            cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)),
            memory: Double(sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))),
            version: version
        )
    }

    /// The texts of the files in a folder.
    static func texts(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .map { text("\(folder)/\($0)") }
    }

    /// The path of this program.
    static func ownProgram() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw LoadError.unexpected("/proc/self/exe cannot be read") }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func text(_ path: String) -> String {
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
