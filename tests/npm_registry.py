"""A registry of npm's on this machine, with packages that a test makes."""

import base64
import hashlib
import io
import json
import tarfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest


def packed(name, version, files, **more):
    """A package as npm packs it: the bytes of a .tgz."""
    about = {"name": name, "version": version, **more}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for path, text in {"package.json": json.dumps(about), **files}.items():
            member = tarfile.TarInfo(f"package/{path}")
            member.size, member.mode = len(text.encode()), 0o755
            tar.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


class Registry:
    """packages: the versions of each, name -> version -> bytes."""

    def __init__(self):
        self.packages, self.address = {}, ""

    def add(self, name, version, files, **more):
        self.packages.setdefault(name, {})[version] = packed(name, version, files, **more)

    def answer(self, path):
        """What is answered to a path, None for what is not there."""
        name, _, file = unquote(path).strip("/").partition("/-/")
        if name not in self.packages:
            return None
        if file:
            return self.packages[name].get(file.removesuffix(".tgz"))
        versions = {version: self.about(name, version) for version in self.packages[name]}
        tags = {"latest": list(versions)[-1]}
        return json.dumps({"name": name, "dist-tags": tags, "versions": versions}).encode()

    def about(self, name, version):
        data = self.packages[name][version]
        digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
        place = f"{self.address}/{name}/-/{version}.tgz"
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            about = json.load(tar.extractfile("package/package.json"))
        return {**about, "dist": {"tarball": place, "integrity": f"sha512-{digest}"}}


@contextmanager
def registry():
    """A registry that listens as long as the context lasts."""
    found = Registry()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = found.answer(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"{}")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def npm_offers(folder):
    """A registry that npm asks, and no other, with a cache of its own in a folder."""
    with registry() as found, pytest.MonkeyPatch.context() as patch:
        patch.setenv("npm_config_registry", found.address)
        patch.setenv("npm_config_cache", str(folder / "npm-cache"))
        yield found
