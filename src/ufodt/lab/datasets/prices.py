"""Real prices of medical measurements, in Canadian dollars.

Turney (1995), *Cost-sensitive classification*, JAIR 2, from the Ontario fee schedule. Measurements of
one group share a fixed part (one blood sample, one exercise stress run), so the next of the group is
cheaper. Keys are the names of our data sets and features.
"""

from collections.abc import Mapping

from ufodt.lab.datasets.dataset import Price

TURNEY_SOURCE = "Turney (1995), JAIR 2: Canadian dollars, Ontario fee schedule"

_ONE = Price(1.00)
_BLOOD = Price(7.27, 5.17, "blood")
_EXERCISE = Price(87.30, 1.00, "exercise")
_THALLIUM = Price(102.90, 1.00, "thallium")


def _one_each(names: str) -> dict[str, Price]:
    return dict.fromkeys(names.split(), _ONE)


TURNEY: Mapping[str, Mapping[str, Price]] = {
    "cleveland": _one_each("age sex cp trestbps")
    | {
        "chol": _BLOOD,
        "fbs": Price(5.20, 3.10, "blood"),
        "restecg": Price(15.50),
        "thalach": _THALLIUM,
        "exang": _EXERCISE,
        "oldpeak": _EXERCISE,
        "slope": _EXERCISE,
        "ca": Price(100.90),
        "thal": _THALLIUM,
    },
    "pima": _one_each("pregnancies blood_pressure skin_thickness bmi diabetes_pedigree age")
    | {"glucose": Price(17.61, 15.51, "blood"), "insulin": Price(22.78, 20.68, "blood")},
    "hepatitis": _one_each(
        "age sex steroid antivirals fatigue malaise anorexia liver_big liver_firm spleen_palpable "
        "spiders ascites varices histology"
    )
    | dict.fromkeys(("bilirubin", "alkaline_phosphatase", "sgot", "albumin"), _BLOOD)
    | {"protime": Price(8.30, 6.20, "blood")},
    "bupa": dict.fromkeys(("mcv", "alkphos", "sgpt", "sgot"), _BLOOD) | {"gammagt": Price(9.86, 7.76, "blood")},
    "thyroid": _one_each(
        "age sex on_thyroxine query_on_thyroxine on_antithyroid_medication thyroid_surgery "
        "query_hypothyroid query_hyperthyroid pregnant sick tumor lithium goitre"
    )
    | {
        "TSH": Price(22.78, 20.68, "blood"),
        "T3": Price(11.41, 9.31, "blood"),
        "TT4": Price(14.51, 12.41, "blood"),
        "T4U": Price(11.41, 9.31, "blood"),
        # computed, so free once its inputs are known; otherwise the price of both in one sample
        "FTI": Price(14.51 + 9.31, 12.41 + 9.31, "blood", ("TT4", "T4U")),
    },
}
