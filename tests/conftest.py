"""Settings for all tests."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "project", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")
