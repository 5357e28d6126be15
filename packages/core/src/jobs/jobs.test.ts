import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine, openForMaintenance } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

let ports: MemoryPorts
let store: Store

const job = (name: string) => store.jobs.find((one) => one.name === name)

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})
afterEach(() => store.close())

describe('the jobs of a store', () => {
  it('are listed before they ever ran', () => {
    const names = store.jobs.map(({ name }) => name)
    expect(names).toEqual(['erasure', 'deleted-buckets', 'orphans', 'lifecycle', 'scrub', 'tasks'])
    expect(job('scrub')).toEqual({ name: 'scrub' })
  })

  it('show the last run of each, and a lease only while it runs', async () => {
    let during: unknown
    await store.scrub({ onProgress: () => (during = job('scrub')?.lease?.since) })
    expect(during).toBeInstanceOf(Date)
    expect(job('scrub')).toEqual({
      name: 'scrub',
      lastRun: { startedAt: expect.any(Date), endedAt: expect.any(Date) },
    })
    await store.applyLifecycle()
    await store.sweep({ orphans: true })
    for (const name of ['lifecycle', 'erasure', 'deleted-buckets', 'orphans']) {
      expect(job(name)?.lastRun).toBeDefined()
      expect(job(name)?.lastError).toBeUndefined()
    }
  })

  it('keep the last error, which a later success does not remove', async () => {
    const { list } = ports.blobs
    ports.blobs.list = () => {
      throw new Error('the directory is gone')
    }
    await expect(store.sweep({ orphans: true })).rejects.toThrow('the directory is gone')
    ports.blobs.list = list
    await store.sweep({ orphans: true })
    expect(job('orphans')?.lastError).toMatchObject({
      at: expect.any(Date),
      error: { code: 'BlobFailed', cause: { message: 'the directory is gone' } },
    })
  })

  it('end when the store closes, which is no error of theirs', async () => {
    let isAborted = false
    const scrub = store.scrub({
      onProgress() {
        void store.close()
        isAborted = true
      },
    })
    const ended = await scrub.catch((error: unknown) => error)
    expect(isAborted).toBe(true)
    expect(ended).toMatchObject({ code: 'StoreClosed' })
    await store.close()
    expect(job('scrub')?.lease).toBeUndefined()
    expect(job('scrub')?.lastError).toBeUndefined()
  })

  it('do not include work that the store was opened without', async () => {
    const other = await openForMaintenance(memoryPorts())
    expect(await codeOf(other.applyLifecycle())).toBe('InvalidRequest')
    expect(other.jobs.every(({ lastRun }) => lastRun === undefined)).toBe(true)
    await other.close()
  })
})

describe('background work', () => {
  it('begins when the store is ready, gets a signal when it closes, and is awaited', async () => {
    const steps: string[] = []
    const opened = await openEngine(
      memoryPorts(),
      {},
      {
        ready: async () => void steps.push('ready'),
        background: [
          async (_store, { signal }) => {
            steps.push('began')
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
            await Promise.resolve()
            steps.push('ended')
          },
        ],
        closePorts: async () => void steps.push('closed'),
      },
    )
    await opened.close()
    expect(steps).toEqual(['ready', 'began', 'ended', 'closed'])
  })

  it('never begins where getting ready failed', async () => {
    const steps: string[] = []
    const opening = openEngine(
      memoryPorts(),
      {},
      {
        ready: () => Promise.reject(new Error('not ready')),
        background: [async () => void steps.push('began')],
      },
    )
    await expect(opening).rejects.toThrow('not ready')
    expect(steps).toEqual([])
  })

  it('closes the ports also when closing the store failed', async () => {
    let closed = false
    const failing = memoryPorts()
    const opened = await openEngine(
      { ...failing, witness: { read: async () => undefined, write: () => Promise.reject(new Error('no witness')) } },
      {},
      { closePorts: async () => void (closed = true) },
    )
    await opened.buckets.create('box')
    await opened.close().catch(() => undefined)
    expect(closed).toBe(true)
  })
})
