"""The parts of bench_warm.py: what a warm start and a drained end cost or save, measured."""
