"""XML-RPC, which the referees and agents of courses speak: a call to a server, and a server of a few methods.

The other end may be anybody's, so what is read has a largest size and no document type, whose entities can make a small
text huge (https://docs.python.org/3/library/xml.html#xml-vulnerabilities), and is never unpacked. None is sent as nil.
"""

from __future__ import annotations

import contextlib
import http.client
import inspect
import socket
import sys
import threading
import time
import traceback
import xmlrpc.client
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer
from typing import Any
from urllib.parse import urlsplit
from xml.parsers import expat

from joute._core import one_line
from joute.errors import JouteError, described

#: The largest call or answer that is read. A board of a course takes some kilobytes.
MAX_BODY_BYTES = 1 << 18

#: How long a server waits for the next bytes of a call: nobody else is served meanwhile.
READ_S = 10.0

# No timer of Python's waits as long as a clock may say.
_LONGEST_WAIT_S = 10.0**6

_FAULT_CODE = 1  # clients read the sentence


class XmlRpcError(JouteError):
    """What is no XML-RPC, or no answer at all. The message tells what the other end did, without naming it."""


class FaultError(XmlRpcError):
    """The fault that a server answered with."""


def call(url: str, method: str, *arguments: Any, timeout_s: float) -> Any:
    """What a method of a server answers; FaultError, another XmlRpcError, or TimeoutError when time is up.

    The time is that of the whole call, however slowly the bytes trickle in.
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
    """XmlRpcError or TimeoutError if nobody listens there."""
    with _exchange(url, timeout_s):
        pass


@contextlib.contextmanager
def _exchange(url: str, timeout_s: float) -> Iterator[http.client.HTTPConnection]:
    """A connection that breaks when time is up; what goes wrong on it is an XmlRpcError or a TimeoutError."""
    timeout_s = min(timeout_s, _LONGEST_WAIT_S)
    deadline = time.monotonic() + timeout_s
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=max(timeout_s, 0.001))  # 0 would mean not to wait
    try:
        connection.connect()
    except (OSError, ValueError) as error:  # ValueError: a host that cannot even be looked up
        if _is_timeout(error):
            raise TimeoutError from error
        raise XmlRpcError(f"could not be reached: {_cause(error)}") from error
    # The timeout of a socket is that of each piece; this one is for all of them.
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
    if time.monotonic() >= deadline:  # a connection that was cut may look like one that ended
        raise TimeoutError


def _is_timeout(error: Exception) -> bool:
    # The system's own timeout has a number: a machine that does not answer, rather than our clock.
    return isinstance(error, TimeoutError) and error.errno is None


def _cause(error: Exception) -> str:
    return getattr(error, "strerror", None) or one_line(error) or type(error).__name__


def _cut(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _read(body: bytes) -> tuple[tuple[Any, ...], str | None]:
    """The values of a call or an answer, and the method of a call; Fault if it is one."""
    unmarshaller = xmlrpc.client.Unmarshaller(use_builtin_types=True)
    unmarshaller.xml("", None)  # the parser decodes texts already
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
    except Exception as error:  # Python's reader trusts its writer
        raise XmlRpcError(f"sent what is no XML-RPC ({described(error)})") from error


def _refuse_document_type(*_: object) -> None:
    raise XmlRpcError("sent a document type, which XML-RPC has not")


class Server(TCPServer):
    """Serves methods, one call at a time, until it is closed. What they raise is a fault, and it serves on.

    A JouteError is the sentence of its fault. Ctrl-C ends it, also while a method runs.
    """

    allow_reuse_address = True

    def __init__(self, host: str, port: int, methods: Mapping[str, Callable[..., Any]]) -> None:
        self._methods = methods
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            # `localhost` may be both: servers of courses listen at the older address.
            self.address_family, *_, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
            super().__init__((str(address[0]), port), _Handler)
        except (OSError, ValueError) as error:
            raise JouteError(f"cannot serve at port {port} of {host}: {_cause(error)}") from error

    @property
    def port(self) -> int:
        """The port it listens at; that which was found, if 0 was asked for."""
        return int(self.server_address[1])

    def answer(self, body: bytes) -> bytes:
        """The answer to a call."""
        value: Any
        try:
            value = (self._called(body),)
        except JouteError as error:
            value = xmlrpc.client.Fault(_FAULT_CODE, one_line(error))
        except Exception as error:
            traceback.print_exc()
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
        """A client that went away costs nobody anything; anything else is a mistake of ours, to be seen."""
        if not isinstance(sys.exception(), OSError):
            traceback.print_exc()


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
