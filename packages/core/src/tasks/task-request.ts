import type { Cancelable, Parted } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'

/** What a task was requested to do, as its event records it. @throws StorageError `InvalidArgument` if it is too long */
export function taskRequest({ onProgress: _onProgress, signal: _signal, ...request }: Parted & Cancelable): unknown {
  const text = JSON.stringify(request)
  if (encodeUtf8(text).length <= limits.taskRequestBytesMax) return JSON.parse(text)
  throw new StorageError('InvalidArgument', `The request has more than ${limits.taskRequestBytesMax} bytes.`, {
    details: { ArgumentName: 'request.keys' },
    hint: 'Choose fewer keys at a time, or a `prefix`.',
  })
}
