/** The bytes of an archive that is read. */
import { isUint8Array } from 'node:util/types'
import { StorageError } from '@varve/core'
import { file } from '../bodies/file.ts'
import type { ArchiveSource } from './archive-arguments.ts'

export const bytesOf = (source: ArchiveSource): AsyncIterable<Uint8Array> =>
  typeof source === 'string' ? file(source) : source

/** Ends with the reason of the signal, at the next chunk. @throws StorageError `InvalidArgument` for a chunk that is no bytes */
export async function* abortable(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source as AsyncIterable<unknown>) {
    signal?.throwIfAborted()
    if (!isUint8Array(chunk)) throw notBytes(chunk)
    yield chunk
  }
}

const notBytes = (chunk: unknown): StorageError =>
  new StorageError(
    'InvalidArgument',
    `The stream of the archive has a chunk of type ${typeof chunk}, not a Uint8Array.`,
    {
      details: { ArgumentName: 'from' },
    },
  )
