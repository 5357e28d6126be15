import { pythonClient } from '../support/python-client.ts'

export const deltalake = pythonClient({
  name: 'Delta Lake',
  does: 'create, append, 16 appends at once that each get a version (`If-None-Match: *`), an older version, update, delete, merge, checkpoint, compact, vacuum; 20 MiB in parts',
  needs: '`AWS_ENDPOINT_URL`, `AWS_ALLOW_HTTP`, `aws_conditional_put = etag`',
  program: 'deltalake-session.py',
  large: 'large/',
})
