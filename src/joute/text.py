"""Text of others, made safe to show.

Names, messages and moves come from students' files, from databases and over the network. They are stored as they are,
because a name identifies its agent, and made safe where text leaves Joute: on terminals, in pages and in messages.
"""

from __future__ import annotations

import html
import json

#: The longest message that a command ends with. A name is part of many messages, and a name may have any length.
LONGEST_MESSAGE = 1000
#: The longest text of Joute's own on a page: a paragraph, a list of facts, a command to paste.
LONGEST_TEXT = 100_000


def printable(text: str) -> str:
    r"""Return the text with every character escaped that is invisible, moves the cursor or changes the direction.

    These are control characters, terminal escapes, marks of writing direction, zero-width characters, line and
    paragraph separators, and surrogates: all that `str.isprintable` excludes.

    >>> printable("a\x1b[2Jb\u202ec\x00"), printable("Zoë ½")
    ('a\\x1b[2Jb\\u202ec\\x00', 'Zoë ½')
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def printable_lines(text: str) -> str:
    """The same for a text of several lines, which it keeps."""
    return "\n".join(map(printable, text.split("\n")))


def shortened(text: str, longest: int) -> str:
    """Return the text in at most `longest` characters; an ellipsis replaces characters after its first two thirds.

    >>> shortened("a wall of text", 10)
    'a wall…ext'
    """
    if len(text) <= longest:
        return text
    head = 2 * longest // 3
    return f"{text[:head]}…{text[len(text) - (longest - 1 - head) :]}"


def html_text(text: str, longest: int = LONGEST_MESSAGE) -> str:
    r"""Return the text for a page: printable, cut, and escaped for HTML. Lines stay lines.

    >>> html_text("<b>\u202e")
    '&lt;b&gt;\\u202e'
    """
    return html.escape(shortened(printable_lines(text), longest))


def json_text(text: str) -> str:
    r"""Return JSON in which characters that are not printable are escapes of JSON's own, so that nothing changes.

    >>> json_text('["a\u202e"]')
    '["a\\u202e"]'
    """
    if text.isprintable():
        return text
    made = (each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text)
    return "".join(made)


def message(error: object) -> str:
    """Return the message of an error, or another sentence, as one printable line of limited length."""
    return shortened(printable(str(error)), LONGEST_MESSAGE)
