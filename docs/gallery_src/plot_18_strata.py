"""
Another mix is not another behaviour
====================================

February has more weekends, and weekends have larger orders. Within weekdays and within weekends nothing has changed:
without strata the tables differ, with strata they do not, and the mix is a finding of its own.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(0)


def month(share_of_weekends, rows=3000):
    weekend = rng.random(rows) < share_of_weekends
    return {"day": np.where(weekend, "weekend", "weekday"), "order": rng.gamma(3, np.where(weekend, 20, 10), rows)}


january, february = month(0.25), month(0.45)
plain = ts.compare(january, february, select=["order"])
fair = ts.compare(january, february, by="day")
fig, axes = plt.subplots(1, 2, figsize=(10, 3.4), sharey=True)
plain["order"].plot(ax=axes[0])
fair["order"].plot(ax=axes[1])
axes[0].set_title(f"As they are: {plain['order'].verdict}")
axes[1].set_title(f"With one mix of days: {fair['order'].verdict}")
