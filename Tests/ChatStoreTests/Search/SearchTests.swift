import ChatCore
import ChatProtocol
import ChatStore
import TestSupport
import Testing

@Suite("Search")
struct SearchTests {
    /// A text, and queries that find it.
    struct Sample: Sendable, CustomTestStringConvertible {
        let text: String
        let finds: [String]
        let misses: [String]

        var testDescription: String { text }
    }

    static let samples = [
        Sample(
            text: "Crème brûlée à la carte, s'il vous plaît!",
            finds: ["creme", "BRÛLÉE", "brul", "rulee", "\"a la carte\"", "carte creme", "plaît"],
            misses: ["cremes", "\"la creme\"", "\"carte s il v\"", "carter"]
        ),
        Sample(
            text: "Die Donaudampfschifffahrt beginnt.",
            finds: ["donau", "dampf", "SCHIFF", "dampf beginnt"],
            misses: ["dampfer", "\"dampf\"", "ampfs eginnz"]
        ),
        Sample(
            text: "let fooBar_baz = parse_json(\"x-y\") // Array<Int>, 100% done",
            finds: ["foobar", "parse_json", "json", "Int", "100", "arse", "x-y"],
            misses: ["jsonp", "\"json parse\"", "baz_foo"]
        ),
        Sample(
            text: "Ёжик в тумане встретил Σίσυφος",
            finds: ["ежик", "ТУМАН", "\"в тумане\"", "уман", "σισυφος", "ΣΊΣΥΦ"],
            misses: ["туманы", "\"тумане в\""]
        ),
        Sample(
            text: "مَرْحَبًا بالعالم",
            finds: ["مرحبا", "العالم", "مَرحَب"],
            misses: ["عالمي"]
        ),
        Sample(text: "नमस्ते दुनिया।", finds: ["नमस्ते", "दुनि", "\"नमस्ते दुनिया\""], misses: ["दुनियादारी"]),
        Sample(text: "สวัสดีชาวโลก", finds: ["ชาว", "โลก", "สวัสดี", "สวัสดี โลก"], misses: ["โลกชาว"]),
        Sample(
            text: "我喜欢喝绿茶，不喜欢咖啡。",
            finds: ["绿茶", "喝", "喜欢喝绿", "绿茶 咖啡", "\"喝绿茶\"", "啡"],
            misses: ["茶绿", "喜欢绿茶", "红"]
        ),
        Sample(
            text: "東京タワーへ行きました",
            finds: ["タワー", "東京", "行き", "ﾀﾜｰ", "京タ"],
            misses: ["京都", "ワタ"]
        ),
        Sample(text: "한국어를 배우고 있어요", finds: ["국어", "배우", "한국어를", "고"], misses: ["국한", "어한"]),
        Sample(
            text: "We won 🎉🎊 today 👩🏽‍💻, ＡＢＣ１２３",
            finds: ["🎉", "🎊 won", "🎉🎊", "👩‍💻", "abc123"],
            misses: ["🎊🎉", "🍵"]
        ),
    ]

    @Test(
        "words, phrases and pieces of words are found in any script",
        arguments: SearchWay.allCases
    )
    func scripts(way: SearchWay) async throws {
        try await withSearch(way) { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            var ids: [String: MessageID] = [:]
            for sample in Self.samples {
                ids[sample.text] = try await store.say(sample.text, in: conversation, by: ann)
                    .message.id
            }
            for sample in Self.samples {
                for query in sample.finds {
                    let found = try await store.find(query, as: ann)
                    let isFound = found.contains { $0.message == ids[sample.text] }
                    #expect(isFound, "\(query) in \(sample.text)")
                    #expect(found.allSatisfy { $0.snippet.contains(where: \.match) }, "\(query)")
                }
                for query in sample.misses {
                    let found = try await store.find(query, as: ann)
                    #expect(!found.contains { $0.message == ids[sample.text] }, "\(query)")
                }
            }
        }
    }

