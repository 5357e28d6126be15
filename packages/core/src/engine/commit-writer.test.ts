import { beforeEach, describe, expect, it } from 'vitest'
import type { Command } from '../commands/command.ts'
import { ActiveReads } from '../content/active-reads.ts'
import { soleEngine } from '../sharing/sharing.ts'
import { frameFormat, seal } from '../bytes/frame.ts'
import { eventKey } from '../events/event-codec.ts'
import { StoreClock } from '../time/store-clock.ts'
import { codeOf } from '../api/answers.fixture.ts'
import { Engine } from './engine.ts'
import { hashing, type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import { openRequestStore } from '../api/request-store.ts'
import type { Store } from '../api/store.ts'
import { logStart } from './recorder.ts'

let ports: MemoryPorts
let store: Store

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}

const pause = (milliseconds = 5) => new Promise((resolve) => setTimeout(resolve, milliseconds))

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})

describe('the writer turn', () => {
  it('lets nothing be committed while someone has the journal to himself, however they meet', async () => {
    const engine = new Engine(
      memoryPorts(),
      { inlineMax: 64, groupMax: 256, retentionMs: 0, hotBytes: 0, lifecycleDayMs: 1, witness: 'trailing', staleMs: 0 },
      {
        end,
        clock: await StoreClock.open(
          ports,
          { retention: { shortest: 0, longest: 0 }, isObserved: false, keeps: false },
          end,
        ),
        sharing: soleEngine(),
        reads: new ActiveReads(),
      },
    )
    const create = (bucket: string) => engine.requests.submit('CreateBucket', { bucket, region: 'eu' }, meta)
    for (let steps = 0; steps < 20; steps++) {
      const first = create(`first-${steps}`)
      let during = 0
      const alone = engine.writer.exclusively(async () => {
        const before = engine.writer.committed
        await pause()
        during = engine.writer.committed - before
      })
      await first
      for (let step = 0; step < steps; step++) await Promise.resolve()
      await create(`second-${steps}`)
      await alone
      expect(during).toBe(0)
    }
  })

  it('lets another request in before all of one that has a thousand commands', async () => {
    const by = { id: 'a', name: 'a' }
    const many = store.as({ by, requestId: 'many' }).objects
    const keys = Array.from({ length: 1000 }, (_, at) => `k${at}`)
    await Promise.all(keys.map((key) => store.objects.put('box', key, 'v')))
    let isOver = false
    const deletion = many
      .deleteMany(
        'box',
        keys.map((key) => ({ key })),
      )
      .then(() => (isOver = true))
    await store.as({ by, requestId: 'another' }).objects.put('box', 'another', 'v')
    expect(isOver).toBe(false)
    await deletion
    expect(await codeOf(store.objects.head('box', 'k999'))).toBe('NoSuchKey')
  })

  it('keeps the bytes that a commit names, whatever fails behind it', async () => {
    // The answer gets lost behind the commit.
    const submit = async (command: Command) => (await store.owner.submit(command)).slice(1)
    const owner = new Proxy(store.owner, {
      get: (target, name) => (name === 'submit' ? submit : bound(target, name)),
    })
    const requests = openRequestStore(owner, ports, { inlineMax: 64 })
    expect(await codeOf(requests.objects.put('box', 'k', 'v'.repeat(1000)))).toBe('InternalError')
    expect(await (await store.objects.get('box', 'k')).text()).toBe('v'.repeat(1000))
  })

  it('refuses a call that makes no sense, and that call alone', async () => {
    const nothing = undefined as unknown as string
    const upload = await store.uploads.create('box', 'k')
    const mistakes = [
      () => store.buckets.create(nothing),
      () => store.objects.delete('box', nothing),
      () => store.uploads.complete(upload, nothing as unknown as []),
      () => store.objects.put('box', 'k', 'v', { metadata: { count: 1n as unknown as string } }),
    ]
    for (const mistake of mistakes) expect(await codeOf(mistake())).toBe('InvalidArgument')
    expect(store.state).toBe('open')
    await store.objects.put('box', 'k', 'v')
  })

  it('is over when any call of close returns', async () => {
    let written = false
    const commit = ports.journal.commit
    ports.journal.commit = async (batch) => {
      await pause()
      await commit(batch)
      written = true
    }
    const put = store.objects.put('box', 'k', 'v')
    await pause(1)
    await Promise.race([store.close(), store.close()])
    expect(written).toBe(true)
    await put
  })
})

describe('rebuilding', () => {
  it('that is cut off leaves no half a view to be read or written on, and is made good by opening again', async () => {
    // More than one group of events, so that there is something to cut off.
    await Promise.all(Array.from({ length: 1100 }, (_, i) => store.objects.put('box', `k${i}`, 'x')))
    const stop = new AbortController()
    const rebuild = store.rebuild({ signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) })
    const late = store.objects.put('box', 'late', 'x')
    expect(await codeOf(rebuild)).toEqual(new Error('enough'))
    expect(await codeOf(late)).toBe('StoreFailed')
    expect(await codeOf(store.objects.head('box', 'k1099'))).toBe('StoreFailed')
    expect(store.state).toBe('failed')
    store = await openEngine(ports)
    await store.objects.head('box', 'k1099')
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
  })

  it('ends, and leaves the store open, when its progress function throws', async () => {
    const rebuild = store.rebuild({ onProgress: () => raise('in between') })
    expect(await codeOf(rebuild)).toEqual(new Error('in between'))
    expect(store.state).toBe('open')
    await store.objects.put('box', 'k', 'v')
  })

  it('that was cut off before it began changes nothing', async () => {
    expect(await codeOf(store.rebuild({ signal: AbortSignal.abort(new Error('enough')) }))).toEqual(new Error('enough'))
    await store.objects.put('box', 'k', 'v')
  })
})

describe('verifying', () => {
  it('names an event that was changed into one that no views can be made of', async () => {
    await store.objects.put('box', 'k', 'v')
    await store.objects.put('box', 'k', 'w')
    const frame = (ports.journal.log[1] as Uint8Array).slice(0, -1)
    ports.journal.log[1] = seal(hashing, eventKey(2), frame, frameFormat.record)
    const { ok, divergences } = await store.verify({ scratch: memoryJournal(), blobs: 'skip' })
    expect([ok, divergences.map(({ kind, seq }) => [kind, seq])]).toEqual([false, [['EventDamaged', 2]]])
  })

  it('compares with the events the rows are of, though a commit has yet to answer', async () => {
    const commit = ports.journal.commit
    let answer = () => undefined as void
    ports.journal.commit = async (batch) => {
      await commit(batch)
      await new Promise<void>((resolve) => (answer = resolve))
    }
    const put = store.objects.put('box', 'k', 'v')
    await pause()
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
    answer()
    await put
  })
})

const end = logStart
const meta = { by: { id: 'a', name: 'a' }, requestId: 'r' }
const raise = (message: string): never => {
  throw new Error(message)
}
