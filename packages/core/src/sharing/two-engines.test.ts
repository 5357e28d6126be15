import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Commit, Observer } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import { currentTable } from '../views/tables.ts'
import { leaseTable, memberTable } from './coordination-rows.ts'
import { membershipMs } from './membership.ts'

let ports: MemoryPorts
let one: Store
let two: Store

const options = { inlineMax: 64 }
const long = 'v'.repeat(1000)
const open = (): Promise<Store> => openEngine(ports, options)
const textOf = async (store: Store, key: string, version = {}): Promise<string> =>
  (await store.objects.get('box', key, version)).text()
const verified = async (store: Store) => store.verify({ scratch: memoryJournal() })

/** By the name of the key. */
const textOfRow = (name: string): string => Buffer.from(ports.journal.rows.get(name)?.[1] ?? []).toString()

/** Lets every engine show that it works, and which reads it has. */
async function allBeat(...stores: readonly Store[]): Promise<void> {
  for (let round = 0; round < 2; round++) {
    ports.clock.time += membershipMs * 0.6
    for (const store of stores) await store.objects.listPage('box')
  }
}

/** A promise that is resolved by a call. */
function signal(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((resolved) => {
    resolve = resolved
  })
  return { promise, resolve }
}

/** Runs `work` before the next commit of events reaches the journal. */
function beforeNextCommit(work: () => Promise<unknown>): void {
  const { commit } = ports.journal
  ports.journal.commit = async (given: Commit) => {
    if (given.events.length === 0) return commit(given)
    ports.journal.commit = commit
    await work()
    return commit(given)
  }
}

beforeEach(async () => {
  ports = memoryPorts()
  ports.journal.exclusive = false
  one = await open()
  two = await open()
  await one.buckets.create('box')
})

describe('two engines on one journal', () => {
  it('see what the other committed, at once', async () => {
    for (let i = 0; i < 5; i++) {
      const [writer, reader] = i % 2 === 0 ? [one, two] : [two, one]
      await writer.objects.put('box', 'k', `v${i}`)
      expect(await textOf(reader, 'k')).toBe(`v${i}`)
      expect((await reader.objects.listPage('box')).entries).toMatchObject([{ key: 'k', size: 2 }])
    }
    expect([one.seq, two.seq]).toEqual([6, 6])
    expect(await verified(one)).toMatchObject({ ok: true, events: 6 })
  })

  it('decide a command again when the other was first', async () => {
    await one.objects.put('box', 'k', 'old')
    const { etag } = await one.objects.head('box', 'k')
    beforeNextCommit(() => two.objects.put('box', 'k', 'new'))
    expect(await codeOf(one.objects.put('box', 'k', 'lost', { ifMatch: etag }))).toBe('PreconditionFailed')
    beforeNextCommit(() => two.objects.put('box', 'other', 'x'))
    await one.objects.put('box', 'k', 'newer')
    expect(await textOf(two, 'k')).toBe('newer')
    expect(one.state).toBe('open')
    expect(await verified(two)).toMatchObject({ ok: true })
  })

  it('commit all they are given, when both are given much', async () => {
    const puts = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? one : two).objects.put('box', `k${i}`, String(i)))
    await Promise.all(puts)
    for (const store of [one, two]) expect((await store.objects.listPage('box')).entries).toHaveLength(200)
    expect(await verified(one)).toMatchObject({ ok: true, events: 201 })
  })

  it('refuse nothing because of a row that the other has changed', async () => {
    await one.buckets.head('box')
    await two.buckets.delete('box')
    const data = { bucket: 'box', region: 'eu' }
    await one.owner.submit({ type: 'CreateBucket', data, meta: { by: { id: 'x', name: 'x' }, requestId: 'r' } })
    expect((await two.buckets.head('box')).name).toBe('box')
  })

  it('read rows of one state, whatever the other commits between two of them', async () => {
    const keys = ['a', 'b'].map((key) => currentTable.key('box', key))
    for (const key of ['a', 'b']) await one.objects.put('box', key, 'old')
    let rounds = 0
    const sizes = await one.owner.withSnapshot(async (reader) => {
      const rows = committedRows(reader, ports.hashing)
      const seen: unknown[] = []
      for (const key of keys) {
        seen.push((await rows.get(key))?.size)
        if (rounds++ === 0) for (const changed of ['a', 'b']) await two.objects.put('box', changed, 'newer')
      }
      return seen
    })
    expect(sizes).toEqual([5, 5])
  })

  it('go on with a read in a newer state that has the same rows', async () => {
    for (const key of ['a', 'b']) await one.objects.put('box', key, 'v')
    let rounds = 0
    await one.owner.withSnapshot(async (reader) => {
      rounds++
      for (const key of ['a', 'b']) {
        await reader.get(currentTable.key('box', key).bytes)
        await two.objects.put('box', `other ${key}`, 'v')
      }
    })
    expect(rounds).toBe(1)
  })

  it('read in a snapshot what the other changes again and again', async () => {
    await one.objects.put('box', 'a', 'v')
    const size = await one.owner.withSnapshot(async (reader) => {
      const rows = committedRows(reader, ports.hashing)
      await rows.get(currentTable.key('box', 'a'))
      await two.objects.put('box', 'a', 'changed')
      await rows.get(currentTable.key('box', 'b'))
      return (await rows.get(currentTable.key('box', 'a')))?.size
    })
    expect(size).toBe(7)
  })

  it('call their listeners for every event, in order, whichever engine committed it', async () => {
    await two.buckets.head('box')
    const seen: number[][] = [[], []]
    for (const [i, store] of [one, two].entries())
      store.subscribe((events: readonly RecordedEvent[]) => seen[i]?.push(...events.map(({ seq }) => seq)))
    for (let i = 0; i < 6; i++) await (i % 3 === 0 ? one : two).objects.put('box', 'k', 'v')
    for (const store of [one, two]) await store.objects.head('box', 'k')
    const all = Array.from({ length: ports.journal.log.length - 1 }, (_, i) => i + 2)
    expect(seen).toEqual([all, all])
  })

  it('know the ids of each other’s uploads', async () => {
    const upload = await one.uploads.create('box', 'k')
    const part = await two.uploads.uploadPart(upload, 1, long)
    await one.uploads.complete(upload, [part])
    expect(await textOf(two, 'k')).toBe(long)
  })

  it('find positions that only the other engine has seen', async () => {
    await two.objects.put('box', 'k', 'v')
    expect((await one.at(2)).seq).toBe(2)
    const events: number[] = []
    for await (const { seq } of one.log()) events.push(seq)
    expect(events).toEqual([1, 2])
  })

  it('refuse a journal whose log was exchanged', async () => {
    const other = memoryPorts()
    const elsewhere = await openEngine(other)
    for (const name of ['first', 'second']) await elsewhere.buckets.create(name)
    ports.journal.log.splice(0, 1, ...other.journal.log)
    expect(await codeOf(one.buckets.create('third'))).toBe('StoreFailed')
  })
})

