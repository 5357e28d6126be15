/** What is in one segment: by its index, or by looking where there is none that is sound. */
import { allowing } from '../files/errno.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { decodeIndex, type SegmentContents } from './format/index-format.ts'
import { readUpTo } from '../files/read-up-to.ts'
import { headerBytes, isSegmentHeader } from './format/record-format.ts'
import { scanSegment } from './scan-segment.ts'
import type { SegmentId, SegmentPaths } from './format/segment-paths.ts'

export interface LoadedSegment extends SegmentContents {
  readonly id: SegmentId
  /** There is a sound index: nothing that was acknowledged in here can be undone by a power cut. */
  readonly indexed: boolean
  /** Of the file. */
  readonly size: number
  /** What is wrong with it, in words; its index is another matter. */
  readonly faults: readonly string[]
  readonly indexDamaged: boolean
}

/** @throws what the file system throws. */
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

/** `undefined` when there is none. */
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
    // What it lists takes up at least as many bytes of the segment.
    if (size > Math.max(segmentSize, headerBytes)) return { contents: undefined }
    return { contents: decodeIndex(await readUpTo(file, 0, size), id) }
  } finally {
    await file.close().catch(() => undefined)
  }
}
