#!/usr/bin/env python3
"""Bundles Web/ into .build/page, which Sources/BundledFiles/Web.c embeds: a few files with hashed names, each
also compressed. Does nothing if no source has changed.

In:   each Web/*.html, what it names, Web/sw.js, and what those import; a bare import such as
      "markdown-it" is a package in /usr/share/nodejs.
Out:  files/             what the server serves: the pages, sw.js, texts, and assets/ with hashed names; beside a
                         file its forms for Content-Encoding, as NAME.gz and NAME.br
      embedded_files.h   the list of those for the compiler
      sources.txt        every file that was read, with its SHA-256

A page's links of style sheets become one sheet, in their order. A link with `disabled` stays a sheet of its own,
which the browser loads when a script enables the link. docs/decisions/0034-a-bundled-page.md says why.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "Web"
OUT = ROOT / ".build/page"
PACKAGES = "/usr/share/nodejs"
# Browsers of May 2024 and later, the first that know the light-dark() of the style sheets.
TARGET = "chrome123,firefox120,safari17.5"
COMPRESSED_TYPES = {".html", ".js", ".css", ".svg", ".txt", ".webmanifest"}
MODULE = re.compile(r'<script type="module" src="([^"]+)"')
STYLE_SHEET = re.compile(r'\s*<link(?: id="[^"]+")? rel="stylesheet" href="([^"]+)"( disabled)?>')


def main():
    tools = {program: version(program) for program in ("esbuild", "brotli")}
    if is_current(tools):
        return
    staging = OUT.with_name("page.new")
    shutil.rmtree(staging, ignore_errors=True)
    page = Page(staging / "files")
    page.build()
    shutil.rmtree(page.work)
    for path in sorted(path for path in page.files.rglob("*") if path.is_file()):
        compress(path)
    write_list(staging, page.files)
    (staging / "sources.txt").write_text(sources_text(tools, page.sources))
    replace(OUT, staging)


def version(program):
    try:
        reply = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"{program} is missing: `make setup` installs it")
    return reply.stdout.split()[-1]


def run(command, **options):
    """Runs a program, which says itself what is wrong, and returns its output."""
    finished = subprocess.run(command, **options)
    if finished.returncode != 0:
        sys.exit(f"the page could not be bundled: {command[0]} failed")
    return finished.stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def is_current(tools):
    """Whether the last build read the same files with the same programs."""
    try:
        text = (OUT / "sources.txt").read_text()
        lines = [line.split("  ", 1) for line in text.splitlines()]
        sources = [ROOT / path for _, path in lines[len(tools):]]
        web = {path for path in WEB.rglob("*") if path.is_file()}
        known = {path for path in sources if path.is_relative_to(WEB)}
        # A new file alone changes nothing, unless something names it; then that file has changed.
        return known <= web and text == sources_text(tools, sources)
    except (OSError, ValueError):
        return False


def sources_text(tools, sources):
    lines = [f"{version}  {program}" for program, version in sorted(tools.items())]
    for path in sorted(sources):
        lines.append(f"{digest(path)}  {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}")
    return "\n".join(lines) + "\n"


def style_sheets(text):
    """The style sheets of a page: those to join, and those that a script enables."""
    links = STYLE_SHEET.findall(text)
    return ([WEB / name for name, state in links if not state], [WEB / name for name, state in links if state])


class Page:
    """One build, into the folder `files`."""

    def __init__(self, files):
        self.files = files
        self.assets = files / "assets"
        self.work = files.with_name("work")
        self.assets.mkdir(parents=True)
        self.work.mkdir()
        self.sources = {Path(__file__).resolve()}
        # From a source to its address, and from an address to those of the modules that it needs at once.
        self.addresses = {}
        self.needs = {}

    def build(self):
        pages = {path: self.read(path) for path in sorted(WEB.glob("*.html"))}
        self.bundle(pages)
        for path, text in pages.items():
            (self.files / path.name).write_text(self.rewritten(path, text))
        # Read by people, at an address that stays.
        for path in sorted(WEB.glob("*.txt")):
            (self.files / path.name).write_text(self.read(path))
        self.bundle_worker()

    def read(self, path):
        if not path.is_file():
            sys.exit(f"{path.relative_to(ROOT)} is missing, and a page names it")
        self.sources.add(path)
        return path.read_text()

    def bundle(self, pages):
        """Bundles the modules and the style sheets of the pages."""
        entries = []
        for page, text in pages.items():
            entries += [WEB / name for name in MODULE.findall(text)]
            joined, lazy = style_sheets(text)
            entries += lazy
            sheet = self.joined_sheet(page)
            sheet.write_text("".join(f'@import "{os.path.relpath(path, self.work)}";\n' for path in joined))
            entries.append(sheet)
        outputs = self.esbuild(
            sorted({f"{path.stem}={path}" for path in entries}),
            f"--inject:{self.first_view(entries)}",
            "--splitting", f"--outdir={self.assets}", "--entry-names=[name]-[hash]",
            "--chunk-names=[name]-[hash]", "--asset-names=[name]-[hash]")
        for output, facts in outputs.items():
            address = str((ROOT / output).relative_to(self.files))
            self.needs[address] = [
                str((ROOT / needed["path"]).relative_to(self.files)) for needed in facts["imports"]
                if needed["kind"] == "import-statement"]
            if "entryPoint" in facts:
                if output.endswith(".css") and not facts["entryPoint"].endswith(".css"):
                    sys.exit(f"{facts['entryPoint']} imports a style sheet: name it in the page instead, with "
                             '<link rel="stylesheet" href="..." disabled>, and enable that')
                self.addresses[(ROOT / facts["entryPoint"]).resolve()] = address
        self.remove_empty_licences(self.assets)

    def first_view(self, entries):
        """A module that imports all that the first view needs, in the order in which it runs.

        esbuild puts modules into one chunk that the same entries need, so that each set of dynamic imports that share
        something makes a chunk more, and a request. Imported by every entry, the first view is one chunk.
        """
        modules = [path for path in entries if path.suffix == ".js"]
        facts = self.work / "first_view.json"
        self.run_esbuild([str(path) for path in modules], "--splitting", f"--outdir={self.work / 'unused'}",
                         f"--metafile={facts}")
        imports = {
            name: [needed["path"] for needed in read["imports"] if needed["kind"] == "import-statement"]
            for name, read in json.loads(facts.read_text())["inputs"].items()}
        ordered = []

        def visit(name, path=()):
            if name in path or name in ordered:
                return
            for needed in imports[name]:
                visit(needed, (*path, name))
            ordered.append(name)

        entry_names = [str(path.relative_to(ROOT)) for path in modules]
        for name in entry_names:
            visit(name)
        module = self.work / "first-view.js"
        module.write_text("".join(
            f"import {json.dumps(os.path.relpath(ROOT / name, self.work))};\n"
            for name in ordered if name not in entry_names))
        return module

    def remove_empty_licences(self, folder):
        """esbuild writes the file of licences for each entry, even if no comment has one."""
        for path in folder.glob("*.LEGAL.txt"):
            if path.stat().st_size == 0:
                path.unlink()

    def bundle_worker(self):
        """The service worker, which is told what it stores: the page, and all but fonts and licences."""
        names = sorted(f"assets/{path.name}" for path in self.assets.iterdir()
                       if path.suffix not in (".woff2", ".txt"))
        # A change of the page alone is a new version, too.
        content = self.files.joinpath("index.html").read_bytes() + "".join(names).encode()
        shell = {"version": hashlib.sha256(content).hexdigest()[:8], "names": names}
        self.esbuild([str(WEB / "sw.js")], f"--outfile={self.files / 'sw.js'}",
                     f"--define:SHELL={json.dumps(shell)}")
        self.remove_empty_licences(self.files)

    def joined_sheet(self, page):
        return self.work / f"{page.stem}.css"

    def esbuild(self, entries, *options):
        """Runs esbuild, notes what it has read, and returns what it has written, with facts about each."""
        facts = self.work / "esbuild.json"
        self.run_esbuild(entries, "--minify", "--legal-comments=external", f"--metafile={facts}", *options)
        report = json.loads(facts.read_text())
        read = {(ROOT / name).resolve() for name in report["inputs"] if not name.startswith("<")}
        self.sources |= {path for path in read if not path.is_relative_to(self.work)}
        return report["outputs"]

    def run_esbuild(self, entries, *options):
        run(
            ["esbuild", *entries, "--bundle", "--format=esm", "--charset=utf8", f"--target={TARGET}",
             "--loader:.woff2=file", "--loader:.svg=file",
             # Every browser that runs the page takes .woff2, so older forms of a font stay out.
             "--external:*.woff", "--external:*.ttf", "--log-level=warning", *options],
            cwd=ROOT, env=os.environ | {"NODE_PATH": PACKAGES})

    def rewritten(self, path, text):
        """A page with the addresses of what was built."""
        links = [f'<link rel="stylesheet" href="{self.addresses[self.joined_sheet(path)]}">']
        links += [f'<link rel="modulepreload" href="{address}">'
                  for name in MODULE.findall(text) for address in self.needed(self.address(name))]
        text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
        text = STYLE_SHEET.sub(lambda found: found[0] if found[2] else "", text)
        text = text.replace("</head>", "".join(links) + "\n</head>")
        text = re.sub(r'(<(?:script|link|img)\b[^>]*? (?:src|href)=")((?!assets/)[^":]+)"',
                      lambda found: f'{found[1]}{self.inside_page(found[2])}"', text)
        if "data-icon" in text:
            text = text.replace("</body>", f"{self.icons()}\n</body>")
        return re.sub(r"\n\s+", "\n", text)

    def needed(self, address):
        """The modules that `address` imports, and those that they import."""
        found = [address]
        for module in found:
            found += [needed for needed in self.needs[module] if needed not in found]
        return found[1:]

    def icons(self):
        """The icons, whose names as ids begin with `icon-`: inside the page they need no request."""
        text = self.read(WEB / "icons.svg").replace('<symbol id="', '<symbol id="icon-')
        return re.sub(r">\s+<", "><", text.strip().replace("<svg ", "<svg hidden ", 1))

    def inside_page(self, name):
        """What stands for a file in a page: a small picture itself, which saves its request, or the address."""
        source = WEB / name
        if source.suffix != ".svg" or source.stat().st_size > 1_000:
            return self.address(name)
        picture = re.sub(r">\s+<", "><", self.read(source).strip())
        return "data:image/svg+xml," + urllib.parse.quote(picture, safe=" /:=;,.()'")

    def address(self, name):
        """The address of a file of Web/ that a page or the manifest names."""
        source = WEB / name
        if source not in self.addresses:
            self.addresses[source] = self.add_file(source, name)
        return self.addresses[source]

    def add_file(self, source, name):
        self.sources.add(source)
        if not source.is_file():
            sys.exit(f"Web/{name} is missing, and a page names it")
        if source.suffix == ".webmanifest":
            # Installed pages know it by its address, so it keeps its name.
            manifest = json.loads(source.read_text())
            for icon in manifest.get("icons", []):
                icon["src"] = self.address(icon["src"])
            (self.files / name).write_text(json.dumps(manifest, separators=(",", ":"), ensure_ascii=False))
            return name
        hashed = f"{source.stem}-{digest(source)[:8].upper()}{source.suffix}"
        shutil.copyfile(source, self.assets / hashed)
        return f"assets/{hashed}"


def compress(path):
    """Writes the compressed forms of a file, where they are shorter by a tenth or more."""
    if path.suffix not in COMPRESSED_TYPES:
        return
    content = path.read_bytes()
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    forms = {
        ".gz": packer.compress(content) + packer.flush(),
        ".br": run(["brotli", "-q", "11", "-w", "24", "-c"], input=content, stdout=subprocess.PIPE),
    }
    for ending, form in forms.items():
        if len(form) <= len(content) * 0.9:
            path.with_name(path.name + ending).write_bytes(form)


def write_list(folder, files):
    names = sorted(str(path.relative_to(files)) for path in files.rglob("*") if path.is_file())
    lines = ["// Written by Tools/bundle_page.py."]
    for number, name in enumerate(names):
        lines += [f"static const unsigned char web_{number}[] = {{", f'#embed "files/{name}"', "};"]
    lines += ["static const stoa_bundled_file web_files[] = {"]
    lines += [f'    ENTRY("{name}", web_{number}),' for number, name in enumerate(names)]
    (folder / "embedded_files.h").write_text("\n".join([*lines, "};", ""]))


def replace(folder, new):
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)


if __name__ == "__main__":
    main()
