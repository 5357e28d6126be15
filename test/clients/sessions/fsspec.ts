import { pythonClient } from '../support/python-client.ts'

export const fsspec = pythonClient({
  name: "fsspec's s3fs",
  does: 'write and read 20 MiB in parts, ranges, append, odd names, find, copy, move, remove; `mode="create"` and `xb` refused the second time; a mapping; a compressed file',
  needs: '`endpoint_url`, `client_kwargs` with the region',
  program: 'fsspec-session.py',
  large: 'large',
})
