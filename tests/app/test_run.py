"""`ufodt run`: a table becomes a model."""

import json
from pathlib import Path

import click
import numpy as np
import pytest

import ufodt
from ufodt.app import model as commands
from ufodt.errors import InvalidValue, UfodtError
from ufodt.prior import read_prior

from .calling import call, counts, model, rows


def test_a_run_makes_a_model_under_the_names_of_the_table(folder: Path) -> None:
    learner = ufodt.load(folder / "model.npz")
    assert learner.problem.labels == ("healthy", "ill")
    assert learner.problem.loss == ((0, 200), (400, 0))
    assert [feature.name for feature in learner.problem.features] == ["fever", "age", "rhythm"]
    assert learner.problem.prices.tolist() == [1.0, 9.0, 15.5]
    assert learner.n_opened == 900


def test_help_offers_every_criterion_there_is() -> None:
    (option,) = (parameter for parameter in commands.run.params if parameter.name == "criterion")
    assert isinstance(option.type, click.Choice)
    assert set(option.type.choices) == {criterion.value for criterion in ufodt.Criterion}


@pytest.mark.parametrize("criterion", [criterion.value for criterion in ufodt.Criterion])
def test_a_run_takes_every_criterion_there_is(criterion: str, folder: Path, tmp_path: Path) -> None:
    saved = str(tmp_path / "model.npz")
    done = call("run", str(folder / "cases.csv"), "--label", "state", "--criterion", criterion, "--save", saved)
    assert done.exit_code == 0, done.output
    assert ufodt.load(saved).policy.criterion == criterion
    assert call("explain", saved, "fever=yes").exit_code == 0


def test_a_run_knows_priors_budgets_and_drift(folder: Path, tmp_path: Path) -> None:
    prior, saved = tmp_path / "prior.toml", tmp_path / "model.npz"
    prior.write_text("[features.fever.ill]\nprobability = 0.8\nstrength = 50\n")
    about = ["--label", "state", "--price", str(folder / "prices.toml"), "--save", str(saved)]
    for drift, expected in (("auto", ufodt.drift.auto()), ("0.05", ufodt.drift.discount(0.05))):
        more = ["--prior", str(prior), "--budget", "10", "--drift", drift, "--json"]
        done = call("run", str(folder / "cases.csv"), *about, *more)
        assert done.exit_code == 0, done.output
        learner = ufodt.load(saved)
        assert learner.drift == expected and learner.prior == read_prior(prior)
        assert learner.policy.stop == ufodt.stop.cost_benefit() | ufodt.stop.budget(10)
        assert json.loads(done.stdout)["asked"].get("rhythm", 0) == 0  # 15.5 is beyond the budget
    belonging = {"--price": about[3], "--prior": str(prior), "--budget": "10", "--drift": "auto", "--seed": "5"}
    for option, given in belonging.items():
        refused = call("run", str(folder / "cases.csv"), "--model", str(saved), option, given)
        assert refused.exit_code == 2 and f"{option} belongs to a new model" in refused.output


def test_a_run_says_what_it_takes_columns_for(folder: Path) -> None:
    done = call("run", str(folder / "cases.csv"), "--label", "state")
    said = " ".join(done.output.split())
    assert "Columns taken as yes or no: fever; numbers: age; categories: rhythm." in said


