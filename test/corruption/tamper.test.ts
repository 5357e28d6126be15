/**
 * History cannot be changed without a trace: 1,000 random edits, removals and reorderings of past events, with checksums
 * and as much of the chain made again as a remembered tip lets pass. Each is named by its position.
 */
import { createHash } from 'node:crypto'
import { memoryBlobs, memoryJournal, nodeHashing, randomIds, systemClock } from '@varve/adapters'
import {
  type Divergence,
  encodeEvent,
  examine,
  type Journal,
  openEngine,
  type RecordedEvent,
  type StorePorts,
  type Tip,
} from '@varve/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { readRecord } from '#core/codec/record'
import { readEventInto } from '#core/events/event-codec'
import { type Random, randomFrom } from '../support/random.ts'
import { seal } from './row-mutations.ts'

const tampering = Number(process.env['VARVE_TAMPERINGS'] ?? 1000)
const length = 60

let log: readonly Uint8Array[]
let ports: StorePorts
let tip: Tip

beforeAll(async () => {
  ports = {
    journal: await memoryJournal(),
    blobs: memoryBlobs(),
    clock: systemClock,
    ids: randomIds,
    hashing: await nodeHashing(),
  }
  const store = await openEngine(ports, { retentionMs: Number.MAX_SAFE_INTEGER })
  await store.buckets.create('box')
  for (let i = 2; i <= length; i++) await store.objects.put('box', `key ${i % 7}`, `value ${i}`)
  const stored: Uint8Array[] = []
  for await (const { bytes } of ports.journal.events()) stored.push(bytes)
  log = stored
  tip = (await examine(ports)).report.tip as Tip
})

/** Events as somebody left them; a hole is `undefined`. */
type Events = (Uint8Array | undefined)[]

interface Tampering {
  readonly what: string
  /** The position that must be named: what was touched, or where what was made again ends. */
  readonly named: number
  readonly events: Events
  /** What is remembered outside. */
  readonly tip?: Tip
}

const payloadOf = (frame: Uint8Array): Buffer => Buffer.from(frame.subarray(5))
const hashOf = (frame: Uint8Array): string => createHash('sha256').update(payloadOf(frame)).digest('base64url')

function keyOf(seq: number): Uint8Array {
  const key = new Uint8Array(9)
  new DataView(key.buffer).setBigUint64(1, BigInt(seq))
  return key
}

/** The event with some fields changed, under a checksum that is right. It may come from another place. */
function rewritten(events: Events, seq: number, change: (event: RecordedEvent) => object): Uint8Array {
  const event = {} as RecordedEvent
  readEventInto(readRecord(events[seq - 1] as Uint8Array), event as object as Record<string, unknown>)
  return encodeEvent(ports.hashing, { ...event, ...change(event) } as RecordedEvent)
}

/** Makes the links right again from behind `from` up to `to`. */
function relink(events: Events, from: number, to: number): void {
  for (let seq = from + 1; seq <= to; seq++) {
    const prev = hashOf(events[seq - 2] as Uint8Array)
    events[seq - 1] = rewritten(events, seq, () => ({ prev }))
  }
}

/** What was done, and the position to be named if that is not `at`. */
const kinds: readonly ((chance: Random, events: Events, at: number) => readonly [what: string, named?: number])[] = [
  (chance, events, at) => {
    const bytes = Uint8Array.from(events[at - 1] as Uint8Array)
    const bit = chance.below(bytes.length * 8)
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
    events[at - 1] = bytes
    return ['a bit flipped']
  },
  (_, events, at) => {
    events[at - 1] = undefined
    return ['removed']
  },
  (_, events, at) => {
    events.splice(at - 1, 1)
    for (let seq = at; seq <= events.length; seq++) events[seq - 1] = rewritten(events, seq, () => ({ seq }))
    return ['removed, and all behind it moved up']
  },
  (chance, events, at) => {
    const other = 1 + ((at + chance.below(length - 1)) % length)
    ;[events[at - 1], events[other - 1]] = [events[other - 1], events[at - 1]]
    return [`swapped with ${other}`]
  },
  (_, events, at) => {
    const [first, second] = [at, at + 1].map((seq) => rewritten(events, seq, () => ({ seq: seq === at ? at + 1 : at })))
    events[at - 1] = seal(keyOf(at), payloadOf(second as Uint8Array))
    events[at] = seal(keyOf(at + 1), payloadOf(first as Uint8Array))
    return ['changed places with the next, positions and checksums made again']
  },
  (_, events, at) => {
    events[at - 1] = rewritten(events, at, () => ({ requestId: 'forged' }))
    return ['edited, checksum made again']
  },
  (_, events, at) => {
    events[at - 1] = rewritten(events, at, () => ({ by: { id: 'mallory', name: 'Mallory' } }))
    relink(events, at, events.length - 1)
    return ['edited, and the chain made again up to the event before the last', length - 1]
  },
  (chance, events, at) => {
    events[at - 1] = rewritten(events, at, () => ({ at: 1 }))
    const end = Math.min(at + chance.below(10), length - 1)
    relink(events, at, end)
    return [`edited, and the chain made again up to ${end}`, end]
  },
  (_, events, at) => {
    events[at - 1] = rewritten(events, at, () => ({ at: 2 }))
    relink(events, at, events.length)
    return ['edited, and all of the chain made again: only the tip shows it', length]
  },
]

function tamper(seed: number): Tampering {
  const chance = randomFrom(seed)
  const events: Events = [...log]
  const at = 2 + chance.below(length - 3)
  const [what, named = at] = (kinds[seed % kinds.length] as (typeof kinds)[number])(chance, events, at)
  return { what: `seed ${seed}: event ${at} ${what}`, named, events, tip }
}

/** The rows as they were; a log as somebody left it. */
function journalOf(events: Events): Journal {
  return {
    ...ports.journal,
    head: async () => events.length,
    async *events({ from = 1, to = events.length } = {}) {
      for (let seq = from; seq <= Math.min(to, events.length); seq++) {
        const bytes = events[seq - 1]
        if (bytes !== undefined) yield { seq, bytes }
      }
    },
  }
}

async function found(events: Events, remembered?: Tip): Promise<readonly Divergence[]> {
  const options = { blobs: 'skip', ...(remembered && { tip: remembered }) } as const
  return (await examine({ ...ports, journal: journalOf(events) }, options)).report.divergences
}

describe('a log that was tampered with', () => {
  it('is whole before it was', async () => {
    expect(await found([...log], tip)).toEqual([])
  })

  it(`gives itself away ${tampering} times of ${tampering}, by position`, async () => {
    const unnamed: string[] = []
    for (let seed = 1; seed <= tampering; seed++) {
      const { what, named, events, tip: remembered } = tamper(seed)
      const inLog = (await found(events, remembered)).filter(({ kind }) => !kind.startsWith('Row'))
      if (!inLog.some(({ seq }) => seq === named)) unnamed.push(`${what}: ${JSON.stringify(inLog)}`)
    }
    expect(unnamed).toEqual([])
  }, 60_000)

  it('is refused when it ends before what the witness remembers', async () => {
    for (const cut of [0, 1, length - 1]) {
      const journal = journalOf(log.slice(0, cut))
      const witness = { read: async () => tip, write: async () => undefined }
      await expect(openEngine({ ...ports, journal, witness })).rejects.toMatchObject({ code: 'AcknowledgedWritesLost' })
      const kinds = (await found(log.slice(0, cut) as Events, tip)).map(({ kind, seq }) => [kind, seq])
      expect(kinds).toContainEqual(['LogShort', length])
    }
  })
})
