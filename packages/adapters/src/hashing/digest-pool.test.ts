import { createHash } from 'node:crypto'
import type { DigestsBeside } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { DigestPool, type DigestPoolOptions } from './digest-pool.ts'
import { DigestThread, type ThreadEvents } from './digest-thread.ts'

const keptIdleMs = 100
const bytes = Buffer.alloc(1024 * 1024, 'bytes')
/** A second's work for a thread, and soon given: pages that were never written. */
const endless = Buffer.alloc(512 * 1024 * 1024)

/** A stream, as soon as a thread is free for it. */
async function opened(pool: DigestPool, threadsMax = 1): Promise<DigestsBeside> {
  let stream: DigestsBeside | undefined
  await expect.poll(() => (stream = pool.open(['MD5'], threadsMax)), { interval: 5, timeout: 20_000 }).toBeDefined()
  return stream as DigestsBeside
}

async function md5Of(stream: DigestsBeside, bytes: Uint8Array): Promise<string> {
  await stream.update(bytes)
  return Buffer.from((await stream.finish()).get('MD5') ?? []).toString('hex')
}

describe('the threads of a process', () => {
  it('are started when there is work, which does not wait for them, and end when there is none', async () => {
    const pool = new DigestPool({ keptIdleMs })
    expect(pool.open(['MD5'], 0)).toBeUndefined()
    expect(pool.size).toBe(0)
    expect(pool.open(['MD5'], 1)).toBeUndefined()
    expect(pool.size).toBe(1)
    const stream = await opened(pool)
    await new Promise((resolve) => setTimeout(resolve, 2 * keptIdleMs))
    expect(pool.size).toBe(1)
    expect(await md5Of(stream, bytes)).toBe(createHash('md5').update(bytes).digest('hex'))
    await expect.poll(() => pool.size).toBe(0)
  })

  it('are joined by another only when those that are there have more than they can do', async () => {
    const pool = new DigestPool({ keptIdleMs })
    const [first, second] = [await opened(pool, 2), await opened(pool, 2)]
    expect(pool.size).toBe(1)
    const much = first.update(endless)
    expect(pool.open(['MD5'], 1)).toBeUndefined()
    expect(pool.size).toBe(1)
    expect(pool.open(['MD5'], 2)).toBeUndefined()
    expect(pool.size).toBe(2)
    for (const stream of [first, second]) stream.abandon()
    await expect(much).rejects.toMatchObject({ code: 'InternalError' })
  })

  it('are replaced when they die, and what they had fails', async () => {
    const threads: DigestThread[] = []
    const start = (events: ThreadEvents) => {
      const thread = new DigestThread(events)
      threads.push(thread)
      return thread
    }
    const pool = new DigestPool({ start })
    const stream = await opened(pool)
    await threads[0]?.end()
    await expect(stream.finish()).rejects.toMatchObject({ name: 'StorageError', code: 'InternalError' })
    expect(pool.size).toBe(0)
    const next = await opened(pool)
    expect(await md5Of(next, bytes)).toBe(createHash('md5').update(bytes).digest('hex'))
    expect(threads).toHaveLength(2)
    await threads[1]?.end()
  })

  it.each<[string, NonNullable<DigestPoolOptions['start']>]>([
    [
      'are not allowed',
      () => {
        throw new Error('ERR_ACCESS_DENIED')
      },
    ],
    [
      'die before they are ready',
      (events) => {
        const thread = new DigestThread({ ...events, onReady: () => undefined })
        void thread.end()
        return thread
      },
    ],
  ])('are done without where they %s', async (_, start) => {
    let tried = 0
    const counted: typeof start = (events) => {
      tried++
      return start(events)
    }
    const pool = new DigestPool({ keptIdleMs, start: counted })
    expect(pool.open(['MD5'], 1)).toBeUndefined()
    await expect.poll(() => pool.size).toBe(0)
    expect(pool.open(['MD5'], 1)).toBeUndefined()
    expect([pool.size, tried]).toEqual([0, 1])
  })
})
