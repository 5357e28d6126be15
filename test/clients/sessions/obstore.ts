import { pythonClient } from '../support/python-client.ts'

export const obstore = pythonClient({
  name: 'obstore',
  does: 'put and get 20 MiB in parts, ranges, a suffix, attributes, odd names, list in pages, copy, rename, delete, a presigned GET; creation refused the second time, update by ETag, conditional reads',
  needs: '`endpoint`, `client_options = {"allow_http": True}`',
  program: 'obstore-session.py',
  large: 'large',
})