def test_a_label_that_the_model_does_not_know_is_named_by_its_row(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("fever,age,state\nyes,40,ill\nno,30,\nno,50,sick\n")
    with pytest.raises(InvalidValue, match="Case 3, column 'state': 'sick' came for the label"):
        call("run", str(tmp_path / "new.csv"), "--model", str(folder / "model.npz"), "--label", "state")


def test_an_array_of_json_in_a_pipe_is_called_one() -> None:
    with pytest.raises(InvalidValue, match="A JSON array came through the pipe; expected one object on each line"):
        call("run", "-", text='[\n{"fever": 1, "y": 0}]')


@pytest.mark.parametrize(
    ("option", "given", "says"),
    [
        ("--drift", "often", "'often' came for drift; expected auto, or a share"),
        ("--drift", "1.5", "gamma=1.5 came"),
        ("--prior", "gone.toml", "gone.toml cannot be read: No such file"),
    ],
)
def test_a_setting_that_does_not_fit_is_refused_in_words(folder: Path, option: str, given: str, says: str) -> None:
    with pytest.raises(UfodtError, match=says):
        call("run", str(folder / "cases.csv"), "--label", "state", option, given)


def test_everything_costs_what_a_group_shares(folder: Path, tmp_path: Path) -> None:
    about = tmp_path / "prices.toml"
    about.write_text('[prices]\nfever = 1\nage = { price = 9, later = 2, group = "g" }\n'
                     'rhythm = { price = 15, later = 5, group = "g" }\n')  # fmt: skip
    done = call("run", str(folder / "cases.csv"), "--label", "state", "--price", str(about), "--json")
    assert json.loads(done.stdout)["price_of_everything"] == 1 + 9 + 5


def test_everything_costs_what_its_values_add(tmp_path: Path) -> None:
    rows = [(i % 4 == 0, "yes" if i % 2 else "no") for i in range(400)]
    (tmp_path / "t.csv").write_text("scan,sick\n" + "".join(f"{int(scan)},{sick}\n" for scan, sick in rows))
    about = tmp_path / "prices.toml"
    about.write_text("[prices]\nscan = { price = 2, surcharge = { 1 = 8 } }\n")
    done = call("run", str(tmp_path / "t.csv"), "--label", "sick", "--price", str(about), "--json")
    assert json.loads(done.stdout)["price_of_everything"] == 2 + 8 / 4


def test_a_run_is_the_run_of_the_library(folder: Path) -> None:
    learner = ufodt.UFODT(ufodt.load(folder / "model.npz").problem)
    X = np.array([[c["fever"], c["age"] if c["age"] != "" else None, c["rhythm"]] for c in rows(900)], dtype=object)
    record = learner.run(X, [c["state"] for c in rows(900)])
    done = call(
        "run", str(folder / "cases.csv"), "--price", str(folder / "prices.toml"), "--json", "--label", "state",
        "--records", str(folder / "records.jsonl"),
    )  # fmt: skip
    summary = json.loads(done.stdout)
    lines = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    assert [line["predicted"] for line in lines] == record.predicted.tolist()
    assert [line["cost"] for line in lines] == record.cost.tolist()
    assert [line["case"] for line in lines] == list(range(900))
    assert sum(len(line["asked"]) for line in lines) == record.n_asked.sum()
    assert summary["cost_per_case"] == pytest.approx(record.cost.mean())
    right = record.predicted == np.array([c["state"] for c in rows(900)])
    assert summary["accuracy"] == pytest.approx(right.mean())


def test_a_run_prints_what_it_came_to(folder: Path) -> None:
    done = call("run", str(folder / "cases.csv"), "--price", str(folder / "prices.toml"), "--label", "state")
    assert "answered right" in done.output and "asked most" in done.output and "Nothing was saved" in done.output


def test_what_is_left_out_must_be_there(folder: Path, tmp_path: Path) -> None:
    call_of = ["run", str(folder / "cases.csv"), "--label", "state", "--save", str(tmp_path / "m.npz"), "--skip"]
    done = call(*call_of, "901")
    assert done.exit_code == 2 and "--skip leaves out 901 cases" in done.output and "has 900" in done.output
    assert not (tmp_path / "m.npz").exists()
    assert call(*call_of, "900").exit_code == 0  # to go on after the last case is to be done


@pytest.mark.parametrize("name", ["cases.csv", "cases.jsonl"])
def test_a_pipe_is_read_like_a_file(folder: Path, name: str) -> None:
    about = ["--price", str(folder / "prices.toml"), "--label", "state", "--records", "-"]
    through = call("run", "-", *about, text=(folder / name).read_text())
    plain = call("run", str(folder / "cases.csv"), *about)
    assert through.stdout == plain.stdout
    assert len(through.stdout.splitlines()) == 900


def test_a_saved_model_tells_what_does_not_fit_it(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("fever,age,state\nyes,old,ill\nno,30,healthy\nno,31,\n")
    done = call(
        "run", str(tmp_path / "more.csv"), "--label", "state", "--model", model(folder),
        "--save", str(tmp_path / "m.npz"),
    )  # fmt: skip
    assert "Without a column, and so missing in every case: rhythm." in done.output
    assert "age: 1 cell taken as missing, such as 'old'." in done.output
    assert ufodt.load(tmp_path / "m.npz").n_opened == 903


def test_a_number_the_model_knows_may_have_a_decimal_comma_in_any_file(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("fever;age\nyes;70,5\nno;n.d.\n")
    done = call("run", str(tmp_path / "few.csv"), "--model", model(folder), "--records", "-")
    assert "age: 1 cell taken as missing, such as 'n.d.'." in done.output
    comma, point = (call("explain", model(folder), f"age={age}").output for age in ("70,5", "70.5"))
    assert comma == point
    with pytest.raises(InvalidValue, match="'1,234' came; expected a number"):
        call("explain", model(folder), "age=1,234")


@pytest.fixture
def coded(tmp_path: Path) -> str:
    """A model of a table in which -9 means "not known"; who has it is as ill as anybody else."""
    table = [f"{-9 if i % 3 == 0 else case['age'] or 50},{case['state']}" for i, case in enumerate(rows(600))]
    (tmp_path / "cases.csv").write_text("\n".join(["age,state", *table]))
    (tmp_path / "about.toml").write_text('missing = ["-9"]\n')
    save = str(tmp_path / "coded.npz")
    about = ["--label", "state", "--price", str(tmp_path / "about.toml"), "--save", save]
    assert call("run", str(tmp_path / "cases.csv"), *about).exit_code == 0
    return save


def test_a_model_remembers_which_cells_mean_not_known(coded: str, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("age,state\n-9,ill\n-9.0,ill\n?,ill\n-8,ill\n70,ill\n")
    new, save = ["run", str(tmp_path / "new.csv"), "--model", coded], str(tmp_path / "again.npz")

    def asked(*more: str) -> list[int]:
        return [len(json.loads(line)["asked"]) for line in call(*new, *more, "--records", "-").stdout.splitlines()]

    assert asked() == [0, 0, 0, 1, 1]
    assert asked("--missing", "-8") == [0, 0, 0, 0, 1]
    said = call(*new, "--missing", "-8", "--label", "state", "--save", save)
    assert said.exit_code == 0 and "Cells read as not known: '-8', '-9'." in said.output
    new[-1] = save
    assert asked() == [0, 0, 0, 0, 1]


def test_a_model_refuses_as_a_value_what_means_not_known(coded: str) -> None:
    refused = "age: '-9' came, which means \"not known\" to this model; skip it, or leave it out."
    for command in (["explain", coded, "age=-9"], ["ask", coded, "--known", "age=-9"]):
        with pytest.raises(InvalidValue, match=refused):
            call(*command, text="")
    assert refused in " ".join(call("ask", coded, text="-9\ns\nn\n").output.split())
    for value in (-9, "-9"):
        lines = call("ask", coded, "--json", text=json.dumps({"tell": {"age": value}})).stdout.splitlines()
        assert json.loads(lines[1]) == {"error": refused}
    assert call("explain", coded, "age=-8").exit_code == 0


def test_cases_without_labels_are_answered_and_teach_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "new.jsonl").write_text('{"fever": "yes", "age": 70}\n{"fever": "no", "age": 20}\n')
    save = tmp_path / "m.npz"
    done = call("run", str(tmp_path / "new.jsonl"), "--model", model(folder), "--records", "-", "--save", str(save))
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["predicted"] for line in said] == ["ill", "healthy"] and said[0]["label"] is None
    assert "nothing is learned" in done.stderr
    assert counts(save) == counts(folder / "model.npz")


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ("[loss.ill]\nhealthy = 400\n", "to call 'healthy' 'ill'"),
        ("[loss.sick]\nhealthy = 1\n", "'sick', which is no label"),
        ("[loss]\nill = 3\n", "section \\[loss.ill\\]"),
        ("loss = -1\n", "-1 came"),
        ("[prices]\nfever = 'dear'\n", "'price' is 'dear'"),
        ("[prices]\nfewer = 1\n", "'fewer', which is no column"),
        ("[prices]\nage = 1\n[features.age]\nprice = 2\n", "leave one of the two out"),
    ],
)
def test_prices_that_make_no_sense_are_refused(folder: Path, tmp_path: Path, toml: str, complaint: str) -> None:
    (tmp_path / "p.toml").write_text(toml)
    with pytest.raises(UfodtError, match=complaint):
        call("run", str(folder / "cases.csv"), "--label", "state", "--price", str(tmp_path / "p.toml"))


