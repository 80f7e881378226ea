// The people of a measured site: users with open sign-ins, their connections to each node, and their
// conversations.

import ChatProtocol
import Digests
import EventLoop
import HTTPProtocol
import Postgres

/// Groups of people, each of whom may read the conversations of their group. Used on one event loop.
final class SiteCrowd {
    /// Figures of all nodes and of PostgreSQL since they began.
    struct Reading {
        var nodeSeconds = 0.0
        var databaseSeconds = 0.0
        var walBytes = 0.0
    }

    /// Concurrent connection attempts: less than the listener's backlog.
    private static let openersMax = 64

    let loop: EventLoop
    let servers: SiteServers
    let groupCount: Int
    let readersMax: Int
    /// Connections by node, group and person; on all nodes but the first the asker has none.
    private(set) var sockets: [[[LoadSocket]]] = []
    private var listNumber = 0

    init(_ loop: EventLoop, _ servers: SiteServers, groups: Int, readers: Int) throws {
        self.loop = loop
        self.servers = servers
        groupCount = groups
        readersMax = readers
        // Open sign-ins avoid the cost of password hashing.
        try servers.connection.run(
            """
            CREATE TEMPORARY TABLE people AS
                SELECT gen_random_uuid() AS id, 'bench ' || n AS name
                FROM generate_series(0, \(groups * readers - 1)) n;
            INSERT INTO users (id, name, password_hash) SELECT id, name, 'nobody' FROM people;
            INSERT INTO sessions (id, user_id, token_hash, expires_at)
                SELECT gen_random_uuid(), id,
                    sha256(convert_to(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 'UTF8')),
                    now() + interval '1 day' FROM people;
            INSERT INTO list_positions (user_id, u) SELECT id, 1 FROM people;
            ANALYZE
            """
        )
    }

    var connectionCount: Int { sockets.joined().joined().count }

    /// Connects everybody to a node; numbers are those of `servers.nodes`, in order.
    func connect(toNode index: Int) async throws {
        let server = LoadServer(origin: servers.nodes[index].origin)
        var made = Array(
            repeating: [LoadSocket?](repeating: nil, count: readersMax),
            count: groupCount
        )
        var failure: (any Error)?
        var next = 0
        let openers = (0..<Self.openersMax).map { _ in
            loop.spawn { [self] in
                while failure == nil, next < groupCount * readersMax {
                    let number = next
                    next += 1
                    let token = SHA256.digest(of: "bench \(number)").hexadecimal
                    do {
                        let socket = try await LoadSocket.open(loop, server, token: token)
                        made[number / readersMax][number % readersMax] = socket
                    } catch {
                        failure = error
                    }
                }
            }
        }
        for opener in openers { await opener.wait() }
        if let failure { throw failure }
        sockets.append(made.map { $0.compactMap { $0 } })
    }

    /// Makes conversations, so many for each group, of the first `members` people of the group.
    /// - Returns: their ids, groups in turn.
    func makeConversations(_ perGroup: Int, members: Int) throws -> [ConversationID] {
        let ids = (0..<perGroup * groupCount).map { _ in ConversationID.make() }
        let values = ids.enumerated().map { "('\($1)'::uuid, \($0))" }.joined(separator: ", ")
        try servers.connection.run(
            """
            CREATE TEMPORARY TABLE talks AS SELECT * FROM (VALUES \(values)) AS t (id, n);
            INSERT INTO conversations (id, title, model, event_number)
                SELECT id, 'Talk ' || n, 'stoa-demo', 0 FROM talks;
            INSERT INTO members (conversation_id, user_id, role, list_u)
                SELECT t.id, p.id, CASE WHEN reader = 0 THEN 'owner' ELSE 'editor' END,
                    position.u + 1 + t.n
                FROM talks t CROSS JOIN generate_series(0, \(members - 1)) reader
                JOIN people p
                    ON p.name = 'bench ' || (t.n % \(groupCount) * \(readersMax) + reader)
                JOIN list_positions position ON position.user_id = p.id;
            UPDATE list_positions SET u = u + \(ids.count) + 1;
            DROP TABLE talks;
            ANALYZE
            """
        )
        return ids
    }

    /// The figures now.
    func reading() throws -> Reading {
        Reading(
            nodeSeconds: servers.nodes.reduce(0) { $0 + $1.usage.seconds },
            databaseSeconds: servers.databaseUsage.seconds,
            walBytes: try servers.walBytes()
        )
    }

    func close() {
        for socket in sockets.joined().joined() { socket.close() }
        sockets = []
    }
}
