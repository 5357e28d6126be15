/**
 * Paths of blobs: `blobs/ab/ab12…` for a complete blob, `tmp/ab12…` for one that is being written. Both are on one file
 * system, so that a rename moves a blob from `tmp` to `blobs`. An id is 32 hex digits; any other id is refused and
 * never becomes a path.
 */
import { join } from 'node:path'
import type { BlobId } from '@varve/core'

export interface BlobPaths {
  readonly blobs: string
  readonly temporary: string
  /** The 256 directories, `00` to `ff`. */
  readonly shards: readonly string[]
  shardOf(id: BlobId): string
  blobOf(id: BlobId): string
  temporaryOf(id: BlobId): string
}

export const shardNames: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'))

const idForm = /^[0-9a-f]{32}$/

export const isBlobId = (name: string): boolean => idForm.test(name)

/** @throws TypeError when the id is not 32 lower-case hex digits. */
export function assertBlobId(id: BlobId): void {
  if (!isBlobId(id)) throw new TypeError('A blob id is 32 lower-case hex digits.')
}

export function blobPaths(directory: string): BlobPaths {
  const blobs = join(directory, 'blobs')
  const temporary = join(directory, 'tmp')
  const shardOf = (id: BlobId) => {
    assertBlobId(id)
    return join(blobs, id.slice(0, 2))
  }
  return {
    blobs,
    temporary,
    shards: shardNames.map((name) => join(blobs, name)),
    shardOf,
    blobOf: (id) => join(shardOf(id), id),
    temporaryOf(id) {
      assertBlobId(id)
      return join(temporary, id)
    },
  }
}
