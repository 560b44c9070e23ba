"""What a function of a reader's JavaScript module returns: called in a Node.js of its own."""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.running import run

SECONDS = 60.0  # a busy machine may need some for starting Node.js
CALL = """
import { readFileSync } from 'node:fs';

const [path, name] = process.argv.slice(1);
const module = await import(path);
if (typeof module[name] !== 'function') throw new Error(`it exports no function ${name}`);
const called = (value) => {
  try {
    return { value: module[name](value) };
  } catch (error) {
    return { error: String(error) };
  }
};
console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(called)));
"""


def results(path: Path, function: str, values: Sequence[Any]) -> list[dict[str, Any]]:
    """For each value {"value": what an exported function of a module returns} or {"error": text};
    {} where it returns nothing that JSON has.

    Raises BenchError where the module can't be loaded, or does not end in time.
    """
    command = ["node", "--input-type=module", "--eval", CALL, "--", path.as_uri(), function]
    try:
        done = run(command, timeout=SECONDS, input=json.dumps(values))
    except subprocess.TimeoutExpired:
        problem = f"{function} did not come to an end within {SECONDS:g} s"
        raise BenchError(problem, "look for an endless loop") from None
    except OSError as error:
        raise BenchError(f"Node.js can't be started: {error}") from None
    if done.returncode:
        told = re.search(r"(?m)^\w*Error\b.*", done.stderr)
        raise BenchError(f"the module can't be loaded: {told[0] if told else done.stderr.strip()}")
    found: list[dict[str, Any]] = json.loads(done.stdout.rstrip("\n").split("\n")[-1])
    return found
