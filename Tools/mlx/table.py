#!/usr/bin/env python3
"""Writes docs/reference/mlx-names.md: each public name of MLX Swift LM, and whether this library has it.

    Tools/mlx/table.py [--check] MODULES      MODULES: the folder with PhiEngine.swiftmodule, .build/debug/Modules

Our names are those of the compiler's symbol graph, so the table is that of the build. A missing name needs a reason
in REASONS; without one the program fails, as it does with --check if the page differs."""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PAGE = os.path.join(ROOT, "docs/reference/mlx-names.md")
MODULES = ["PhiEngine", "MLX", "MLXHuggingFace", "HuggingFace"]
# Why names are missing: pattern of FILE<TAB>NAME, and the reason. The first that matches counts.
REASONS = [
    (r"MLXLLM/Models/|MLXLMCommon/Models/|LLMModel\.swift|ModelConfigurationValidating", "layers and configurations of single architectures: the engine has its own"),
    (r"\t(ChatSession\.(processing|respond\(to:role:image:|streamResponse\(to:image:)|UserInput\.\w*[Pp]rocessing|UserInput\.init\(chat:processing"
     r"|UserInput\.(images|videos|audios|VideoFrame|AudioFormat|Image|Video|Audio|init)|Chat\.Message\.(images|videos|audios))",
     "images, videos and sound: the models take text alone"),
    (r"UserInput\+Audio", "images, videos and sound: the models take text alone"),
    (r"Adapters/|Lora|LoRA", "adapters and training"),
    (r"ModelConversion", "conversion of checkpoints: `mlx_lm.convert` does it"),
    (r"peculativ|MTP|[dD]raft|assthroughReason", "a draft model: the engine guesses from the text so far, by itself"),
    (r"WiredMemory|wiredMemory", "memory of a GPU"),
    (r"KVCache|kvScheme|kvGroupSize|quantizedKVStart|ContextSize$|processor\(\)|sampler\(\)|saveCache|ChatSessionError|AttentionUtils"
     r"|BidirectionalMasks|GatedDelta|Interpolation|RoPE|SwitchLayers|ParoQuant|Module\+|Load\.swift|LogitSampler|LogitProcessor|Sampler|Penalt"
     r"|Context(\.|$)|Iterator|LMOutput|LanguageModel\.|LMInput|PrepareResult|KVCacheDim|\w+Decoding|SuScaled|BatchAll|createAttention"
     r"|TokenGeneration|generateTask|generateTokens|generateToken|cache:|Module|asPositive|ModelContext\.init|NumericalModel|promptTime",
     "arrays: there is no array framework here, so no caches, samplers and layers of a program's own"),
    (r"JSONDecodingTypes|BaseConfiguration|GenerationConfigFile|JSON5|Linux/|Registries/|TypeRegistry|Trampoline|GenericModelFactory|ModelFactoryRegistry"
     r"|typeRegistry|_load|_wrap|ContextType|ContainerType|\tModelFactory$|ModelFactory\.swift\tModelFactoryError|LLMModelFactory\.init|SerialAccess",
     "registries of model types: one architecture's reader is chosen by config.json"),
    (r"Tool/Parsers|ToolCallFormat|toolCallFormat|ToolCallProcessor|ToolCallParser|ToolParameterType|JSONValue\.asSchema", "forms of calls: the family has one"),
    (r"MessageGenerator|StandIn", "generators of messages: the model's template takes roles and texts"),
    (r"stopStrings|effectiveStopStrings|tokenizerSource|TokenizerSource|Directory(Error)?\b|nonSendable|Resolved|promptTokens|==|TokenizerError|adaptHuggingFace|HuggingFaceDownloaderError",
     "seldom used; stop strings, tokenizers of other folders, folders of a container, and errors of others' packages"),
    (r"collect\(|GenerateCompletionInfo\.init|GenerateResult\.init|ModelContainer\.perform|generate\(|errorDescription|LMInput|TokenizerLoader", "other forms of what is here"),
]


