#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site: all pages of the tree, where they are, with the navigation of docs/navigation.yml.

    docs/build.py            build/site, by mkdocs; open build/site/index.html
    docs/build.py --check    no site: every relative link of every page leads to a file of the tree, and to a heading; folders
                             only where they have a README, which stands for them on the site

Pages are laid out in build/pages as they are in the tree, with the files that they link to, so that one link is right on
the forge and on the site. Nothing of the site comes from outside: it can be read from a disk.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^( *)```.*?^\1```", re.M | re.S)


def pages():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.split() or [str(p.relative_to(ROOT)) for p in ROOT.rglob("*.md") if "build" not in p.parts]
    return sorted(ROOT / n for n in names if not n.startswith(".") and (ROOT / n).exists())


def slug(text, separator="-"):
    """The anchor of a heading, as forges make them."""
    text = re.sub(r"<[^>]+>", "", text).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", separator)


def anchors(page):
    found = set(re.findall(r'id="([^"]+)"', page.read_text()))
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name, n = slug(heading), 0
        while (name if n == 0 else f"{name}-{n}") in found:
            n += 1
        found.add(name if n == 0 else f"{name}-{n}")
    return found


def links(page):
    """(link, file it leads to, anchor) of every relative link."""
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text()))
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        yield link, (page.parent / path).resolve() if path else page, anchor


def check():
    faults, headings, count = [], {}, 0
    for page in pages():
        for link, target, anchor in links(page):
            count += 1
            where = f"{page.relative_to(ROOT)}: {link}"
            if not target.exists() or ROOT not in (target, *target.parents):
                faults.append(f"{where}: there is no such file")
            elif target.is_dir() and not (target / "README.md").is_file():
                faults.append(f"{where}: a folder without a README is not on the site; name a file in it")
            elif anchor and target.suffix == ".md":
                if target not in headings:
                    headings[target] = anchors(target)
                if anchor not in headings[target]:
                    faults.append(f"{where}: no heading of that name")
    length = len((ROOT / "README.md").read_text().splitlines())
    if length > 150:
        faults.append(f"README.md: {length} lines; what is more than 150 belongs on a page of its own")
    listed = set(re.findall(r"^ .*: (\S+\.md)$", (ROOT / "docs" / "navigation.yml").read_text(), re.M))
    faults += [f"docs/navigation.yml: {name}: there is no such page" for name in sorted(listed) if not (ROOT / name).exists()]
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = str(page.relative_to(ROOT))
        if name not in listed and not name.startswith("docs/commands/"):
            faults.append(f"docs/navigation.yml: {name} is not in it")
    print("\n".join(faults) or f"{count} links lead where they say")
    if count < 50:
        print("hardly any link was found: this check sees nothing")
    return 1 if faults or count < 50 else 0


def build(site):
    try:
        from mkdocs.commands.build import build as make
        from mkdocs.config import load_config
        import mkdocs.utils
        import yaml
    except ImportError:
        # Debian's mkdocs is the system's Python's, which need not be the first of PATH.
        system = pathlib.Path("/usr/bin/python3")
        if system.exists() and not sys.executable.startswith("/usr/bin/"):
            return subprocess.run([system, __file__, "--site", site], check=False).returncode
        print("SKIPPED: mkdocs is not installed")
        return 0
    staged = ROOT / "build" / "pages"
    shutil.rmtree(staged, ignore_errors=True)
    wanted = set(pages())
    for page in list(wanted):
        wanted |= {target for _, target, _ in links(page) if target.is_file() and ROOT in target.parents}
    for file in wanted:
        copy = staged / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    for page in pages():
        # Folders have pages of their own on the forge; here that is the folder's README.
        text = re.sub(r"\]\(([^()\s:#]+?)/?\)", lambda m: f"]({m[1]}/README.md)"
                      if (page.parent / m[1] / "README.md").is_file() else m[0], page.read_text())
        # Python-Markdown wants a blank line before a list.
        text = re.sub(r"^(?![ *|]|\d+\. )(.+)\n(?=(\* |1\. ))", r"\1\n\n", text, flags=re.M)
        (staged / page.relative_to(ROOT)).write_text(text)
    configuration = yaml.safe_load((ROOT / "docs" / "navigation.yml").read_text())
    configuration.update(docs_dir=str(staged), site_dir=str(site), strict=True)
    file = ROOT / "build" / "mkdocs.yml"
    file.write_text(yaml.safe_dump(configuration, sort_keys=False, allow_unicode=True))
    config = load_config(str(file))
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    make(config)
    print(f"{len(pages())} pages: {site / 'index.html'}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="only look whether links lead somewhere")
    parser.add_argument("--site", type=pathlib.Path, default=ROOT / "build" / "site", metavar="DIR")
    arguments = parser.parse_args()
    if arguments.check:
        return check()
    try:
        return build(arguments.site.resolve())
    except OSError as error:
        print(f"hypertorus: cannot write to {error.filename or 'standard output'}: {error.strerror}; is it another user's? Remove it, or copy the tree",
              file=sys.stderr)
        return 12   # as where the program cannot be built


if __name__ == "__main__":
    sys.exit(main())
