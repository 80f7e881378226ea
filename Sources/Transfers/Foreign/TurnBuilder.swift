// Converts a tree of nodes to questions and answers.

import ChatProtocol

/// A message to be created, with indices instead of ids.
struct ForeignTurn {
    /// The names that its id is derived from; always the same for the same message.
    let names: [String]
    /// The index of its parent message in the list of all.
    let parent: Int?
    let role: MessageRole
    var text = ""
    var time: Timestamp?
    var state = MessageState.complete
    var model: String?
}

/// Converts nodes to messages.
///
/// Consecutive nodes of a model, such as a tool call and its continuation, become one answer; if they
/// fork, each branch gets its own copy of what came before. A question after a question, and an answer
/// without a question, get an empty partner in between.
struct TurnBuilder {
    private let tree: ForeignTree
    private let byteCountMax: Int
    /// For each node, its nearest ancestor that is imported.
    private var keptParents: [Int?] = []
    private var keptChildren: [[Int]] = []
    /// For each node, the latest time of it and its ancestors: no node may be older than its
    /// parent.
    private var times: [Int64] = []
    /// For each node, the index of its message in `turns`.
    private var turnPlaces: [Int?]
    /// The index of the empty partner of each node that has one.
    private var partners: [Int: Int] = [:]
    private var byteCount = 0
    private var stepCount = 0

    /// The messages, each after its parent, oldest first.
    private(set) var turns: [ForeignTurn] = []
    /// What was joined or filled, with the node that it was about.
    private(set) var changes: [(node: String, reason: ImportReason)] = []

    /// Maximum nodes to visit while joining answers: a long chain that forks at each step would
    /// make the conversation grow quadratically.
    private static let stepCountMax = 1_000_000

    /// - Parameters:
    ///   - tree: the nodes.
    ///   - byteCountMax: maximum bytes of all texts.
    /// - Throws: `SkippedConversation` if the limit is exceeded.
    init(_ tree: ForeignTree, byteCountMax: Int) throws {
        self.tree = tree
        self.byteCountMax = byteCountMax
        turnPlaces = [Int?](repeating: nil, count: tree.nodes.count)
        let order = findKept()
        keptChildren = ForeignTree.children(of: keptParents)
        for place in order where tree.nodes[place].speaker != .nobody { try add(place) }
    }

    /// The last message of the branch through a node; of the newest branch if nothing of that
    /// node's branch is imported.
    func leaf(through node: String?) -> Int? {
        let named = node.flatMap { id in tree.nodes.firstIndex { $0.id == id } }
        var kept = named.flatMap { tree.nodes[$0].speaker == .nobody ? keptParents[$0] : $0 }
        while let place = kept, let last = keptChildren[place].max(by: isBefore) { kept = last }
        return kept.flatMap { turnPlaces[$0] } ?? turns.indices.last
    }

    // MARK: Nodes to import

    /// Finds each node's imported parent and its time.
    /// - Returns: the nodes ordered by time, each after its parent.
    private mutating func findKept() -> [Int] {
        let order = tree.parentsFirst()
        keptParents = [Int?](repeating: nil, count: tree.nodes.count)
        times = [Int64](repeating: .min, count: tree.nodes.count)
        var ranks = [Int](repeating: 0, count: tree.nodes.count)
        for (rank, place) in order.enumerated() {
            ranks[place] = rank
            let parent = tree.parents[place]
            if let parent {
                keptParents[place] =
                    tree.nodes[parent].speaker == .nobody ? keptParents[parent] : parent
            }
            times[place] = max(
                tree.nodes[place].time?.milliseconds ?? .min,
                parent.map { times[$0] } ?? .min
            )
        }
        // A node without a time has its parent's, so the order also holds for its children.
        return order.sorted { (times[$0], ranks[$0]) < (times[$1], ranks[$1]) }
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        (times[one], one) < (times[other], other)
    }

    private func time(of place: Int) -> Timestamp? {
        times[place] == .min ? nil : tree.nodes[place].time ?? Timestamp(milliseconds: times[place])
    }

    // MARK: Messages

    private mutating func add(_ place: Int) throws {
        let node = tree.nodes[place]
        if node.speaker == .person {
            turnPlaces[place] = try append(
                ForeignTurn(
                    names: [node.id],
                    parent: try keptParents[place].flatMap { try answer(before: place, $0) },
                    role: .user,
                    text: node.text,
                    time: time(of: place)
                )
            )
        } else if endsAnswer(place) {
            turnPlaces[place] = try append(try answer(endingAt: place))
        }
    }

    /// Whether the answer ends here: a person continues, or nothing follows.
    private func endsAnswer(_ place: Int) -> Bool {
        let children = keptChildren[place]
        return children.isEmpty || children.contains { tree.nodes[$0].speaker == .person }
    }

    private mutating func append(_ turn: ForeignTurn) throws -> Int {
        byteCount += turn.text.utf8.count
        guard byteCount <= byteCountMax else {
            throw SkippedConversation(reason: .textsTooLong)
        }
        turns.append(turn)
        return turns.count - 1
    }

    /// The answer before a question: the existing one, or an empty one after a question.
    private mutating func answer(before place: Int, _ parent: Int) throws -> Int? {
        guard tree.nodes[parent].speaker == .person else { return turnPlaces[parent] }
        changes.append(
            (tree.nodes[place].id, .emptyAnswer)
        )
        if let known = partners[parent] { return known }
        let turn = try append(
            ForeignTurn(
                names: [tree.nodes[parent].id, "no answer"],
                parent: turnPlaces[parent],
                role: .assistant,
                time: time(of: parent),
                state: .stopped
            )
        )
        partners[parent] = turn
        return turn
    }

    private mutating func answer(endingAt place: Int) throws -> ForeignTurn {
        var pieces: [Int] = []
        var next: Int? = place
        while let piece = next, tree.nodes[piece].speaker == .model {
            pieces.append(piece)
            next = keptParents[piece]
        }
        stepCount += pieces.count
        guard stepCount <= Self.stepCountMax else {
            throw SkippedConversation(reason: .tooManyForks)
        }
        pieces.reverse()
        let texts = pieces.map { tree.nodes[$0].text }.filter { !$0.isEmpty }
        let last = tree.nodes[place]
        if texts.count > 1 { changes.append((last.id, .joinedAnswers)) }
        return ForeignTurn(
            names: [last.id],
            parent: try next.map { turnPlaces[$0] } ?? question(before: pieces[0]),
            role: .assistant,
            text: texts.joined(separator: "\n\n"),
            time: time(of: pieces[0]),
            state: last.state,
            model: pieces.reversed().compactMap { tree.nodes[$0].model }.first
        )
    }

    /// An empty question for an answer that has none.
    private mutating func question(before place: Int) throws -> Int {
        let node = tree.nodes[place]
        if let known = partners[place] { return known }
        changes.append((node.id, .emptyQuestion))
        let turn = try append(
            ForeignTurn(
                names: [node.id, "no question"],
                parent: nil,
                role: .user,
                time: time(of: place)
            )
        )
        partners[place] = turn
        return turn
    }
}