def test_a_right_answer_may_cost_something_too(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("[loss.ill]\nill = 100\nhealthy = 400\n[loss.healthy]\nill = 50\n")
    save = tmp_path / "m.npz"
    about = ["--label", "state", "--price", str(tmp_path / "p.toml"), "--save", str(save)]
    call("run", str(folder / "cases.csv"), *about)
    assert ufodt.load(save).problem.loss == ((0, 50), (400, 100))
    (tmp_path / "p.toml").write_text("[loss.ill]\nill = 100\nhealthy = 40\n[loss.healthy]\nill = 50\n")
    with pytest.raises(UfodtError, match="a wrong answer loses less than the right one"):
        call("run", str(folder / "cases.csv"), *about)


def test_one_number_is_the_loss_of_any_mistake(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("loss = 30\n")
    save = tmp_path / "m.npz"
    call("run", str(folder / "cases.csv"), "--label", "state", "--price", str(tmp_path / "p.toml"), "--save", str(save))
    assert ufodt.load(save).problem.loss == ((0, 30), (30, 0))


def test_a_line_that_is_no_object_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"a": 1, "y": 0}\n[1]\n')
    with pytest.raises(UfodtError, match="line 2"):
        call("run", str(tmp_path / "bad.jsonl"))


def test_the_help_says_what_a_mistake_is_worth() -> None:
    assert f"{ufodt.stop.default_worth:g} questions of the mean price" in " ".join(call("run", "--help").output.split())
