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
  shardOf(id: BlobId): string
  blobOf(id: BlobId): string
  /** In the directory. */
  pathOf(id: BlobId): string
  temporaryOf(id: BlobId): string
}

/** The name of the directory of a blob: one of `00` to `ff`. */
export const shardName = (id: BlobId): string => id.slice(0, 2)

const shardForm = /^[0-9a-f]{2}$/

export const isShardName = (name: string): boolean => shardForm.test(name)

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
    return join(blobs, shardName(id))
  }
  return {
    blobs,
    temporary,
    shardOf,
    blobOf: (id) => join(shardOf(id), id),
    pathOf(id) {
      assertBlobId(id)
      return `blobs/${shardName(id)}/${id}`
    },
    temporaryOf(id) {
      assertBlobId(id)
      return join(temporary, id)
    },
  }
}
