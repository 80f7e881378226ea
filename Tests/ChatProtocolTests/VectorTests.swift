// Compares the conformance vectors in docs/reference/conformance with the types.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

/// The fields that occur in the vectors, by the objects' types.
private struct SeenFields {
    private(set) var names: [String: Set<String>] = [:]

    mutating func look(at value: JSONValue, _ fields: [WireField], _ recorder: SchemaRecorder) {
        for field in fields {
            if let member = value[field.name] { look(at: member, field.schema, recorder) }
        }
    }

    private mutating func look(
        at value: JSONValue,
        _ schema: WireSchema,
        _ recorder: SchemaRecorder
    ) {
        switch (schema, value) {
        case (.array(let element), .list(let all)):
            for value in all { look(at: value, element, recorder) }
        case (.object(let name), _):
            names[name, default: []].formUnion(value.members)
            look(at: value, recorder.objects[name] ?? [], recorder)
        default: break
        }
    }
}

/// A file of docs/reference/conformance.
private struct VectorFile<Vectors: Decodable> {
    let vectors: Vectors

    init(_ name: String, _ type: Vectors.Type) throws {
        let path = "\(SharedFiles.packageRoot)/docs/reference/conformance/\(name).json"
        let data = try Data(contentsOf: URL(filePath: path))
        vectors = try JSONDecoder().decode(type, from: data)
    }
}

@Suite("docs/reference/conformance")
struct VectorTests {
    private struct Requests: Decodable {
        struct Refused: Decodable {
            let text: String
            let id: Int64?
            let code: ErrorCode
        }

        private enum CodingKeys: String, CodingKey {
            case accepted, refused
            case acceptedToo = "accepted_too"
        }

        let accepted: [JSONValue]
        let acceptedToo: [JSONValue]
        let refused: [Refused]
    }

    private struct Replies: Decodable {
        struct Vector: Decodable {
            let frame: JSONValue
            let `is`: String
            let id: Int64?
            let code: ErrorCode?
            let retry: Bool?
        }

        let vectors: [Vector]
    }

    private struct Events: Decodable {
        let vectors: [JSONValue]
    }

    private struct Closes: Decodable {
        struct Vector: Decodable {
            let code: UInt16
            let then: String
        }

        let vectors: [Vector]
    }

    @Test("has a request for each operation with each of its fields, and all decode")
    func requests() throws {
        let requests = try VectorFile("requests", Requests.self).vectors
        let recorder = SchemaRecorder()
        for frame in requests.accepted + requests.acceptedToo {
            #expect(throws: Never.self) { try ClientRequest.parse(frame.bytes) }
        }
        for operation in OperationDefinition.all {
            let frames = requests.accepted.filter { $0["op"]?.text == operation.name }
            let named = frames.reduce(into: Set<String>()) { $0.formUnion($1.members) }
            #expect(!frames.isEmpty, "requests.json has no \(operation.name)")
            for field in try recorder.fields(of: operation.requestType) {
                #expect(named.contains(field.name), "\(operation.name) without \(field.name)")
            }
        }
    }

    @Test("lists refused frames with their errors")
    func refusals() throws {
        for vector in try VectorFile("requests", Requests.self).vectors.refused {
            do {
                _ = try ClientRequest.parse(Array(vector.text.utf8))
                Issue.record("\(vector.text) is read")
            } catch {
                #expect(error.id == vector.id, "\(vector.text)")
                #expect(error.error.code == vector.code, "\(vector.text)")
            }
        }
    }

    @Test("has each event with each of its fields, and all decode to themselves")
    func events() throws {
        let events = try VectorFile("events", Events.self).vectors.vectors
        let recorder = SchemaRecorder()
        var seen = SeenFields()
        var named: [[WireField]: Set<String>] = [:]
        for frame in events {
            let event = try JSONDecoder().decode(ServerEvent.self, from: Data(frame.bytes))
            let again = try JSONDecoder().decode(
                JSONValue.self,
                from: Data(WireEncoding.event(event))
            )
            #expect(again == frame)
        }
        for name in ServerEvent.Name.allCases {
            let fields = try recorder.fields(of: name)
            let frames = events.filter { $0["ev"]?.text == name.rawValue }
            #expect(!frames.isEmpty, "events.json has no \(name.rawValue)")
            for frame in frames { seen.look(at: frame, fields, recorder) }
            // Events with the same fields under different names need all fields only once.
            for frame in frames { named[fields, default: []].formUnion(frame.members) }
        }
        for (fields, names) in named {
            for field in fields {
                #expect(names.contains(field.name), "no \(field.name) beside \(names.sorted())")
            }
        }
        for (object, names) in seen.names {
            for field in recorder.objects[object] ?? [] {
                #expect(names.contains(field.name), "\(object) without \(field.name)")
            }
        }
    }

    @Test("classifies server frames, and says for each error code whether to retry")
    func replies() throws {
        let replies = try VectorFile("replies", Replies.self).vectors.vectors
        for vector in replies {
            let said: String
            switch try ServerFrame.parse(vector.frame.bytes) {
            case .unknown: said = "ignored"
            case .event: said = "event"
            case .reply(let id, .success):
                said = "granted"
                #expect(id == vector.id)
            case .reply(let id, .failure(let error)):
                said = "refused"
                #expect(id == vector.id)
                #expect(error.code == vector.code)
                #expect(error.code.isRetryable == vector.retry)
            }
            #expect(said == vector.is)
        }
        #expect(Set(replies.compactMap(\.code)) == Set(ErrorCode.allCases))
    }

    @Test("says what to do for each close code")
    func closes() throws {
        let closes = try VectorFile("closes", Closes.self).vectors.vectors
        for vector in closes {
            let said =
                switch ReconnectAdvice(code: vector.code) {
                case .reconnect: "reconnect"
                case .signIn: "sign in"
                case .stayAway: "stay away"
                }
            #expect(said == vector.then, "\(vector.code)")
        }
        let named = Set(closes.map(\.code))
        for code in CloseCode.allCases { #expect(named.contains(code.rawValue)) }
    }
}
