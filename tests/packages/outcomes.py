"""What the suites here count, and how they say it: one line for each test, and a sum at the end."""

counts = {"passed": 0, "failed": 0, "skipped": 0}


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def attempt(name, body, *arguments):
    """Runs one test. One that fails does not end the others."""
    try:
        body(*arguments)
    except Exception as error:
        counts["failed"] += 1
        print(f"FAILED: {name}: {error}")
        return
    counts["passed"] += 1
    print(f"ok: {name}")


def skip(name, why):
    counts["skipped"] += 1
    print(f"skipped, because {why}: {name}")


def summary():
    """Prints the sum; returns the suite's exit status."""
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}")
    return 1 if counts["failed"] else 0