describe('opening on a journal that others change', () => {
  it('does not compute rows again that another engine has just committed', async () => {
    await one.objects.put('box', 'k', 'v0')
    await one.objects.copy({ bucket: 'box', key: 'k' }, 'box', 'copy')
    const reads = { head: ports.journal.head, get: ports.journal.get }
    for (const name of ['head', 'get'] as const) {
      for (const when of ['before', 'after']) {
        let puts = 0
        const commitOnce = async () => {
          if (++puts <= 2) await one.objects.copy({ bucket: 'box', key: 'k' }, 'box', `${name} ${when} ${puts}`)
        }
        const raced = async (...given: never[]) => {
          ports.journal[name] = reads[name] as never
          if (when === 'before') await commitOnce()
          const found = await (reads[name] as (...given: never[]) => Promise<unknown>)(...given)
          if (when === 'after') await commitOnce()
          if (puts < 2) ports.journal[name] = raced as never
          return found
        }
        ports.journal[name] = raced as never
        const late = await open()
        await late.objects.put('box', 'late', `${name} ${when}`)
        expect(await verified(late), `${name} ${when}`).toMatchObject({ ok: true })
        await late.close()
      }
    }
  })
})

describe('views that one engine computes again', () => {
  it('are whole for the other, whenever it reads', async () => {
    for (let i = 0; i < 300; i++) await one.objects.put('box', `k${i % 7}`, `v${i}`)
    let rebuilt = false
    const rebuilding = one.rebuild().finally(() => (rebuilt = true))
    let reads = 0
    while (!rebuilt) {
      const found = await two.objects.listPage('box').catch((error: unknown) => codeOf(Promise.reject(error)))
      // Without a timer an engine does not wait for the other one.
      if (found !== 'LeaseHeld') expect(found).toHaveProperty('entries.length', 7)
      reads++
    }
    await rebuilding
    expect(reads).toBeGreaterThan(2)
    await two.objects.put('box', 'k9', 'after')
    expect(await verified(one)).toMatchObject({ ok: true })
  })

  it('are completed by the other, when the one that computed them is gone', async () => {
    for (let i = 0; i < 600; i++) await one.objects.put('box', `k${i}`, 'v')
    const { commit } = ports.journal
    let rows = 0
    ports.journal.commit = async (given: Commit) => {
      if (given.events.length === 0 && given.outsideLog !== true && ++rows > 1) throw new Error('gone')
      return commit(given)
    }
    expect(await codeOf(one.rebuild())).toBe('JournalFailed')
    ports.journal.commit = commit
    await one.close().catch(() => undefined)
    expect((await two.objects.listPage('box', { limit: 1000 })).entries).toHaveLength(600)
    await two.objects.put('box', 'late', 'v')
    expect(await verified(two)).toMatchObject({ ok: true })
  })
})

