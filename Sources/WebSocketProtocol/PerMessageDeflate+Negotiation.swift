// Which compression two sides agree on, RFC 7692 sections 5 and 7.1.

/// The parameters of an offer or of its answer.
struct DeflateParameters: Equatable {
    static let extensionName = "permessage-deflate"

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: Int?
    /// In an offer without a value: 15, which says as much.
    var clientMaxWindowBits: Int?
}

extension DeflateParameters {
    /// The parameters of `value`. Nil: it is another extension, or has a parameter that is unknown,
    /// there twice, or of a wrong value.
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

    /// What stands in the field.
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
    /// An answer to an offer.
    struct Answer {
        var agreed: PerMessageDeflate
        var response: DeflateParameters
    }

    /// The answer to the first offer that this side can keep to; nil where there is none, and messages
    /// are not compressed.
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
        // A client that does not name the parameter cannot be told (section 7.1.2.2).
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
    /// What a client offers.
    var offer: DeflateParameters {
        DeflateParameters(
            serverNoContextTakeover: !peerKeepsContext,
            clientNoContextTakeover: !keepsContext,
            serverMaxWindowBits: peerWindowBits < 15 ? peerWindowBits : nil,
            clientMaxWindowBits: windowBits
        )
    }

    /// What the server's answer makes of the offer; nil where it does not go with it.
    func agreed(by answer: WebSocketExtension) -> PerMessageDeflate? {
        guard let response = DeflateParameters(answer, inOffer: false) else { return nil }
        // What the offer demands of the server has to come back.
        guard response.serverNoContextTakeover || peerKeepsContext,
            response.serverMaxWindowBits ?? 15 <= peerWindowBits
        else { return nil }
        var agreed = self
        agreed.peerWindowBits = response.serverMaxWindowBits ?? 15
        agreed.peerKeepsContext = !response.serverNoContextTakeover
        // What it says of ourselves is a hint, which a server may exceed; we keep to it all the same.
        agreed.windowBits = min(windowBits, response.clientMaxWindowBits ?? 15)
        agreed.keepsContext = keepsContext && !response.clientNoContextTakeover
        return agreed
    }
}
