# Benchmarks: `make bench' prints what each measures.
bench: all
