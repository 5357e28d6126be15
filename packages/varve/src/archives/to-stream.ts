/** Writes an archive to a stream. */
import { once } from 'node:events'
import { StorageError } from '@varve/core'
import { BufferedSink } from './archive-file.ts'
import type { ByteSink } from './tar-writer.ts'

/**
 * The stream is left open.
 * @throws StorageError `IncompleteBody` if it is closed or ended too early; the error of the stream; the reason of `signal`
 */
export async function toStream<R>(
  target: NodeJS.WritableStream,
  { signal }: { readonly signal: AbortSignal | undefined },
  write: (sink: ByteSink) => Promise<R>,
): Promise<R> {
  const failed = new AbortController()
  const stopped = signal === undefined ? failed.signal : AbortSignal.any([failed.signal, signal])
  const fail = (error: unknown) => failed.abort(error)
  const end = () => failed.abort(closedEarly())
  // A stream that ended emits no `drain`, and need not emit `close`.
  target.on('error', fail).on('close', end).on('finish', end)
  try {
    const sink = new BufferedSink(async (bytes) => {
      stopped.throwIfAborted()
      if (hasEnded(target)) throw closedEarly()
      if (!target.write(bytes)) await once(target, 'drain', { signal: stopped }).catch(() => stopped.throwIfAborted())
    })
    const result = await write(sink)
    await sink.flush()
    stopped.throwIfAborted()
    return result
  } finally {
    target.removeListener('error', fail).removeListener('close', end).removeListener('finish', end)
  }
}

/** Streams that are not of Node may lack these properties. */
function hasEnded({ writable, writableEnded, destroyed }: EndedParts): boolean {
  return writable === false || writableEnded === true || destroyed === true
}

interface EndedParts {
  readonly writable?: boolean
  readonly writableEnded?: boolean
  readonly destroyed?: boolean
}

const closedEarly = (): StorageError =>
  new StorageError('IncompleteBody', 'The stream was closed before the archive was written.')
