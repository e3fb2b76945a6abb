"""Print a Homebrew formula for an sdist: python packaging/formula.py SDIST URL.

Homebrew builds in a sandbox with the sources of every dependency; several of ours are Rust programs.
So this formula makes a virtual environment in libexec and lets pip fetch wheels after the sandbox
(`post_install`), which a tap may do and homebrew-core does not allow.
"""

import hashlib
import re
import sys
from pathlib import Path

_FORMULA = """\
class Dejavu < Formula
  desc "Keep and show conversations with AI coding agents"
  homepage "https://github.com/dejavu-capture/dejavu"
  url "{url}"
  version "{version}"
  sha256 "{digest}"
  license "MIT"

  depends_on "python@3.13"

  def install
    (libexec/"source").install Dir["*"]
    man1.install Dir[libexec/"source/docs/man/*.1"]
    bash_completion.install Dir[libexec/"source/packaging/completions/bash/*"]
    zsh_completion.install Dir[libexec/"source/packaging/completions/zsh/*"]
    fish_completion.install Dir[libexec/"source/packaging/completions/fish/*"]
    %w[dejavu dejavu-run].each do |name|
      (bin/name).write <<~SH
        #!/bin/sh
        exec "#{{var}}/dejavu/venv/bin/#{{File.basename(name)}}" "$@"
      SH
      chmod 0755, bin/name
    end
  end

  def post_install
    venv = var/"dejavu/venv"
    system Formula["python@3.13"].opt_bin/"python3.13", "-m", "venv", "--clear", venv
    system venv/"bin/pip", "install", "--quiet", "#{{libexec}}/source[tui]"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/dejavu --version")
  end
end
"""


def formula(sdist: Path, url: str) -> str:
    """The formula of one file that will be found at `url`."""
    match = re.fullmatch(r"dejavu_capture-(.+)\.tar\.gz", sdist.name)
    if match is None:
        raise SystemExit(f"{sdist} is no sdist of dejavu-capture")
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    return _FORMULA.format(url=url, version=match[1], digest=digest)


if __name__ == "__main__":
    sys.stdout.write(formula(Path(sys.argv[1]), sys.argv[2]))
