// Compares docs/reference/transfers.schema.json with written transfers.

import FoundationEssentials
import TestSupport
import Testing
import Transfers

@Suite("The schema of transfers")
struct SchemaTests {
    /// Any JSON value.
    private struct Something: Decodable {
        init(from decoder: any Decoder) {}
    }

    private struct Schema: Decodable {
        struct Kind: Decodable {
            let title: String
            let properties: [String: Something]
            let required: [String]
        }

        let oneOf: [Kind]
    }

    private struct Line: Decodable {
        let type: String
    }

    @Test("has each record type and field, and requires only those that are always present")
    func fields() throws {
        let path = "\(SharedFiles.packageRoot)/docs/reference/transfers.schema.json"
        let data = try Data(contentsOf: URL(filePath: path))
        let kinds = try JSONDecoder().decode(Schema.self, from: data).oneOf
        #expect(kinds.map(\.title) == TransferRecord.Kind.allCases.map(\.rawValue))
        for line in Transfer.ofEveryKind().bytes.split(separator: UInt8(ascii: "\n")) {
            let type = try JSONDecoder().decode(Line.self, from: Data(line)).type
            let fields = try JSONDecoder().decode([String: Something].self, from: Data(line))
            let kind = try #require(kinds.first { $0.title == type })
            #expect(Set(fields.keys).isSubset(of: kind.properties.keys), "\(type)")
            #expect(Set(kind.required).isSubset(of: fields.keys), "\(type)")
        }
    }
}