/** Two engines that keep removed bytes for a millisecond, and a bucket. */
async function openBothKeeping(): Promise<void> {
  const keep = { ...options, retentionMs: 1 }
  ports = memoryPorts()
  ports.journal.exclusive = false
  one = await openEngine(ports, keep)
  two = await openEngine(ports, keep)
  await one.buckets.create('box')
}

describe('bytes that two engines share', () => {
  it('are not erased while a read of the other needs them', async () => {
    await one.objects.put('box', 'k', long)
    const reading = await two.objects.get('box', 'k')
    await one.objects.delete('box', 'k')
    await one.sweep()
    expect(await reading.text()).toBe(long)
    // The next sign of life of the reader tells the other engine.
    await two.objects.put('box', 'other', 'v')
    await allBeat(one, two)
    await one.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('are there for a read of the past, or erased, but never half of them', async () => {
    await openBothKeeping()
    const upload = await one.uploads.create('box', 'k')
    const parts = [
      await one.uploads.uploadPart(upload, 1, 'a'.repeat(5 << 20)),
      await one.uploads.uploadPart(upload, 2, long),
    ]
    await one.uploads.complete(upload, parts)
    const then = one.seq
    await two.objects.delete('box', 'k')
    const past = await two.at(then)
    const reading = await past.objects.get('box', 'k')
    ports.clock.time += 10
    await one.sweep()
    expect((await reading.bytes()).length).toBe((5 << 20) + 1000)
    await allBeat(one, two)
    await one.sweep()
    expect(await codeOf(past.objects.get('box', 'k'))).toBe('ObjectErased')
  })

  it('are not erased by one while the other is about to share them with a copy from the past', async () => {
    await openBothKeeping()
    const { seq } = await one.objects.put('box', 'k', long)
    await one.objects.delete('box', 'k')
    ports.clock.time += 10
    beforeNextCommit(async () => {
      expect((await one.sweep()).erased).toBe(0)
    })
    await two.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'copy')
    await allBeat(one, two)
    expect((await one.sweep({ orphans: true })).erased).toBe(0)
    expect(await textOf(one, 'copy')).toBe(long)
    await two.objects.delete('box', 'copy')
    ports.clock.time += 10
    await allBeat(one, two)
    await one.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
    expect(await codeOf(two.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'copy'))).toBe('ObjectErased')
  })

  it('are not orphans while the other engine writes them', async () => {
    let swept = -1
    const { write } = ports.blobs
    const blobs = {
      ...ports.blobs,
      async write(...given: Parameters<typeof write>) {
        const size = await write(...given)
        swept = (await one.sweep({ orphans: true })).orphans
        return size
      },
    }
    two = await openEngine({ ...ports, blobs }, options)
    await two.sweep()
    await two.objects.put('box', 'k', long)
    expect(swept).toBe(0)
    expect(await textOf(one, 'k')).toBe(long)
  })

  it('are orphans when the engine that wrote them is gone, and its late commit is refused', async () => {
    const { write } = ports.blobs
    let stalled: (() => void) | undefined
    const blobs = {
      ...ports.blobs,
      async write(...given: Parameters<typeof write>) {
        const size = await write(...given)
        await new Promise<void>((resolve) => (stalled = resolve))
        return size
      },
    }
    const sleeper = await openEngine({ ...ports, blobs }, options)
    const put = sleeper.objects.put('box', 'k', long)
    while (stalled === undefined) await new Promise(setImmediate)
    // The first look begins to watch the signs of life, the second one finds none.
    await one.sweep({ orphans: true })
    ports.clock.time += membershipMs + 1
    expect((await one.sweep({ orphans: true })).orphans).toBe(1)
    stalled()
    expect(await codeOf(put)).toBe('LeaseLost')
    expect(await codeOf(one.objects.head('box', 'k'))).toBe('NoSuchKey')
    // The engine that slept goes on as a new member.
    stalled = undefined
    const again = sleeper.objects.put('box', 'k', long)
    while (stalled === undefined) await new Promise(setImmediate)
    ;(stalled as () => void)()
    await again
    expect(await textOf(one, 'k')).toBe(long)
    expect(await verified(one)).toMatchObject({ ok: true })
  })
})

