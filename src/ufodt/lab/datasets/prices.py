"""Real prices of medical measurements, in Canadian dollars.

Turney (1995), *Cost-sensitive classification*, JAIR 2, from the Ontario fee schedule. Measurements of
one group share a fixed part (one blood sample, one exercise stress run), so the next of the group is
cheaper. Keys are the names of our data sets and features.
"""

from collections.abc import Mapping
from dataclasses import replace

from ufodt.features import Priced

TURNEY_SOURCE = "Turney (1995), JAIR 2: Canadian dollars, Ontario fee schedule"

_ONE = Priced(price=1.00)
_EXERCISE = Priced(price=87.30, later_price=1.00, group="exercise")
_THALLIUM = Priced(price=102.90, later_price=1.00, group="thallium")


def _blood(price: float) -> Priced:
    """A test of blood; 2.10 of its price is for the sample, which later ones share."""
    return Priced(price=price, later_price=round(price - 2.10, 2), group="blood")


def _one_each(names: str) -> dict[str, Priced]:
    return dict.fromkeys(names.split(), _ONE)


TURNEY: Mapping[str, Mapping[str, Priced]] = {
    "cleveland": _one_each("age sex cp trestbps")
    | {
        "chol": _blood(7.27),
        "fbs": _blood(5.20),
        "restecg": Priced(price=15.50),
        "thalach": _THALLIUM,
        "exang": _EXERCISE,
        "oldpeak": _EXERCISE,
        "slope": _EXERCISE,
        "ca": Priced(price=100.90),
        "thal": _THALLIUM,
    },
    "pima": _one_each("pregnancies blood_pressure skin_thickness bmi diabetes_pedigree age")
    | {"glucose": _blood(17.61), "insulin": _blood(22.78)},
    "hepatitis": _one_each(
        "age sex steroid antivirals fatigue malaise anorexia liver_big liver_firm spleen_palpable "
        "spiders ascites varices histology"
    )
    | dict.fromkeys(("bilirubin", "alkaline_phosphatase", "sgot", "albumin"), _blood(7.27))
    | {"protime": _blood(8.30)},
    "bupa": dict.fromkeys(("mcv", "alkphos", "sgpt", "sgot"), _blood(7.27)) | {"gammagt": _blood(9.86)},
    "thyroid": _one_each(
        "age sex on_thyroxine query_on_thyroxine on_antithyroid_medication thyroid_surgery "
        "query_hypothyroid query_hyperthyroid pregnant sick tumor lithium goitre"
    )
    | {
        "TSH": _blood(22.78),
        "T3": _blood(11.41),
        "TT4": _blood(14.51),
        "T4U": _blood(11.41),
        # computed, so free once its inputs are known; otherwise the price of both in one sample
        "FTI": replace(_blood(14.51 + 9.31), computed_from=("TT4", "T4U")),
    },
}
