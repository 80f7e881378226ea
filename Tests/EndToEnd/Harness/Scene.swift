// The conversations that pictures show: Tests/Pictures/scene.json, with fixed texts and times.

import ChatProtocol
import FoundationEssentials
import Postgres
import TestSupport

/// Users and their conversations.
struct Scene: Decodable {
    struct Turn: Decodable {
        let by: String
        let at: String
        let question: String
        let answer: String
    }

    struct Place: Decodable {
        let title: String
        /// The first one creates it.
        let members: [String]
        /// Members who have not read it.
        let unread: [String]?
        let turns: [Turn]
    }

    /// The time that the pictures show.
    let moment: String
    let conversations: [Place]

    /// The scene of the project's pictures.
    static func stored() throws -> Self {
        try JSONDecoder().decode(Self.self, from: SharedFiles.picture("scene.json"))
    }

    /// Creates everything on a server. `Ada` administers it.
    /// - Returns: the conversations by their titles.
    func play(on server: StoaServer) throws -> [String: ConversationID] {
        var peers: [String: Peer] = [:]
        for name in Set(conversations.flatMap(\.members)).sorted() {
            try server.addUser(name, isAdmin: name == "Ada")
            peers[name] = try server.connect(server.signIn(name))
        }
        let database = try server.database()
        var made: [String: ConversationID] = [:]
        for place in conversations {
            made[place.title] = try make(place, peers, database)
        }
        return made
    }

    private func make(_ place: Place, _ peers: [String: Peer], _ database: BlockingConnection)
        throws -> ConversationID
    {
        func peer(_ name: String) throws -> Peer {
            guard let peer = peers[name] else { throw HarnessError("\(name) is no member") }
            return peer
        }
        let owner = try peer(place.members[0])
        let id = try owner.createConversation(title: place.title)
        for name in place.members.dropFirst() {
            let add = MemberAddRequest(conversation: id, user: name)
            _ = try owner.call(.memberAdd, add, as: MemberReply.self)
        }
        var mirror = try owner.watch(id)
        for turn in place.turns {
            let sent = try peer(turn.by).say(turn.question, in: id)
            try owner.follow(&mirror, until: sent.answer.id)
            try rewrite(turn, sent, database)
        }
        for name in place.members where place.unread?.contains(name) != true {
            let read = ConversationReadRequest(conversation: id, n: mirror.n)
            _ = try peer(name).call(.conversationRead, read, as: ConversationReadReply.self)
        }
        for table in ["members SET activity_at", "conversations SET updated_at"] {
            let key = table.hasPrefix("members") ? "conversation_id" : "id"
            _ = try database.query(
                "UPDATE \(table) = $1::text::timestamptz WHERE \(key) = $2 RETURNING 1",
                [.text(place.turns.last?.at ?? moment), .uuid(id.uuid)]
            )
        }
        return id
    }

    /// The demo model has answered: its answer gets the scene's text, time and figures.
    private func rewrite(_ turn: Turn, _ sent: MessageSendReply, _ database: BlockingConnection)
        throws
    {
        let figures = """
            {"tokens_per_second": 11.4, "prompt_tokens": 640,
             "completion_tokens": \(turn.answer.unicodeScalars.count / 4)}
            """
        _ = try database.query(
            """
            UPDATE messages SET created_at = $3::text::timestamptz,
                body = CASE role WHEN 'assistant' THEN $4 ELSE body END,
                usage = usage || $5::text::jsonb
            WHERE id IN ($1, $2) RETURNING 1
            """,
            [
                .uuid(sent.message.id.uuid), .uuid(sent.answer.id.uuid), .text(turn.at),
                .text(turn.answer), .text(figures),
            ]
        )
    }
}

extension SharedFiles {
    /// The path of a file of Tests/Pictures.
    static func picturePath(_ name: String) -> String { "\(packageRoot)/Tests/Pictures/\(name)" }

    /// A file of Tests/Pictures.
    static func picture(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: picturePath(name)))
    }
}
