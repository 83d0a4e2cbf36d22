"""The faults, one module for each part of the engine they are put into."""

from tests.mutation.faults import plans, records, recovery, steps

FAULTS = (*steps.FAULTS, *plans.FAULTS, *recovery.FAULTS, *records.FAULTS)
