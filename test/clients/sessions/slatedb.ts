import { pythonClient } from '../support/python-client.ts'

export const slatedb = pythonClient({
  name: 'SlateDB',
  does: 'a database of 20 MiB and 1,000 rows: put, batch, delete, scan, a reader beside it, a second writer that fences the first (`If-None-Match: *`), opened anew',
  needs: '`AWS_ENDPOINT`, `AWS_ALLOW_HTTP`',
  program: 'slatedb-session.py',
  large: 'of session/compacted/',
})
