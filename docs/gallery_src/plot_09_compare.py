"""
Two tables, column by column
============================

Effect sizes with their intervals against the margin, from one comparison. A diamond is a column that differs.
"""

import twosample as ts
from twosample.demo import tables

c = ts.compare(*tables(), exclude=["ordered_at"])
c.plot()
print(c.headline)

# %%
# A single column: both distributions, and below them the witness with the band that chance alone would fill. Mean and
# variance of the delivery times are the same in both months.
c["delivery_days"].plot()
