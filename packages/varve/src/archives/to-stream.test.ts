/** Archives that are written to streams which end, break or stop taking bytes. */
import { PassThrough, Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from '../store/memory-store.ts'
import type { Store } from '@varve/core'
import { exportArchive, exportStore } from './archives.ts'

let store: Store

beforeEach(async () => {
  store = await memoryStore()
  await store.buckets.create('photos')
  await store.objects.put('photos', 'large', Buffer.alloc(3_000_000))
})
afterEach(() => store.close())

/** Takes the first bytes, and never says that it is ready for more. */
const stalled = () => new Writable({ highWaterMark: 1, write() {} })

const calls = [
  {
    name: 'a bucket',
    run: (to: Writable, signal?: AbortSignal) => exportArchive(store, to, { bucket: 'photos', signal }),
  },
  { name: 'a store', run: (to: Writable, signal?: AbortSignal) => exportStore(store, to, { signal }) },
]

describe.each(calls)('an export of $name', ({ run }) => {
  it('ends with an error for a stream that was closed or ended before', async () => {
    const destroyed = new PassThrough()
    destroyed.destroy()
    await expect(run(destroyed)).rejects.toMatchObject({ code: 'IncompleteBody' })
    const ended = new PassThrough().end()
    await expect(run(ended)).rejects.toMatchObject({ code: 'IncompleteBody' })
  })

  it('ends with an error for a stream that ends while the export waits, even if it does not close', async () => {
    const target = new Writable({
      highWaterMark: 1,
      autoDestroy: false,
      emitClose: false,
      write(_bytes, _encoding, done) {
        target.end()
        setImmediate(done)
      },
    })
    await expect(run(target)).rejects.toMatchObject({ code: 'IncompleteBody' })
  })

  it('ends with the reason of its signal while a stream takes no more bytes, and keeps no listener', async () => {
    const target = stalled()
    const stop = new AbortController()
    const running = run(target, stop.signal)
    setTimeout(() => stop.abort(new Error('stopped')), 20)
    await expect(running).rejects.toThrow('stopped')
    expect(['error', 'close', 'finish', 'drain'].map((name) => target.listenerCount(name))).toEqual([0, 0, 0, 0])
    const { pending } = await store.erase({ bucket: 'photos', key: 'large', live: true })
    expect(pending).toBe(0)
  })
})
