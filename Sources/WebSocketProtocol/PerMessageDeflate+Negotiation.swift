// Negotiation of permessage-deflate, RFC 7692 sections 5 and 7.1.

/// The parameters of an offer or a response.
struct DeflateParameters: Equatable {
    static let extensionName = "permessage-deflate"

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: Int?
    /// 15 if an offer has it without a value, which means the same.
    var clientMaxWindowBits: Int?
}

extension DeflateParameters {
    /// Parses the parameters of `value`; nil if it is another extension, or has a parameter that is
    /// unknown, repeated, or has an invalid value.
    init?(_ value: WebSocketExtension, inOffer: Bool) {
        guard value.name == Self.extensionName else { return nil }
        var names: Set<String> = []
        for parameter in value.parameters {
            guard names.insert(parameter.name).inserted else { return nil }
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("client_max_window_bits", nil) where inOffer: clientMaxWindowBits = 15
            case ("client_max_window_bits", let text?):
                guard let bits = Self.windowBits(text) else { return nil }
                clientMaxWindowBits = bits
            case ("server_max_window_bits", let text?):
                guard let bits = Self.windowBits(text) else { return nil }
                serverMaxWindowBits = bits
            default: return nil
            }
        }
    }

    /// 8 to 15, without leading zeros.
    private static func windowBits(_ text: String) -> Int? {
        (8...15).first { text == "\($0)" }
    }

    /// The value of the header field.
    var text: String {
        var text = Self.extensionName
        if serverNoContextTakeover { text += "; server_no_context_takeover" }
        if clientNoContextTakeover { text += "; client_no_context_takeover" }
        if let serverMaxWindowBits { text += "; server_max_window_bits=\(serverMaxWindowBits)" }
        if let clientMaxWindowBits { text += "; client_max_window_bits=\(clientMaxWindowBits)" }
        return text
    }
}

// MARK: The server

extension PerMessageDeflate {
    /// The response to an offer.
    struct Answer {
        var agreed: PerMessageDeflate
        var response: DeflateParameters
    }

    /// The response to the first acceptable offer; nil if there is none, and messages are not
    /// compressed.
    func answer(to offers: [WebSocketExtension]) -> Answer? {
        for offer in offers {
            if let parameters = DeflateParameters(offer, inOffer: true),
                let answer = answer(to: parameters)
            {
                return answer
            }
        }
        return nil
    }

    private func answer(to offer: DeflateParameters) -> Answer? {
        var agreed = self
        var response = DeflateParameters()

        agreed.windowBits = min(windowBits, offer.serverMaxWindowBits ?? 15)
        guard agreed.windowBits >= Self.windowBitsMin else { return nil }
        if offer.serverMaxWindowBits != nil || agreed.windowBits < 15 {
            response.serverMaxWindowBits = agreed.windowBits
        }
        // The response must not have this parameter if the client's offer lacks it (section
        // 7.1.2.2).
        if let clientMaxWindowBits = offer.clientMaxWindowBits {
            agreed.peerWindowBits = min(peerWindowBits, clientMaxWindowBits)
            if agreed.peerWindowBits < 15 { response.clientMaxWindowBits = agreed.peerWindowBits }
        } else if peerWindowBits < 15 {
            return nil
        }
        agreed.keepsContext = keepsContext && !offer.serverNoContextTakeover
        agreed.peerKeepsContext = peerKeepsContext && !offer.clientNoContextTakeover
        response.serverNoContextTakeover = !agreed.keepsContext
        response.clientNoContextTakeover = !agreed.peerKeepsContext
        return Answer(agreed: agreed, response: response)
    }
}

// MARK: The client

extension PerMessageDeflate {
    /// A client's offer.
    var offer: DeflateParameters {
        DeflateParameters(
            serverNoContextTakeover: !peerKeepsContext,
            clientNoContextTakeover: !keepsContext,
            serverMaxWindowBits: peerWindowBits < 15 ? peerWindowBits : nil,
            clientMaxWindowBits: windowBits
        )
    }

    /// The settings after the server's response; nil if the response does not match the offer.
    func agreed(by answer: WebSocketExtension) -> PerMessageDeflate? {
        guard let response = DeflateParameters(answer, inOffer: false) else { return nil }
        // The response must repeat the offer's requirements for the server.
        guard response.serverNoContextTakeover || peerKeepsContext,
            response.serverMaxWindowBits ?? 15 <= peerWindowBits
        else { return nil }
        var agreed = self
        agreed.peerWindowBits = response.serverMaxWindowBits ?? 15
        agreed.peerKeepsContext = !response.serverNoContextTakeover
        // The limit for our own window is only a hint to servers; we obey it anyway.
        agreed.windowBits = min(windowBits, response.clientMaxWindowBits ?? 15)
        agreed.keepsContext = keepsContext && !response.clientNoContextTakeover
        return agreed
    }
}
