import { pythonClient } from '../support/python-client.ts'

export const arrow = pythonClient({
  name: 'Apache Arrow',
  does: 'S3FileSystem: write and read 20 MiB in parts, ranges, odd names, copy, move, list, delete; a partitioned Parquet data set written and read with a filter',
  needs: '`endpoint_override`, `scheme`, `force_virtual_addressing`; buckets by host name',
  program: 'arrow-session.py',
  large: 'large',
})