describe('a job', () => {
  /** An engine alone, whose first erasure of blobs waits for `until`, and then erases. */
  async function openErasing(until: () => Promise<unknown>): Promise<Store> {
    await Promise.all([one.close(), two.close()])
    const remove = ports.blobs.delete
    let begun = false
    const blobs = {
      ...ports.blobs,
      async delete(ids: readonly string[]) {
        const first = !begun
        begun = true
        if (first) await until()
        return remove(ids)
      },
    }
    return openEngine({ ...ports, blobs }, options)
  }

  const erasures = async (store: Store): Promise<number> => {
    let count = 0
    for await (const { type } of store.log()) if (type === 'ContentsErased') count++
    return count
  }

  it('runs in one engine at a time', async () => {
    let during: unknown
    const eraser = await openErasing(async () => {
      const other = await open()
      during = await codeOf(other.sweep())
      await other.close()
    })
    await eraser.objects.put('box', 'k', long)
    await eraser.objects.delete('box', 'k')
    await eraser.sweep()
    expect(during).toBe('LeaseHeld')
    expect(ports.blobs.bytes.size).toBe(0)
    expect(await erasures(eraser)).toBe(1)
  })

  it('gives its lease back, also if its engine met a conflict while it changed the row of the lease', async () => {
    const lease = Buffer.from(leaseTable.key('erasure').bytes).toString('latin1')
    const { commit } = ports.journal
    let putting: Promise<unknown> | undefined
    ports.journal.commit = async (given: Commit) => {
      await commit(given)
      const states = given.rows.some(
        ({ key, value }) => value !== null && Buffer.from(key).toString('latin1') === lease,
      )
      if (!states || putting !== undefined || !textOfRow(lease).includes('"erasing"')) return
      // The journal has the change, and the engine does not know it yet.
      beforeNextCommit(() => two.objects.put('box', 'k', 'two'))
      putting = one.objects.put('box', 'k', 'one')
      for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
    }
    await one.sweep()
    expect(putting).toBeDefined()
    await putting
    expect(textOfRow(lease)).toContain('"holder":null')
    await two.sweep()
  })

  it('cannot commit once another engine has taken it over', async () => {
    const asleep = signal()
    const awake = signal()
    const sleeper = await openErasing(() => {
      asleep.resolve()
      return awake.promise
    })
    await sleeper.objects.put('box', 'k', long)
    await sleeper.objects.delete('box', 'k')
    const sweeping = sleeper.sweep()
    await asleep.promise
    const late = await open()
    expect(await codeOf(late.sweep())).toBe('LeaseHeld')
    await allBeat(late)
    expect((await late.sweep()).erased).toBe(1)
    awake.resolve()
    expect(await codeOf(sweeping)).toBe('LeaseLost')
    expect(await erasures(late)).toBe(1)
    await sleeper.objects.put('box', 'k', 'again')
    expect(await textOf(late, 'k')).toBe('again')
    expect(await verified(late)).toMatchObject({ ok: true })
  })
})

describe('the status of an engine', () => {
  it('counts the engines that work, and names the leases that it holds', async () => {
    const sharing = async (store: Store) => (await store.owner.status()).sharing
    await one.sweep()
    expect(await sharing(one)).toEqual({ members: 2, leases: [] })
    const three = await open()
    expect((await sharing(one))?.members).toBe(3)
    await three.close()
    const [begun, go] = [signal(), signal()]
    const remove = async (ids: readonly string[]) => {
      begun.resolve()
      await go.promise
      return ports.blobs.delete(ids)
    }
    const eraser = await openEngine({ ...ports, blobs: { ...ports.blobs, delete: remove } }, options)
    await eraser.objects.put('box', 'k', long)
    await eraser.objects.delete('box', 'k')
    await allBeat(one, two, eraser)
    const sweeping = eraser.sweep()
    await begun.promise
    expect(await sharing(eraser)).toEqual({ members: 3, leases: ['erasure'] })
    expect(await sharing(two)).toEqual({ members: 3, leases: [] })
    go.resolve()
    await sweeping
    expect((await sharing(eraser))?.leases).toEqual([])
  })

  it('shows the observer how often another engine was first', async () => {
    const seen: number[] = []
    const observer: Observer = { commit: ({ conflicts }) => seen.push(conflicts) }
    const watched = await openEngine({ ...ports, observer }, options)
    beforeNextCommit(() => two.objects.put('box', 'a', 'x'))
    await watched.objects.put('box', 'b', 'x')
    await watched.objects.put('box', 'c', 'x')
    await watched.close()
    expect(seen).toEqual([1, 0])
  })
})

describe('an engine that closes', () => {
  it('leaves neither a membership nor a lease behind', async () => {
    await one.sweep({ orphans: true })
    await one.close()
    await two.sweep({ orphans: true })
    await two.close()
    const left = [...ports.journal.rows.values()].map(([key]) => key[0])
    expect(left).not.toContain(memberTable.range.gte[0])
    expect(textOfRow(Buffer.from(leaseTable.key('erasure').bytes).toString('latin1'))).toContain('"holder":null')
  })
})
