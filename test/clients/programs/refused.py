"""What the sessions in Python share."""


def refused(by, ask):
    try:
        ask()
    except by:
        return
    raise AssertionError(f"not refused: {by}")
