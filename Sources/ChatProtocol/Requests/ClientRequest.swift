// A frame from a client, as a typed request. Whatever a frame holds, the result is a request or an
// error that names the field at fault, with the request's number where one could be read.

import FoundationEssentials

/// A well-formed request: `{"id":7,"op":"message.send",…}`.
public struct ClientRequest: Sendable {
    /// The client's number for it.
    public let id: Int64
    /// Which operation is asked for.
    public let operation: Operation
    /// The operation with what it takes.
    public let body: RequestBody
}

/// An operation with what it takes.
public enum RequestBody: Sendable {
    case auth(AuthRequest)
    case ping
    case conversationList(ConversationListRequest)
    case conversationCreate(ConversationCreateRequest)
    case conversationGet(ConversationRequest)
    case conversationUpdate(ConversationUpdateRequest)
    case conversationPrompts(ConversationPromptsRequest)
    case conversationDelete(ConversationRequest)
    case conversationArchive(ConversationArchiveRequest)
    case conversationMove(ConversationMoveRequest)
    case conversationDeletedList(DeletedListRequest)
    case conversationRestore(ConversationRequest)
    case conversationHold(ConversationHoldRequest)
    case conversationFork(ConversationForkRequest)
    case conversationWatch(ConversationWatchRequest)
    case conversationUnwatch(ConversationRequest)
    case conversationRead(ConversationReadRequest)
    case conversationJoin(ConversationRequest)
    case memberAdd(MemberAddRequest)
    case memberRemove(MemberRemoveRequest)
    case messageList(MessageListRequest)
    case messageSend(MessageSendRequest)
    case messageEdit(MessageEditRequest)
    case messageRegenerate(MessageAgainRequest)
    case messageContinue(MessageAgainRequest)
    case messageSelect(MessageSelectRequest)
    case messageDelete(MessageDeleteRequest)
    case messageRestore(MessageRestoreRequest)
    case messageFeedback(MessageFeedbackRequest)
    case generationStop(GenerationStopRequest)
    case generationList
    case teamCreate(TeamCreateRequest)
    case teamList
    case teamGet(TeamPageRequest)
    case teamUpdate(TeamUpdateRequest)
    case teamDelete(TeamRequest)
    case teamMemberUpdate(TeamMemberUpdateRequest)
    case teamMemberRemove(TeamMemberRemoveRequest)
    case teamInvite(TeamInviteRequest)
    case teamInviteList(TeamRequest)
    case teamInviteRevoke(TeamInviteRevokeRequest)
    case teamJoin(TeamJoinRequest)
    case teamConversations(TeamPageRequest)
    case typing(ConversationRequest)
    case shareCreate(ShareCreateRequest)
    case shareList(ConversationRequest)
    case shareRevoke(ShareRevokeRequest)
    case shareWatch(ShareWatchRequest)
    case usageGet(UsageGetRequest)
    case usageList(UsageListRequest)
    case budgetSet(BudgetSetRequest)
    case userList(UserListRequest)
    case userCreate(UserCreateRequest)
    case userUpdate(UserUpdateRequest)
    case userSessions(UserRequest)
    case userSessionsRevoke(UserSessionsRevokeRequest)
    case userReset(UserRequest)
    case userDelete(UserRequest)
    case runList(RunListRequest)
    case runStop(RunStopRequest)
    case auditList(AuditListRequest)
    case teamAudit(TeamAuditRequest)
    case serverStatus
    case serverTeams(ServerTeamsRequest)
    case serverTeam(TeamPageRequest)
    case serverTeamMember(ServerTeamMemberRequest)
    case serverTeamDelete(TeamRequest)
    case search(SearchRequest)
    case teamRetention(TeamRetentionRequest)
    case promptCreate(PromptCreateRequest)
    case promptUpdate(PromptUpdateRequest)
    case promptList(PromptListRequest)
    case promptVersions(PromptVersionsRequest)
    case promptDelete(PromptDeleteRequest)
    case modelList
    case modelPull(ModelPullRequest)
    case modelPullCancel(ModelRequest)
    case sessionList
    case sessionRevoke(SessionRevokeRequest)
    case sessionRevokeOthers
    case accountPassword(AccountPasswordRequest)
    case accountDelete(AccountDeleteRequest)
    case keyCreate(KeyCreateRequest)
    case keyList
    case keyRevoke(KeyRevokeRequest)
}

/// A frame that is no request.
public struct RefusedFrame: Error, Sendable {
    /// The request's number, where one could be read.
    public let id: Int64?
    /// What is wrong with it.
    public let error: WireError
}

