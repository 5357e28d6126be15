/** The keys of a blob store below its prefix: `blobs/` and the id for each blob, and one marker of the store. */
import type { BlobId } from '@varve/core'
import { assertBlobId, isBlobId } from '../blobs/blob-paths.ts'

export interface BlobKeys {
  /** What all keys of the store begin with: empty, or with a slash at its end. */
  readonly prefix: string
  readonly marker: string
  /** What the keys of all blobs begin with. */
  readonly blobs: string
  /** @throws TypeError when the id is not 32 lower-case hex digits */
  keyOf(id: BlobId): string
  /** `undefined` if the key is not one of a blob. */
  idOf(key: string | undefined): BlobId | undefined
}

export function blobKeys(given: string): BlobKeys {
  const prefix = given === '' || given.endsWith('/') ? given : `${given}/`
  const blobs = `${prefix}blobs/`
  return {
    prefix,
    blobs,
    marker: `${prefix}varve-blobs.json`,
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
