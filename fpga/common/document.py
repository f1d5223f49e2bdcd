# SPDX-License-Identifier: Apache-2.0
"""The JSON document of a program about boards: docs/json.md."""
import json
import os
import pathlib
import re
import stat
import tempfile

from tools import ROOT, UNWRITTEN, BoardError, try_to_write

SCHEMA_VERSION = 1   # as in sim/output/document.hpp


def version():
    return re.search(r"^project\(hypertorus VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]


class Document:
    """`--json FILE`. Without a name there is none; "-" is standard output. Errors are BoardError."""

    def __init__(self, name):
        self.path = "/dev/stdout" if name == "-" else name
        if self.path:
            try_to_write(self.path)
            self.refuse_other_files()

    def is_replaced(self):
        """A regular file, or none yet; all else, a symbolic link as well, is written through."""
        try:
            return stat.S_ISREG(os.lstat(self.path).st_mode)
        except FileNotFoundError:
            return True

    def refuse_other_files(self):
        """An older document may be replaced."""
        if os.path.isfile(self.path) and self.is_replaced():
            with open(self.path, "rb") as there:
                begin = b"".join(there.read(4096).split())
                if begin and not begin.startswith(b'{"schema_version":'):
                    raise BoardError(UNWRITTEN, f"--json {self.path}: the file is there and is no document that --json wrote; "
                                                "name another one, or remove it")

    def write(self, code, keys):
        """`keys` may have an `error`, which is null otherwise."""
        if not self.path:
            return
        whole = {"schema_version": SCHEMA_VERSION, "version": version(), "subcommand": "board", "exit_code": code, "error": None} | keys
        text = json.dumps(whole, indent=2) + "\n"
        try:
            self.refuse_other_files()
            if self.is_replaced():
                self.replace(text)
            else:
                pathlib.Path(self.path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise BoardError(UNWRITTEN, f"cannot write {self.path}: {error.strerror}") from None

    def replace(self, text):
        """It appears complete or not at all, with the permissions that it had."""
        try:
            mode = stat.S_IMODE(os.stat(self.path).st_mode)
        except FileNotFoundError:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(self.path) or ".", prefix=".hypertorus.",
                                         delete=False) as file:
            try:
                file.write(text)
                file.close()
                os.chmod(file.name, mode)
                os.replace(file.name, self.path)
            except BaseException:
                os.unlink(file.name)
                raise
