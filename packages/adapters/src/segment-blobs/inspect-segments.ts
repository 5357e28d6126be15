/** Segments of a store that is inspected without owning it: nothing is written, and missing files stay missing. */
import type { Divergence } from '@varve/core'
import { readableBlobs, type ReadableBlobs, namesIn } from '../blobs/readable-blobs.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { loadSegments, placesOf } from './open-segments.ts'
import type { PlaceTable } from './place-table.ts'
import { segmentPaths, sortNames } from './format/segment-paths.ts'
import { blobWindow } from './segment-window.ts'

/** What the segment files of a directory hold. */
export interface InspectedSegments {
  readonly blobs: ReadableBlobs
  /** Problems that the files themselves show: damage, leftovers, foreign files. */
  readonly divergences: readonly Divergence[]
}

/**
 * The blobs of a store made with `tieredBlobs` or `segmentBlobs`, including those in files of their own.
 * @throws StorageError `BlobFailed` when a segment cannot be read at all.
 */
export async function inspectSegments(directory: string, fs: FileSystem = nodeFileSystem): Promise<InspectedSegments> {
  const paths = segmentPaths(directory)
  return onMedium('BlobFailed', 'Looking into the segments', async () => {
    const { segments, leftovers, strangers } = sortNames(await namesIn(fs, paths.directory))
    const loaded = await loadSegments(fs, paths, segments)
    const damaged = loaded.flatMap(({ id, faults }) => faults.map((fault) => damage(id, fault)))
    const unsound = loaded.filter(({ indexDamaged }) => indexDamaged).map(({ id }) => damagedIndex(id))
    return {
      blobs: bothTiers(directory, fs, placesOf(loaded)),
      divergences: [...damaged, ...unsound, ...leftovers.map(leftover), ...strangers.map(stranger)],
    }
  })
}

function bothTiers(directory: string, fs: FileSystem, table: PlaceTable): ReadableBlobs {
  const files = readableBlobs(directory, fs)
  const paths = segmentPaths(directory)
  return {
    async open(id) {
      const place = table.at(id)
      if (place === undefined) return files.open(id)
      const file = await onMedium('BlobFailed', 'Opening a blob', () => fs.open(paths.segmentOf(place.segment), 'r'))
      return blobWindow({ file, release: () => file.close() }, place)
    },
    async *list() {
      yield* table.ids
      yield* files.list()
    },
  }
}

const damage = (id: string, fault: string): Divergence => ({
  kind: 'SegmentDamaged',
  message: `Something in a segment of blobs is not as it was written: ${fault}.`,
  key: `segments/${id}.segment`,
})

const damagedIndex = (id: string): Divergence => ({
  kind: 'SegmentDamaged',
  message: 'The index of a segment of blobs is damaged; the next opening makes it again.',
  key: `segments/${id}.index`,
})

const leftover = (name: string): Divergence => ({
  kind: 'Leftover',
  message: 'What an interrupted write left; the next opening removes it.',
  key: `segments/${name}`,
})

const stranger = (name: string): Divergence => ({
  kind: 'FileUnexpected',
  message: 'The store did not make this.',
  key: `segments/${name}`,
})
