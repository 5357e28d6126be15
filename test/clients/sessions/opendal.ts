import { pythonClient } from '../support/python-client.ts'

export const opendal = pythonClient({
  name: 'OpenDAL',
  does: 'write and read 20 MiB in parts, ranges, metadata, odd names, list, copy, remove; `if_not_exists`, `if_match` and `if_none_match` refused',
  needs: '`endpoint`, `region`',
  program: 'opendal-session.py',
  large: 'large',
})
