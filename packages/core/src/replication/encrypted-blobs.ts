/** The blobs of a replica that is encrypted, as they are without that. */
import { StorageError } from '../base/errors.ts'
import type { BlobHandle, BlobId, BlobStore, ByteSource } from '../ports/index.ts'
import { plainBytesIn, type ReplicaCipher } from './replica-cipher.ts'

export function encryptedBlobs(blobs: BlobStore, cipher: ReplicaCipher): BlobStore {
  const { replace } = blobs
  return {
    async write(id, source, signal) {
      const counted = new CountedBytes(source)
      await blobs.write(id, cipher.seal(id, counted.bytes()), signal)
      return counted.size
    },
    ...(replace && {
      async replace(id: BlobId, source: () => ByteSource, signal?: AbortSignal) {
        let counted: CountedBytes | undefined
        await replace.call(blobs, id, () => cipher.seal(id, (counted = new CountedBytes(source())).bytes()), signal)
        return counted?.size ?? 0
      },
    }),
    open: async (id) => opened(await blobs.open(id), id, cipher),
    delete: (ids) => blobs.delete(ids),
    list: () => blobs.list(),
    discardUnfinished: () => blobs.discardUnfinished(),
    close: () => blobs.close(),
  }
}

class CountedBytes {
  readonly #source: ByteSource
  size = 0

  constructor(source: ByteSource) {
    this.#source = source
  }

  async *bytes(): ByteSource {
    for await (const bytes of this.#source) {
      this.size += bytes.length
      yield bytes
    }
  }
}

async function opened(handle: BlobHandle, id: BlobId, cipher: ReplicaCipher): Promise<BlobHandle> {
  const size = plainBytesIn(handle.size)
  if (size === undefined) {
    await handle.close()
    throw cutOff(id)
  }
  const reader = cipher.reader(id, handle.size, async ({ start, end }) => {
    const bytes = new Uint8Array(end - start)
    await handle.read(bytes, start)
    return bytes
  })
  return {
    size,
    async read(into, start) {
      if (!Number.isSafeInteger(start) || start < 0)
        throw new TypeError('The offset must be a whole number, 0 or more.')
      const end = start + into.length
      if (end > size) throw new StorageError('BlobFailed', `The blob has ${size} bytes, and not ${end}.`)
      const bytes = await reader.read({ start, end })
      into.set(bytes ?? [])
    },
    close: () => handle.close(),
  }
}

const cutOff = (blob: BlobId): StorageError =>
  new StorageError('BlobCorrupt', 'The bytes of this object are damaged (size).', { details: { blob, kind: 'size' } })