extension ClientRequest {
    /// Reads the text of one frame.
    /// - Throws: `RefusedFrame`, whose message names the field at fault.
    public static func parse(_ text: [UInt8]) throws(RefusedFrame) -> ClientRequest {
        do {
            return try JSONDecoder().decode(Parsed.self, from: Data(text)).result.get()
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

/// A frame on its way to a request: the number is read first, so that an error can bear it.
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
        guard let operation = Operation(rawValue: name) else {
            result = .failure(
                RefusedFrame(id: id, error: WireError(.unknownOp, "there is no such operation"))
            )
            return
        }
        do {
            let body = try RequestBody(operation, from: decoder)
            result = .success(ClientRequest(id: id, operation: operation, body: body))
        } catch {
            let message = (error as? DecodingError).map(\.sentence) ?? "a field is malformed"
            result = .failure(RefusedFrame(id: id, error: WireError(.badRequest, message)))
        }
    }
}

extension RequestBody {
    fileprivate init(_ operation: Operation, from decoder: any Decoder) throws {
        self =
            switch operation {
            case .auth: .auth(try AuthRequest(from: decoder))
            case .ping: .ping
            case .conversationList: .conversationList(try .init(from: decoder))
            case .conversationCreate: .conversationCreate(try .init(from: decoder))
            case .conversationGet: .conversationGet(try .init(from: decoder))
            case .conversationUpdate: .conversationUpdate(try .init(from: decoder))
            case .conversationPrompts: .conversationPrompts(try .init(from: decoder))
            case .conversationDelete: .conversationDelete(try .init(from: decoder))
            case .conversationArchive: .conversationArchive(try .init(from: decoder))
            case .conversationMove: .conversationMove(try .init(from: decoder))
            case .conversationDeletedList: .conversationDeletedList(try .init(from: decoder))
            case .conversationRestore: .conversationRestore(try .init(from: decoder))
            case .conversationHold: .conversationHold(try .init(from: decoder))
            case .conversationFork: .conversationFork(try .init(from: decoder))
            case .conversationWatch: .conversationWatch(try .init(from: decoder))
            case .conversationUnwatch: .conversationUnwatch(try .init(from: decoder))
            case .conversationRead: .conversationRead(try .init(from: decoder))
            case .conversationJoin: .conversationJoin(try .init(from: decoder))
            case .memberAdd: .memberAdd(try .init(from: decoder))
            case .memberRemove: .memberRemove(try .init(from: decoder))
            case .messageList: .messageList(try .init(from: decoder))
            case .messageSend: .messageSend(try .init(from: decoder))
            case .messageEdit: .messageEdit(try .init(from: decoder))
            case .messageRegenerate: .messageRegenerate(try .init(from: decoder))
            case .messageContinue: .messageContinue(try .init(from: decoder))
            case .messageSelect: .messageSelect(try .init(from: decoder))
            case .messageDelete: .messageDelete(try .init(from: decoder))
            case .messageRestore: .messageRestore(try .init(from: decoder))
            case .messageFeedback: .messageFeedback(try .init(from: decoder))
            case .generationStop: .generationStop(try .init(from: decoder))
            case .generationList: .generationList
            case .teamCreate: .teamCreate(try .init(from: decoder))
            case .teamList: .teamList
            case .teamGet: .teamGet(try .init(from: decoder))
            case .teamUpdate: .teamUpdate(try .init(from: decoder))
            case .teamDelete: .teamDelete(try .init(from: decoder))
            case .teamMemberUpdate: .teamMemberUpdate(try .init(from: decoder))
            case .teamMemberRemove: .teamMemberRemove(try .init(from: decoder))
            case .teamInvite: .teamInvite(try .init(from: decoder))
            case .teamInviteList: .teamInviteList(try .init(from: decoder))
            case .teamInviteRevoke: .teamInviteRevoke(try .init(from: decoder))
            case .teamJoin: .teamJoin(try .init(from: decoder))
            case .teamConversations: .teamConversations(try .init(from: decoder))
            case .typing: .typing(try .init(from: decoder))
            case .shareCreate: .shareCreate(try .init(from: decoder))
            case .shareList: .shareList(try .init(from: decoder))
            case .shareRevoke: .shareRevoke(try .init(from: decoder))
            case .shareWatch: .shareWatch(try .init(from: decoder))
            case .usageGet: .usageGet(try .init(from: decoder))
            case .usageList: .usageList(try .init(from: decoder))
            case .budgetSet: .budgetSet(try .init(from: decoder))
            case .userList: .userList(try .init(from: decoder))
            case .userCreate: .userCreate(try .init(from: decoder))
            case .userUpdate: .userUpdate(try .init(from: decoder))
            case .userSessions: .userSessions(try .init(from: decoder))
            case .userSessionsRevoke: .userSessionsRevoke(try .init(from: decoder))
            case .userReset: .userReset(try .init(from: decoder))
            case .userDelete: .userDelete(try .init(from: decoder))
            case .runList: .runList(try .init(from: decoder))
            case .runStop: .runStop(try .init(from: decoder))
            case .auditList: .auditList(try .init(from: decoder))
            case .teamAudit: .teamAudit(try .init(from: decoder))
            case .serverStatus: .serverStatus
            case .serverTeams: .serverTeams(try .init(from: decoder))
            case .serverTeam: .serverTeam(try .init(from: decoder))
            case .serverTeamMember: .serverTeamMember(try .init(from: decoder))
            case .serverTeamDelete: .serverTeamDelete(try .init(from: decoder))
            case .search: .search(try .init(from: decoder))
            case .teamRetention: .teamRetention(try .init(from: decoder))
            case .promptCreate: .promptCreate(try .init(from: decoder))
            case .promptUpdate: .promptUpdate(try .init(from: decoder))
            case .promptList: .promptList(try .init(from: decoder))
            case .promptVersions: .promptVersions(try .init(from: decoder))
            case .promptDelete: .promptDelete(try .init(from: decoder))
            case .modelList: .modelList
            case .modelPull: .modelPull(try .init(from: decoder))
            case .modelPullCancel: .modelPullCancel(try .init(from: decoder))
            case .sessionList: .sessionList
            case .sessionRevoke: .sessionRevoke(try .init(from: decoder))
            case .sessionRevokeOthers: .sessionRevokeOthers
            case .accountPassword: .accountPassword(try .init(from: decoder))
            case .accountDelete: .accountDelete(try .init(from: decoder))
            case .keyCreate: .keyCreate(try .init(from: decoder))
            case .keyList: .keyList
            case .keyRevoke: .keyRevoke(try .init(from: decoder))
            }
    }
}

extension DecodingError {
    /// What is wrong, in words for the client's author: which field, and what it should have been.
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
