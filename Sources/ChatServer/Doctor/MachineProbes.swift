// Reads facts about the machine: disks, models, processor, memory, certificates and the port to
// listen on.

import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Glibc
import Inference
import PhiModel
import TLSEngine
import Tokenizers

/// Reads facts about disks.
enum StorageProbe {
    /// The folders of these settings.
    static func folders(_ settings: ServerSettings) -> [StorageFacts] {
        var folders = [folder("data", settings.dataDirectory)]
        for model in settings.models {
            var isFolder = false
            guard FileManager.default.fileExists(atPath: model, isDirectory: &isFolder) else {
                continue
            }
            // Of a GGUF file, the folder that has it.
            let file = URL(filePath: model)
            var facts = folder("models", isFolder ? model : file.deletingLastPathComponent().path)
            // Models are only read.
            facts.isWritable = true
            folders.append(facts)
        }
        return folders
    }

    /// Facts about a folder, or about its nearest existing parent.
    static func folder(_ name: String, _ path: String) -> StorageFacts {
        var facts = StorageFacts(name: name, path: path)
        var place = path
        var status = stat()
        while stat(place, &status) != 0 {
            let number = errno
            facts.exists = false
            // A missing folder will be created. Everything else, also a link to nothing, prevents that.
            guard number == ENOENT, lstat(place, &status) != 0, place.count > 1 else {
                facts.obstacle = FileError(.makeFolder, path, errno: number)
                return facts
            }
            let parent = place.split(separator: "/").dropLast().joined(separator: "/")
            place = place.hasPrefix("/") ? "/\(parent)" : parent.isEmpty ? "." : parent
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            facts.obstacle = FileError(.makeFolder, path, errno: ENOTDIR)
            return facts
        }
        facts.isWritable = access(place, W_OK) == 0
        var disk = statvfs()
        guard statvfs(place, &disk) == 0 else { return facts }
        facts.totalBytes = Int64(disk.f_blocks) * Int64(disk.f_frsize)
        facts.freeBytes = Int64(disk.f_bavail) * Int64(disk.f_frsize)
        return facts
    }
}

/// Reads facts about models and about the processor.
enum EngineProbe {
    /// The models that a server with these settings would load; weights are not read.
    /// - Parameters:
    ///   - settings: names of models, or none for the demo model.
    ///   - database: the models that administrators downloaded, and those that they unloaded.
    ///   - environment: locates the hub's cache.
    /// - Returns: the facts about each model.
    static func models(
        _ settings: ServerSettings,
        _ database: DatabaseFindings,
        _ environment: [String: String]
    ) -> [ModelFacts] {
        let source = HubModels(environment: environment, dataDirectory: settings.dataDirectory)
        var models = settings.models.enumerated().map { index, text in
            let name = index < settings.modelNames.count ? settings.modelNames[index] : nil
            do throws(StartupError) {
                let place = try ModelPlace(text, in: source)
                return model(place.path, name: name ?? place.name, settings.keyValueBits)
            } catch {
                return ModelFacts(name: text, folder: text, problem: "\(error)")
            }
        }
        if models.isEmpty {
            // It is inside the program, and its size is negligible.
            models.append(
                ModelFacts(name: settings.modelNames.first ?? DemoModel.name, folder: nil)
            )
        }
        models += adapters(settings, of: models)
        for (name, revision) in database.fetchedModels
        where !models.contains(where: { $0.name == name }) {
            if let folder = source.folder(of: name, revision: revision) {
                models.append(model(folder, name: name, settings.keyValueBits))
            } else {
                let problem = DoctorFinding.known(.missingModel, ["name": name])
                models.append(ModelFacts(name: name, folder: name, problem: problem))
            }
        }
        // As `ModelBoard.isWanted`: the default is loaded in any case.
        let chosen = models.map(\.name).first { $0 == database.choices.defaultName }
        let defaultName = chosen ?? models[0].name
        for index in models.indices where models[index].name != defaultName {
            models[index].isUnloaded = database.choices.unloaded.contains(models[index].name)
        }
        return models
    }

    /// The models that are one of `models` with an adapter.
    private static func adapters(
        _ settings: ServerSettings,
        of models: [ModelFacts]
    ) -> [ModelFacts] {
        settings.adapters.map { setting in
            var facts = ModelFacts(name: setting.name, folder: setting.folder)
            let base = models.first { setting.changes($0.name) }
            facts.base = base?.name ?? setting.base
            do {
                // Of the demo model, which is inside the program, the start says whether it fits.
                if let folder = base?.folder {
                    try LoadedAdapter.check(folder: setting.folder, modelFolder: folder)
                }
                facts.weightBytes = Int64(try LoadedAdapter.byteCount(folder: setting.folder))
            } catch {
                facts.problem = "\(error)"
            }
            return facts
        }
    }