def symbols(modules):
    """Our public names."""
    with tempfile.TemporaryDirectory() as folder:
        maps = []
        for place in (os.path.join(ROOT, "Sources"), os.path.dirname(modules)):
            for name in os.listdir(place):
                file = os.path.join(place, name, "module.modulemap")
                if os.path.exists(file):
                    maps += ["-Xcc", f"-fmodule-map-file={file}"]
        for module in MODULES:
            subprocess.run(
                ["swift", "symbolgraph-extract", "-module-name", module, "-I", modules, "-target",
                 "x86_64-unknown-linux-gnu" if os.uname().machine == "x86_64" else "aarch64-unknown-linux-gnu",
                 "-minimum-access-level", "public", "-output-dir", folder] + maps,
                check=True, capture_output=True,
            )
        names = set()
        for file in os.listdir(folder):
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                for symbol in json.load(text)["symbols"]:
                    names.add(".".join(symbol["pathComponents"]))
    return names


def upstream():
    with open(os.path.join(ROOT, "Tools/mlx/names.tsv"), encoding="utf-8") as text:
        for line in text:
            if not line.startswith("#"):
                yield tuple(line.rstrip("\n").split("\t"))


def form(name):
    """A name without labels that a call may leave out: functions are compared by their name and type."""
    return re.sub(r"\(.*", "()", name)


def reason(file, name):
    for pattern, text in REASONS:
        if re.search(pattern, f"{file}\t{name}"):
            return text
    return None


def page(ours):
    names = list(upstream())
    # A case with values has no labels in the list.
    exact, near = ours | {name.split("(")[0] for name in ours}, {form(name) for name in ours}
    here, other, missing, unexplained = {}, {}, {}, []
    for file, name in names:
        top = name.split(".")[0].split("(")[0]
        if name in exact:
            here.setdefault(top, []).append(name)
        elif "(" in name and form(name) in near:
            other.setdefault(top, []).append(name)
        else:
            text = reason(file, name)
            if text is None:
                unexplained.append(f"{file}\t{name}")
            missing.setdefault(text, []).append(name)
    if unexplained:
        sys.exit("no reason says why these are missing:\n" + "\n".join(unexplained))
    count = {"here": sum(map(len, here.values())), "other": sum(map(len, other.values()))}
    count["missing"] = len(names) - count["here"] - count["other"]
    lines = [
        "# MLX Swift LM's names", "",
        "Each public name of MLX Swift LM 3.31.4 (`MLXLMCommon`, `MLXLLM`, `MLXHuggingFace`), beside this library. Made by",
        "`Tools/mlx/table.py` from the compiler's symbol graph; a test fails if it is not that of the build.", "",
        f"{count['here']} are here with the same labels, {count['other']} with other labels (fewer parameters, or other defaults),",
        f"{count['missing']} are missing. How a program is moved: [from MLX](../use/from-mlx.md).", "",
        "## Here", "", "| name | members with the same labels | with other labels |", "|---|---|---|",
    ]
    for top in sorted(set(here) | set(other), key=str.lower):
        def members(found):
            short = [name[len(top):].lstrip(".") for name in found if name != top]
            return ", ".join(f"`{name}`" if name[0] != "(" else f"`{top}{name}`" for name in sorted(short) if name)
        lines.append(f"| `{top}` | {members(here.get(top, []))} | {members(other.get(top, []))} |")
    lines += ["", "## Missing", "", "| why | names |", "|---|---|"]
    for text, found in sorted(missing.items()):
        tops = {}
        for name in found:
            tops.setdefault(name.split(".")[0].split("(")[0], []).append(name)
        words = []
        for top, all_names in sorted(tops.items(), key=lambda item: item[0].lower()):
            if top in all_names or any(name.startswith(top + "(") for name in all_names):
                words.append(f"`{top}`")
            else:
                words += [f"`{name}`" for name in sorted(all_names)]
        lines.append(f"| {text} | {', '.join(words)} |")
    known = {name for _, name in names} | {form(name) for _, name in names}
    own = sorted(
        {name for name in ours if name not in known and form(name) not in known and name.count(".") == 0}, key=str.lower
    )
    lines += ["", "## Only here", "", ", ".join(f"`{name}`" for name in own), ""]
    return "\n".join(lines)


def main():
    modules = [argument for argument in sys.argv[1:] if argument != "--check"][0]
    text = page(symbols(os.path.abspath(modules)))
    if "--check" not in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(PAGE, encoding="utf-8") as file:
        if file.read() != text:
            sys.exit("docs/reference/mlx-names.md is not that of this build: Tools/mlx/table.py " + modules)


main()