    @Test(
        "pages have no gaps or duplicates: words first, then pieces of words",
        arguments: SearchWay.allCases
    )
    func pages(way: SearchWay) async throws {
        try await withSearch(way) { store, _ in
            let ann = try await store.someone()
            var expected: (words: [MessageID], pieces: [MessageID]) = ([], [])
            for turn in 0..<4 {
                let conversation = try await store.someConversation(of: ann)
                let word = try await store.say("A ship, number \(turn)", in: conversation, by: ann)
                let piece = try await store.say("Friendship \(turn)", in: conversation, by: ann)
                _ = try await store.say("Neither \(turn)", in: conversation, by: ann)
                expected.words.insert(word.message.id, at: 0)
                expected.pieces.insert(piece.message.id, at: 0)
            }
            for size in [1, 3, 4, 20] {
                let found = try await store.find("ship", as: ann, pageSize: size)
                #expect(
                    found.map(\.message) == expected.words + expected.pieces,
                    "pages of \(size)"
                )
            }
            #expect(try await store.find("ship neither", as: ann).isEmpty)
        }
    }

    @Test("filters restrict the results", arguments: SearchWay.allCases)
    func filters(way: SearchWay) async throws {
        try await withSearch(way) { store, database in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let shared = try await store.shared(ann, bob)
            let own = try await store.someConversation(of: ann)
            let april = Timestamp(milliseconds: 1_585_699_200_000)
            let may = Timestamp(milliseconds: 1_588_291_200_000)
            // Like an imported message: with an id of its time.
            let old = MessageID.make(milliseconds: UInt64(may.milliseconds - 1000))
            try database.run(
                """
                INSERT INTO messages
                    (conversation_id, id, depth, role, author_id, body, state, created_at)
                VALUES ('\(shared.id)', '\(old)', 1, 'user', '\(ann.id)', 'tea in spring', 'complete',
                    '2020-04-30T23:59:59Z')
                """
            )
            let bobs = try await store.say("tea for bob", in: shared, by: bob).message.id
            let anns = try await store.say("tea at home", in: own, by: ann).message.id
            func find(
                in conversation: Conversation? = nil,
                by author: String? = nil,
                from: Timestamp? = nil,
                to: Timestamp? = nil
            ) async throws -> Set<MessageID> {
                let found = try await store.find(
                    "tea",
                    as: ann,
                    in: conversation,
                    by: author,
                    from: from,
                    to: to
                )
                return Set(found.map(\.message))
            }
            #expect(try await find() == [old, bobs, anns])
            #expect(try await find(in: own) == [anns])
            #expect(try await find(by: bob.name.uppercased()) == [bobs])
            #expect(try await find(by: "nobody of that name").isEmpty)
            #expect(try await find(from: april, to: may) == [old])
            #expect(try await find(to: may) == [old])
            #expect(try await find(to: april).isEmpty)
            #expect(try await find(from: may) == [bobs, anns])
            #expect(try await find(in: shared, by: ann.name, from: april) == [old])
        }
    }

    @Test("a result names its message, and opens its branch")
    func opening() async throws {
        try await withSearch { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let first = try await store.say("Which tea?", in: conversation, by: ann)
            _ = try await store.answer("Try oolong\n\n from Taiwan.")
            _ = try await store.messages.edit(
                MessageEditRequest(
                    conversation: conversation.id,
                    key: "e",
                    message: first.message.id,
                    text: "Which coffee?"
                ),
                by: ann,
                limits: wide
            )
            _ = try await store.answer("Try arabica.")
            let shown = try await store.shown(conversation, to: ann)
            #expect(shown.map(\.text) == ["Which coffee?", "Try arabica."])

            let hit = try #require(try await store.find("oolong", as: ann).first)
            #expect(hit.conversation == conversation.id)
            #expect(hit.title == "Which tea?")
            #expect(hit.role == .assistant)
            #expect(hit.author == nil)
            #expect(hit.marked == "Try [oolong] from Taiwan.")
            let opened = try await store.events.catchUp(
                hit.conversation,
                after: nil,
                leaf: hit.message,
                have: [:],
                for: ann.id,
                eventLimit: 10,
                pageLimit: 10
            )
            #expect(opened.snapshot?.messages.map(\.id) == [first.message.id, hit.message])
            let question = try #require(try await store.find("which tea", as: ann).first)
            #expect(question.author?.name == ann.name)
            #expect(question.createdAt.milliseconds > 1_700_000_000_000)
        }
    }

    @Test("a snippet of a long text shows the match, including accents")
    func longTexts() async throws {
        try await withSearch { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let filling = String(repeating: "Zwölf Boxkämpfer jagen Viktor quer. ", count: 200)
            _ = try await store.say(
                filling + "Ein Ölfläschchen! " + filling,
                in: conversation,
                by: ann
            )
            let hit = try #require(try await store.find("olflasch", as: ann).first)
            #expect(hit.marked.contains("Ein [Ölfläschchen]! Zwölf"))
            #expect(hit.snippet.map(\.text).joined().count <= 200)
        }
    }

    @Test("invalid queries are refused")
    func refusals() async throws {
        try await withSearch { store, _ in
            let ann = try await store.someone()
            let many = (0...SearchQuery.termsMax).map { "w\($0)" }.joined(separator: " ")
            for query in ["", "  ", "&", "\"\"", "–", many] {
                let code = await refusal { _ = try await store.find(query, as: ann) }
                #expect(code == .badRequest, "\(query)")
            }
            for cursor in ["", "w", "x\(MessageID.make())", MessageID.make().description] {
                let request = SearchRequest(query: "tea", cursor: cursor)
                let code = await refusal {
                    _ = try await store.search.page(request, for: ann.id, limit: 5)
                }
                #expect(code == .badRequest, "\(cursor)")
            }
        }
    }

    @Test("texts of any kind can be stored: very long words, and very many")
    func oddTexts() async throws {
        try await withSearch { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            var generator = SystemRandomNumberGenerator()
            let han = (0..<80_000).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0x4E00...0x9FFF, using: &generator))
            }
            let base64 = String(repeating: "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo", count: 5000)
            for text in [
                String(String.UnicodeScalarView(han)), base64, "\u{200D}\u{FE0F}", "'\\\\' :*|&!",
            ] {
                _ = try await store.say(text, in: conversation, by: ann)
            }
            let middle = String(String.UnicodeScalarView(han[500..<504]))
            #expect(try await store.find(middle, as: ann).count == 1)
            #expect(try await store.find(String(base64.prefix(150)), as: ann).count == 1)
        }
    }
}
