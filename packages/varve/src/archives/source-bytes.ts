/** The bytes of an archive that is read. */
import { checkedBytes } from '@varve/core'
import { file } from '../bodies/file.ts'
import type { ArchiveSource } from './archive-arguments.ts'

export const bytesOf = (source: ArchiveSource): AsyncIterable<Uint8Array> =>
  typeof source === 'string' ? file(source) : source

/**
 * Ends with the reason of the signal, at the next chunk.
 * @throws StorageError `InvalidArgument` for a chunk that is no bytes, or an iterator that is none
 */
export async function* abortable(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of checkedBytes('from', source)) {
    signal?.throwIfAborted()
    yield chunk
  }
}
