"""XML-RPC between the referees and agents of courses: a call to a server, and a server of a few methods.

The other end is untrusted: messages have a maximum size and must not have a document type, whose entities can expand a
small text to a huge one (https://docs.python.org/3/library/xml.html#xml-vulnerabilities), and they are never
decompressed. None is sent as nil.
"""

from __future__ import annotations

import contextlib
import http.client
import inspect
import socket
import sys
import threading
import time
import xmlrpc.client
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer
from typing import Any
from urllib.parse import urlsplit
from xml.parsers import expat

from joute._core import one_line
from joute.errors import JouteError, described
from joute.failure import bug_text, tell

#: The largest call or answer that is read. A board of a course takes a few kilobytes.
MAX_BODY_BYTES = 1 << 18

#: The longest wait of a server for the next bytes of a call, during which it serves no other call.
READ_S = 10.0

# Longer timeouts are cut: Python's timers have a maximum.
_LONGEST_WAIT_S = 10.0**6

_FAULT_CODE = 1  # always the same; clients read the message


class XmlRpcError(JouteError):
    """The other end sent invalid XML-RPC or no answer. The message is a predicate without the name of the other end."""


class FaultError(XmlRpcError):
    """A server answered with a fault."""


def call(url: str, method: str, *arguments: Any, timeout_s: float) -> Any:
    """Call a method of a server and return its answer; FaultError, another XmlRpcError, or TimeoutError.

    The timeout applies to the whole call, even if single bytes keep arriving.
    """
    parts = urlsplit(url)
    body = xmlrpc.client.dumps(arguments, method, allow_none=True).encode()
    with _exchange(url, timeout_s) as connection:
        connection.request("POST", parts.path or "/RPC2", body, {"Content-Type": "text/xml"})
        response = connection.getresponse()
        answer = response.read(MAX_BODY_BYTES + 1)
    if response.status != http.client.OK:
        raise XmlRpcError(f"answered HTTP {response.status} {one_line(response.reason)}")
    if len(answer) > MAX_BODY_BYTES:
        raise XmlRpcError(f"answered more than {MAX_BODY_BYTES >> 10} kB")
    try:
        values, _ = _read(answer)
    except xmlrpc.client.Fault as fault:
        raise FaultError(f"answered with a fault: {one_line(fault.faultString)}") from fault
    if len(values) != 1:
        raise XmlRpcError(f"answered {len(values)} values, not one")
    return values[0]


def check_reachable(url: str, *, timeout_s: float) -> None:
    """XmlRpcError or TimeoutError if no server can be reached at the URL."""
    with _exchange(url, timeout_s):
        pass


@contextlib.contextmanager
def _exchange(url: str, timeout_s: float) -> Iterator[http.client.HTTPConnection]:
    """A connection that is cut at the timeout; its errors become XmlRpcError or TimeoutError."""
    timeout_s = min(timeout_s, _LONGEST_WAIT_S)
    deadline = time.monotonic() + timeout_s
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=max(timeout_s, 0.001))  # 0: non-blocking
    try:
        connection.connect()
    except (OSError, ValueError) as error:  # ValueError: an invalid host name
        if _is_timeout(error):
            raise TimeoutError from error
        raise XmlRpcError(f"could not be reached: {_cause(error)}") from error
    # A socket's timeout applies to each operation; this timer applies to the whole exchange.
    watchdog = threading.Timer(max(0.0, deadline - time.monotonic()), _cut, [connection.sock])
    watchdog.daemon = True
    watchdog.start()
    try:
        yield connection
    except (OSError, ValueError, http.client.HTTPException) as error:
        if time.monotonic() >= deadline or _is_timeout(error):
            raise TimeoutError from error
        raise XmlRpcError(f"broke off its answer: {_cause(error)}") from error
    finally:
        watchdog.cancel()
        connection.close()
    if time.monotonic() >= deadline:  # a cut connection may look like a normal end
        raise TimeoutError


def _is_timeout(error: Exception) -> bool:
    # The kernel's timeout of an unreachable machine has an errno; the timeout set here has none.
    return isinstance(error, TimeoutError) and error.errno is None


