// Parses a client's frame into a typed request. Any other frame results in an error that names the
// invalid field, with the request's number if it could be read.

import FoundationEssentials

/// A well-formed request: `{"id":7,"op":"message.send",…}`.
public struct ClientRequest: Sendable {
    /// The client's number for it.
    public let id: Int64
    /// Which operation is requested.
    public let operation: OperationDefinition
    /// The request's fields, as the operation's request type.
    private let body: any Codable & Sendable

    fileprivate init(
        id: Int64,
        _ operation: OperationDefinition,
        from decoder: any Decoder
    ) throws {
        self.id = id
        self.operation = operation
        body = try operation.decode(decoder)
    }

    /// The request's fields; nil if it requests another operation.
    public func body<Request, Reply>(of operation: Operation<Request, Reply>) -> Request? {
        operation.name == self.operation.name ? body as? Request : nil
    }
}

/// A frame that is not a valid request.
public struct RefusedFrame: Error, Sendable {
    /// The request's number, if it could be read.
    public let id: Int64?
    /// What is wrong with it.
    public let error: WireError
}

extension ClientRequest {
    /// Reads the text of one frame.
    /// - Throws: `RefusedFrame`, whose message names the invalid field.
    public static func parse(_ text: [UInt8]) throws(RefusedFrame) -> ClientRequest {
        do {
            let decoder = JSONDecoder()
            if let flag = CodingUserInfoKey.refusesUnknownFields { decoder.userInfo[flag] = true }
            return try decoder.decode(Parsed.self, from: Data(text)).result.get()
        } catch let refused as RefusedFrame {
            throw refused
        } catch {
            throw RefusedFrame(
                id: nil,
                error: WireError(.badRequest, "the frame is not a JSON object")
            )
        }
    }
}

/// A frame that is being parsed: the number is read first, so that an error can contain it.
private struct Parsed: Decodable {
    let result: Result<ClientRequest, RefusedFrame>

    private enum Key: String, CodingKey { case id, op }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let id = try? container.decode(Int64.self, forKey: .id) else {
            result = .failure(
                RefusedFrame(id: nil, error: WireError(.badRequest, "id must be a whole number"))
            )
            return
        }
        guard let name = try? container.decode(String.self, forKey: .op) else {
            result = .failure(
                RefusedFrame(id: id, error: WireError(.badRequest, "op must be a string"))
            )
            return
        }
        guard let operation = OperationDefinition(named: name) else {
            result = .failure(
                RefusedFrame(id: id, error: WireError(.unknownOp, "there is no such operation"))
            )
            return
        }
        do {
            result = .success(try ClientRequest(id: id, operation, from: decoder))
        } catch {
            let message = (error as? DecodingError).map(\.sentence) ?? "a field is malformed"
            result = .failure(RefusedFrame(id: id, error: WireError(.badRequest, message)))
        }
    }
}

extension DecodingError {
    /// The error for the client's author: which field is invalid, and what is expected.
    var sentence: String {
        switch self {
        case .keyNotFound(let key, let context):
            "\(Self.field(context.codingPath + [key])) is missing"
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            "\(Self.field(context.codingPath)) must be a \(Self.name(of: type))"
        case .dataCorrupted(let context):
            "\(Self.field(context.codingPath)) \(Self.reason(context))"
        @unknown default:
            "a field is malformed"
        }
    }

    private static func field(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the frame" : path.map(\.stringValue).joined(separator: ".")
    }

    private static func reason(_ context: Context) -> String {
        // Our own types give half sentences that begin with "is"; the decoder's own texts may quote
        // the input, and are left out.
        context.debugDescription.hasPrefix("is ") ? context.debugDescription : "is malformed"
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "string"
        case is Int.Type, is Int64.Type: "whole number"
        case is Double.Type: "number"
        case is Bool.Type: "boolean"
        default: "JSON object"
        }
    }
}
