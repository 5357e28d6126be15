import { beforeEach, describe, expect, it } from 'vitest'
import { memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { StorageError } from '../base/errors.ts'
import { handOver, isAtRest, openedParts } from './hand-over.ts'
import { moveLog } from './move-log.ts'
import type { LogMove, LogMoved } from './places.ts'

let from: MemoryPorts
let into: MemoryPorts
let store: Store
let next: Store | undefined
const options = { inlineMax: 8, retentionMs: 0 } as const

beforeEach(async () => {
  from = memoryPorts()
  into = memoryPorts()
  into.journal.exclusive = false
  from.journal.exclusive = true
  next = undefined
  store = await openEngine(from, options)
  await store.buckets.create('box')
  await store.buckets.setVersioning('box', 'Enabled')
})

const closedMove = (): LogMove => ({
  from: { name: 'the cellar', journal: from.journal, blobs: from.blobs },
  into: { name: 'the attic', journal: into.journal, blobs: into.blobs },
  hashing: from.hashing,
  ids: from.ids,
})

interface Moving extends Pick<LogMove, 'onDeparted'> {
  /** Called while the store commits nothing, before the end of the move. */
  within?(): Promise<unknown>
}

/** Moves the open store, which goes on elsewhere. */
const moveOpen = ({ within = async () => undefined, onDeparted }: Moving = {}): Promise<LogMoved> =>
  moveLog({
    ...closedMove(),
    ...(onDeparted && { onDeparted }),
    from: {
      name: 'the cellar',
      ...openedParts(store),
      async fence(end) {
        await handOver(store, async () => {
          await within()
          expect(await end()).toBe(true)
          // Ids are never given twice.
          next = await openEngine({ ...into, ids: from.ids }, options)
          return next
        })
        return true
      },
    },
  })

const there = (): Store => next as Store

/** Writes without a pause, and knows what was acknowledged. */
function writer(name: string, size: number) {
  const written = new Map<string, string>()
  let isStopped = false
  const work = async (): Promise<void> => {
    for (let n = 0; !isStopped; n++) {
      const key = `${name}${n}`
      const { versionId } = await store.objects.put('box', key, name.repeat(size))
      written.set(key, versionId)
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  const ended = work()
  return {
    written,
    async stop() {
      isStopped = true
      await ended
    },
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

async function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

describe('an open store that is moved', () => {
  it('goes on in the other place, with all that was acknowledged before and after', async () => {
    const writers = [writer('a', 3), writer('b', 3000)]
    await pause()
    const moved = await moveOpen({ within: pause })
    await pause()
    for (const each of writers) await each.stop()
    expect(moved.hashes.from).toBe(moved.hashes.into)
    expect(moved.hashes.from).not.toBe('')
    expect(there().seq).toBeGreaterThan(moved.head)
    for (const { written } of writers)
      for (const [key, versionId] of written)
        expect(await (await there().objects.get('box', key, { versionId })).text()).toMatch(/^(aaa|b{3000})$/)
    expect((await there().verify()).divergences).toEqual([])
    await expect(openEngine(from, options)).rejects.toMatchObject({ details: { kind: 'departed', peer: 'the attic' } })
    expect(isAtRest(store)).toBe(true)
    await store.close()
    await there().close()
  })

  it('takes bodies that began before it was moved', async () => {
    const { open, opened } = await gate()
    async function* body() {
      yield new Uint8Array(5000).fill(120)
      await opened
      yield new Uint8Array(10).fill(120)
    }
    const putting = store.objects.put('box', 'long', body())
    await pause()
    await moveOpen()
    expect(isAtRest(store)).toBe(false)
    open()
    await putting
    expect(await (await there().objects.get('box', 'long')).text()).toBe('x'.repeat(5010))
    expect((await there().verify()).divergences).toEqual([])
    await there().sweep({ orphans: true })
    expect(await (await there().objects.get('box', 'long')).text()).toBe('x'.repeat(5010))
    await store.close()
    await there().close()
  })

  it('leaves nothing of bodies that are refused', async () => {
    await store.objects.put('box', 'key', 'x')
    await moveOpen()
    const refused = store.objects.put('box', 'key', 'y'.repeat(100), { ifNoneMatch: '*' })
    await expect(refused).rejects.toMatchObject({ code: 'PreconditionFailed' })
    await expect.poll(() => into.blobs.bytes.size).toBe(0)
    await store.close()
    await there().close()
  })

  it('ends reads where they began, and refuses transactions, jobs and rows beside the log', async () => {
    await store.objects.put('box', 'read', 'r'.repeat(100))
    const content = await store.objects.get('box', 'read')
    const keyspace = await store.keyspaces.open('counts', { version: 1 })
    const doing = store.transaction(async (tx) => {
      await tx.objects.put('box', 'in it', 'x')
      if (next === undefined) await moveOpen()
    })
    await expect(doing).rejects.toMatchObject({ code: 'TransactionConflict' })
    expect(await content.text()).toBe('r'.repeat(100))
    await expect(keyspace.clear()).rejects.toMatchObject({ code: 'StoreClosed' })
    await expect(store.applyLifecycle()).resolves.toBeDefined()
    await store.close()
    await there().close()
  })

  it('stays where it is if the end of the move fails, and what waited is written there', async () => {
    const { open, opened } = await gate()
    const within = async () => {
      await opened
      throw new StorageError('JournalFailed', 'Cut.')
    }
    const failing = moveOpen({ within })
    failing.catch(() => undefined)
    await pause()
    const putting = store.objects.put('box', 'waits', 'w')
    expect(await Promise.race([putting.then(() => 'done'), pause().then(() => 'waits')])).toBe('waits')
    open()
    await expect(failing).rejects.toMatchObject({ code: 'JournalFailed' })
    await putting
    await expect(openEngine(into, options)).rejects.toMatchObject({ details: { kind: 'arriving' } })
    await moveOpen()
    expect(await (await there().objects.get('box', 'waits')).text()).toBe('w')
    await store.close()
    await there().close()
  })

  it('is in no place that takes writes if the end of the move is cut between its two rows, until the move goes on', async () => {
    const { commit } = into.journal
    await store.objects.put('box', 'key', 'x'.repeat(100))
    let departed = false
    into.journal.commit = (batch) =>
      departed ? Promise.reject(new StorageError('JournalFailed', 'Cut.')) : commit.call(into.journal, batch)
    const failing = moveOpen({ onDeparted: () => (departed = true) })
    await expect(failing).rejects.toMatchObject({ code: 'JournalFailed' })
    store.owner.fail(new Error('Moved.'))
    await store.close()
    into.journal.commit = commit
    await expect(openEngine(from, options)).rejects.toMatchObject({ details: { kind: 'departed', peer: 'the attic' } })
    await expect(openEngine(into, options)).rejects.toMatchObject({ details: { kind: 'arriving' } })
    expect(await moveLog(closedMove())).toMatchObject({ isWhole: true, events: 0 })
    await expect(openEngine(from, options)).rejects.toMatchObject({ details: { kind: 'departed' } })
    next = await openEngine(into, options)
    expect(await (await there().objects.get('box', 'key')).text()).toBe('x'.repeat(100))
    await there().close()
  })

  it('is not moved again', async () => {
    await moveOpen()
    await expect(moveOpen()).rejects.toMatchObject({ code: 'InvalidArgument' })
    await store.close()
    await there().close()
  })
})