def _cause(error: Exception) -> str:
    return getattr(error, "strerror", None) or one_line(error) or type(error).__name__


def _cut(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _read(body: bytes) -> tuple[tuple[Any, ...], str | None]:
    """The values of a call or an answer, and the method of a call; raises Fault for a fault."""
    unmarshaller = xmlrpc.client.Unmarshaller(use_builtin_types=True)
    unmarshaller.xml("", None)  # expat has already decoded the text
    parser = expat.ParserCreate()
    parser.StartElementHandler = unmarshaller.start
    parser.EndElementHandler = unmarshaller.end
    parser.CharacterDataHandler = unmarshaller.data
    parser.StartDoctypeDeclHandler = _refuse_document_type
    try:
        parser.Parse(body, True)
        return unmarshaller.close(), unmarshaller.getmethodname()
    except (xmlrpc.client.Fault, XmlRpcError):
        raise
    except Exception as error:  # the unmarshaller may raise anything for invalid input
        raise XmlRpcError(f"sent invalid XML-RPC ({described(error)})") from error


def _refuse_document_type(*_: object) -> None:
    raise XmlRpcError("sent a document type, which XML-RPC does not allow")


class Server(TCPServer):
    """Serves methods, one call at a time, until it is closed. Exceptions of methods are answered as faults.

    The fault of a JouteError has its message. Ctrl-C ends the server, even while a method runs.
    """

    allow_reuse_address = True

    def __init__(self, host: str, port: int, methods: Mapping[str, Callable[..., Any]]) -> None:
        self._methods = methods
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            # `localhost` may have an IPv4 and an IPv6 address: prefer IPv4, as the servers of courses do.
            self.address_family, *_, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
            super().__init__((str(address[0]), port), _Handler)
        except (OSError, ValueError) as error:
            raise JouteError(f"cannot serve at port {port} of {host}: {_cause(error)}") from error

    @property
    def port(self) -> int:
        """The port of the server; if port 0 was requested, the one that the system chose."""
        return int(self.server_address[1])

    def answer(self, body: bytes) -> bytes:
        """The response body for the body of a call."""
        value: Any
        try:
            value = (self._called(body),)
        except JouteError as error:
            value = xmlrpc.client.Fault(_FAULT_CODE, one_line(error))
        except Exception as error:
            tell(bug_text(error, sys.argv))
            value = xmlrpc.client.Fault(_FAULT_CODE, described(error))
        return xmlrpc.client.dumps(value, methodresponse=True, allow_none=True).encode()

    def _called(self, body: bytes) -> Any:
        try:
            arguments, name = _read(body)
        except xmlrpc.client.Fault:
            raise XmlRpcError("this is a fault, not a call") from None
        except XmlRpcError as error:
            raise XmlRpcError(f"the client {error}") from error
        method = self._methods.get(name or "")
        if method is None:
            raise XmlRpcError(f"there is no method '{one_line(name)}'; there are: {', '.join(self._methods)}")
        signature = inspect.signature(method)
        try:
            signature.bind(*arguments)
        except TypeError:
            wanted = ", ".join(signature.parameters)
            raise XmlRpcError(f"{name} takes ({wanted}), not {len(arguments)} values") from None
        return method(*arguments)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of a connection, such as a gone client; report all others, which are bugs."""
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            tell(bug_text(error, sys.argv))


class _Handler(BaseHTTPRequestHandler):
    """One call over HTTP."""

    timeout = READ_S
    server: Server

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()):
            self.send_error(http.client.LENGTH_REQUIRED)
        elif len(length) > len(str(MAX_BODY_BYTES)) or int(length) > MAX_BODY_BYTES:
            self.send_error(http.client.REQUEST_ENTITY_TOO_LARGE)
        elif self.headers.get("Content-Encoding", "identity") != "identity":
            self.send_error(http.client.UNSUPPORTED_MEDIA_TYPE)
        else:
            answer = self.server.answer(self.rfile.read(int(length)))
            self.send_response(http.client.OK)
            self.send_header("Content-Type", "text/xml")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    def log_message(self, format: str, *arguments: object) -> None:
        pass
