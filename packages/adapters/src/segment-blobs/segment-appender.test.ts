import { mkdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { randomIds } from '../system/random-ids.ts'
import { headerBytes } from './format/record-format.ts'
import { segmentPaths } from './format/segment-paths.ts'
import { SegmentAppender } from './segment-appender.ts'
import { SegmentDirectory } from './segment-directory.ts'
import { createTieredDirectories } from './tiered-blobs.ts'

const scratch = scratchDirectory()

/** More than the promise jobs between the end of a write and the end of the work that made it. */
const jobsMax = 12

describe('the appender of segments', () => {
  it('writes a record that comes however soon after the answer to the last', async () => {
    const directory = scratch.next()
    await mkdir(directory)
    await createTieredDirectories(directory)
    const appender = new SegmentAppender({
      directory: new SegmentDirectory(nodeFileSystem, segmentPaths(directory), randomIds),
      reserve: undefined,
      segmentBytes: 1024 * 1024,
      onSealed: () => undefined,
    })
    const placed: number[] = []
    const append = (n: number) =>
      appender.append(n.toString(16).padStart(32, '0'), Buffer.alloc(headerBytes + 1), () => placed.push(n))
    for (let jobs = 0; jobs < jobsMax; jobs++) {
      const first = append(2 * jobs)
      let second: Promise<void> | undefined
      await first.then(async () => {
        for (let job = 0; job < jobs; job++) await Promise.resolve()
        second = append(2 * jobs + 1)
      })
      await second
    }
    expect(placed).toHaveLength(2 * jobsMax)
    await appender.close()
  })
})
