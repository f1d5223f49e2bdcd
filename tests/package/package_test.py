#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian package, unpacks it without installing it, and uses what is in it; then moves the folder and uses it
again. No library may come from the build tree.

    package_test.py SOURCE BUILD
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM_OPTIONS = ["--nodes", "2x1x1", "--network", "functional"]


def call(command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def use(usr, source, build, scratch):
    program = usr / "bin" / "hypertorus"
    hello = scratch / "hello"
    _, loaded = call([program, "run", "--nodes", "2x1x1", "--lattice", "4x4x4x4", "--tolerance", "1e-4", "--quiet"],
                     env={"PATH": "/usr/bin:/bin", "LD_DEBUG": "files"}, cwd=scratch)
    foreign = [line for line in loaded.splitlines() if str(build) in line]
    if foreign:
        sys.exit("loaded from the build tree:\n" + "\n".join(foreign[:5]))
    if str(usr) not in loaded:
        sys.exit("nothing was loaded from the package: this test sees nothing")
    call([usr / "bin" / "hypertorus-cc", "-O2", "-o", hello, source / "examples" / "hello.c"])
    output, _ = call([program, "exec", *PROGRAM_OPTIONS, "--", hello])
    if not re.search(r"^\[0\] ", output, re.M) or not re.search(r"^\[1\] ", output, re.M):
        sys.exit(f"hello did not run on two nodes:\n{output}")


def main():
    source, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "readelf"):
        if shutil.which(tool) is None:
            print(f"SKIPPED: {tool} is not installed")
            return 0
    with tempfile.TemporaryDirectory(prefix="a package ") as folder:
        scratch = pathlib.Path(folder)
        call(["cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", scratch / "made"])
        packages = list((scratch / "made").glob("*.deb"))
        if len(packages) != 1:
            sys.exit(f"{len(packages)} packages were made: {packages}")
        depends, _ = call(["dpkg-deb", "-f", packages[0], "Depends"])
        for library in ("libboost-context", "libc6", "libfmt"):
            if library not in depends:
                sys.exit(f"the package does not depend on {library}: {depends}")
        version, _ = call(["dpkg-deb", "-f", packages[0], "Version"])
        wanted = re.search(r"^project\(hypertorus VERSION (\S+)", (source / "CMakeLists.txt").read_text(), re.M)[1]
        if version.strip() != wanted:
            sys.exit(f"the package is of version {version.strip()}, the tree of {wanted}")
        call(["dpkg-deb", "-x", packages[0], scratch / "there"])
        for file in [scratch / "there/usr/bin/hypertorus", *(scratch / "there").rglob("*.so")]:
            paths = re.findall(r"R(?:UN)?PATH.*\[(.*)\]", call(["readelf", "-d", file])[0])
            if any(not p.startswith("$ORIGIN") for found in paths for p in found.split(":")):
                sys.exit(f"{file.name} looks for libraries in {paths}")
        use(scratch / "there" / "usr", source, build, scratch)
        (scratch / "there").rename(scratch / "else where")
        use(scratch / "else where" / "usr", source, build, scratch)
        print(f"{packages[0].name}, {packages[0].stat().st_size >> 20} MB, works where it is unpacked, and moved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
