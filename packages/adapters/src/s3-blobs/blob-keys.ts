/** The keys of a blob store below its prefix: `blobs/` and the id for each blob, one marker of the store, and the witness of its log. */
import { type BlobId, StorageError } from '@varve/core'
import { assertBlobId, isBlobId } from '../blobs/blob-paths.ts'

export interface BlobKeys {
  /** What all keys of the store begin with: empty, or with a slash at its end. */
  readonly prefix: string
  readonly marker: string
  /** The end of the log that names the blobs. */
  readonly witness: string
  /** What the keys of all blobs begin with. */
  readonly blobs: string
  /** @throws TypeError when the id is not 32 lower-case hex digits */
  keyOf(id: BlobId): string
  /** `undefined` if the key is not one of a blob. */
  idOf(key: string | undefined): BlobId | undefined
}

/** Listings in XML cannot carry control characters, and servers on files take some segments for directories. */
const isPlain = (prefix: string): boolean =>
  /^[ -~]*$/.test(prefix) && !prefix.includes('\\') && !/(^|\/)\.{0,2}\//.test(prefix)

/** @throws StorageError `InvalidArgument` */
export function blobKeys(given: string): BlobKeys {
  const prefix = given === '' || given.endsWith('/') ? given : `${given}/`
  if (!isPlain(prefix)) {
    const message = 'A prefix has printable ASCII characters, no backslash, and no empty segment, "." or "..".'
    throw new StorageError('InvalidArgument', message, { details: { ArgumentName: 'options.prefix' } })
  }
  const blobs = `${prefix}blobs/`
  return {
    prefix,
    blobs,
    marker: `${prefix}varve-blobs.json`,
    witness: `${prefix}varve-witness.json`,
    keyOf(id) {
      assertBlobId(id)
      return blobs + id
    },
    idOf(key) {
      if (key === undefined || !key.startsWith(blobs)) return undefined
      const id = key.slice(blobs.length)
      return isBlobId(id) ? id : undefined
    },
  }
}
