/** Reads the content of one segment from its index, or by a scan if there is no undamaged index. */
import { allowing } from '../files/errno.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { decodeIndex, type SegmentContents } from './format/index-format.ts'
import { readUpTo } from '../files/read-up-to.ts'
import { headerBytes, isSegmentHeader } from './format/record-format.ts'
import { scanSegment } from './scan-segment.ts'
import type { SegmentId, SegmentPaths } from './format/segment-paths.ts'

export interface LoadedSegment extends SegmentContents {
  readonly id: SegmentId
  /** Whether there is an undamaged index. Then a power cut cannot undo anything acknowledged in this segment. */
  readonly indexed: boolean
  /** The size of the file in bytes. */
  readonly size: number
  /** Descriptions of the damage in the segment, without that of its index. */
  readonly faults: readonly string[]
  readonly indexDamaged: boolean
}

/** @throws the errors of the file system. */
export async function loadSegment(fs: FileSystem, paths: SegmentPaths, id: SegmentId): Promise<LoadedSegment> {
  const file = await fs.open(paths.segmentOf(id), 'r')
  try {
    const { size } = await file.stat()
    const index = await readIndex(fs, paths, id, size)
    const contents = index?.contents ?? (await scanSegment(file, id, size))
    const faults = [
      ...(isSegmentHeader(await readUpTo(file, 0, headerBytes), id) ? [] : ['its header is damaged']),
      ...(contents.end > size ? [`it was cut off at ${size}`] : []),
      ...contents.gaps.map(({ from, to }) => `nothing can be read from ${from} to ${to}`),
    ]
    const indexed = index?.contents !== undefined
    return { ...contents, id, size, indexed, indexDamaged: index !== undefined && !indexed, faults }
  } finally {
    await file.close().catch(() => undefined)
  }
}

/** `undefined` when there is no index. */
async function readIndex(
  fs: FileSystem,
  paths: SegmentPaths,
  id: SegmentId,
  segmentSize: number,
): Promise<{ readonly contents: SegmentContents | undefined } | undefined> {
  let file: OpenFile | undefined
  await allowing('ENOENT', async () => {
    file = await fs.open(paths.indexOf(id), 'r')
  })
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat()
    // The records that an index lists take at least as many bytes in the segment.
    if (size > Math.max(segmentSize, headerBytes)) return { contents: undefined }
    return { contents: decodeIndex(await readUpTo(file, 0, size), id) }
  } finally {
    await file.close().catch(() => undefined)
  }
}
