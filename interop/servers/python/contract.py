"""What every server of this folder answers, whatever SDK it stands on. The client's side of it: scenarios/own.json."""

NAME = "interop"
VERSION = "1.0.0"
INSTRUCTIONS = "A server to try clients on."

README_URI = "note:///readme"
PIXEL_URI = "note:///pixel"
ITEM_TEMPLATE = "note:///items/{id}"
ITEM_PREFIX = "note:///items/"

README_TEXT = "Notes, with a letter outside of ASCII: ü."
# A PNG of one transparent pixel.
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)

QUESTION = "Who are you?"
COLOUR = "blue"
NAMES = ["Ada", "Alan", "Grace"]


def item_text(id: str) -> str:
    return f"item {id}"


def greeting(name: str) -> str:
    return f"Greet {name}."


def names(prefix: str) -> list[str]:
    return [name for name in NAMES if name.startswith(prefix)]


def introduction(name: str, colour: str) -> str:
    return f"{name} likes {colour}"
