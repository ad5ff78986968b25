# What the guard heap costs beside electric-fence and duma; see fences.sh.
BENCHES += bench-fences

bench-fences: build
	@sh tests/bench/fences.sh $(BUILD)
