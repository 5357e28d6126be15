import { pythonClient } from '../support/python-client.ts'

export const duckdb = pythonClient({
  name: 'DuckDB httpfs',
  does: 'write Parquet (beyond 8 MiB, in parts), partitioned Parquet and CSV; read them back by name and by glob; digests of blobs; a missing key is an error',
  needs: "`ENDPOINT`, `URL_STYLE 'path'`, `USE_SSL false`, `REGION`",
  program: 'duckdb-session.py',
  large: 'table.parquet',
})
