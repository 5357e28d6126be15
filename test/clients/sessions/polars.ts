import { pythonClient } from '../support/python-client.ts'

export const polars = pythonClient({
  name: 'Polars',
  does: 'write and read Parquet (beyond 8 MiB, in parts), partitioned Parquet with a filter, CSV, Arrow IPC and JSON lines; a missing key is an error',
  needs: '`aws_endpoint_url`, `aws_region`, `aws_allow_http`',
  program: 'polars-session.py',
  large: 'table.parquet',
})
