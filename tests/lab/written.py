"""Tables as a test writes them."""

from pathlib import Path

from ufodt.lab.datasets import read_table

PLAIN = "age,sex,sick,smokes,rhythm\n30,m,no,1,sinus\n41,f,yes,0,other\n52,f,no,0,sinus\n63,m,yes,1,flutter\n"


def write(path: Path, text: str) -> Path:
    """Return the file that the text was written to."""
    path.write_text(text, encoding="utf-8")
    return path


def account_of(text: str, tmp_path: Path, *, label: str = "y") -> str:
    """Return what reading a text as a CSV file says of it."""
    return "\n".join(read_table(write(tmp_path / "t.csv", text), label=label).account)
