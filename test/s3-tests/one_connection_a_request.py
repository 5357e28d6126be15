"""A pytest plugin: opens a connection for each request, because a balancer of connections gives the next one to the next server."""

from urllib3.connectionpool import HTTPConnectionPool

keep = HTTPConnectionPool._put_conn


def close(pool, connection):
    if connection is not None:
        connection.close()
    keep(pool, None)


def pytest_configure(config):
    HTTPConnectionPool._put_conn = close