    private static func model(
        _ folder: String,
        name: String,
        _ keyValueBits: KeyValueBits
    ) -> ModelFacts {
        var facts = ModelFacts(name: name, folder: folder)
        do {
            let footprint = try ModelFootprint(folder: folder, keeping: keyValueBits)
            let tokenizer = try Tokenizer.load(folder: folder)
            _ = try ChatTemplate.load(folder: folder, tokenizer: tokenizer)
            facts.weightBytes = Int64(footprint.weightBytes)
            facts.bufferBytes = Int64(footprint.bufferBytes)
            facts.cacheBytes = Int64(footprint.cacheBytesMin)
        } catch {
            facts.problem = "\(error)"
        }
        return facts
    }

    /// The machine's resources.
    static func machine(_ environment: [String: String]) -> MachineFacts {
        var names = utsname()
        uname(&names)
        let architecture = withUnsafeBytes(of: &names.machine) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return MachineFacts(
            kernels: PhiModel.selectedKernelName,
            forcedKernels: environment["STOA_KERNELS"].flatMap { $0.isEmpty ? nil : $0 },
            architecture: architecture,
            coreCount: ProcessorCount.available,
            memoryBytes: memory()
        )
    }

    /// The machine's memory, or the container's limit.
    static func memory() -> Int64? { MachineMemory.current?.totalBytes }
}

/// Reads facts about TLS files.
enum CertificateProbe {
    /// The facts about the TLS files of these settings. A self-signed one that is missing gives no
    /// facts: the server creates it.
    static func read(_ settings: ServerSettings) -> [CertificateFacts] {
        let files = settings.tlsFiles
        if settings.tlsSelfSigned == .on, access(settings.selfSignedFile, F_OK) != 0 { return [] }
        let host = Self.host(settings)
        // At least one certificate must be valid for the server's host name.
        let isCovered = files.contains { pair in
            (try? ServerCertificate(file: pair.certificate, host: host))?.coversHost == true
        }
        return files.map { read($0, host: isCovered ? nil : host) }
    }

    private static func read(_ files: TLSFiles, host: String?) -> CertificateFacts {
        var facts = CertificateFacts(certificateFile: files.certificate, keyFile: files.key)
        facts.host = host
        do throws(TLSError) {
            facts.certificate = try ServerCertificate(file: files.certificate, host: host)
            _ = try TLSServerConfiguration([files])
        } catch {
            facts.problem = error
        }
        var status = stat()
        facts.isKeyOpen = stat(files.key, &status) == 0 && status.st_mode & 0o004 != 0
        return facts
    }

    /// The server's host name for clients: from the public URL, or a listening address that is a
    /// specific host.
    static func host(_ settings: ServerSettings) -> String? {
        if let url = settings.publicURL, let start = url.firstRange(of: "://")?.upperBound {
            let rest = url[start...]
            guard rest.hasPrefix("[") else {
                return rest.split(separator: ":").first.map(String.init)
            }
            return rest.dropFirst().split(separator: "]").first.map(String.init)
        }
        return ["0.0.0.0", "::", "[::]", "none"].contains(settings.host) ? nil : settings.host
    }
}

/// Checks whether a port is free.
enum PortProbe {
    /// Binds the port and closes the socket again.
    static func state(host: String, port: Int) -> PortState {
        guard port != 0 else { return .any }
        var wanted = addrinfo()
        wanted.ai_flags = AI_NUMERICHOST
        wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let name = host == "localhost" ? "127.0.0.1" : host.filter { $0 != "[" && $0 != "]" }
        guard getaddrinfo(name, "\(port)", &wanted, &found) == 0, let found else {
            return .unusable(reason: "that is no IP address")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
        guard descriptor >= 0 else { return .unusable(reason: words(errno)) }
        defer { close(descriptor) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) != 0 else {
            return .free
        }
        switch errno {
        case EADDRINUSE: return .taken
        case EACCES: return .denied
        case let number: return .unusable(reason: words(number))
        }
    }

    private static func words(_ number: Int32) -> String { String(cString: strerror(number)) }
}
