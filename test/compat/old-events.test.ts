/**
 * Events as releases before format 3 wrote them, as JSON. They are read for ever: a migration needs it. The files were
 * written by those releases and never change.
 */
import { readdir, readFile } from 'node:fs/promises'
import { memoryBlobs, memoryJournal, nodeHashing } from '@varve/adapters'
import {
  decodeOldEvent,
  encodeEvent,
  eventTypes,
  openEngine,
  type RecordedEvent,
  type Store,
  type StoredEvent,
} from '@varve/core'
import { describe, expect, it } from 'vitest'
import { fixedWorld } from './golden-session.ts'

const folder = new URL('./format-1/', import.meta.url)
const headerBytes = 5
const hashing = await nodeHashing()

/** One line an event: the frame's header in hex, then the payload as it is. */
async function stored(name: string): Promise<readonly StoredEvent[]> {
  const lines = (await readFile(new URL(name, folder), 'utf8')).trimEnd().split('\n')
  return lines.map((line, i) => {
    const header = Buffer.from(line.slice(0, headerBytes * 2), 'hex')
    return { seq: i + 1, bytes: Buffer.concat([header, Buffer.from(line.slice(headerBytes * 2 + 1))]) }
  })
}

/** A store over the events of a file, written again in the form of today. */
async function migrated(name: string): Promise<Store> {
  const events: Uint8Array[] = []
  let prev = ''
  for (const old of await stored(name)) {
    const bytes = encodeEvent(hashing, { ...decodeOldEvent(hashing, old).event, prev })
    events.push(bytes)
    prev = hashing.sha256(bytes.subarray(headerBytes))
  }
  const journal = await memoryJournal()
  await journal.commit({ expectedHead: 0, events, rows: [] })
  const secret = { read: async () => new Uint8Array(32) }
  return openEngine({ journal, blobs: memoryBlobs(), hashing, secret, ...fixedWorld() })
}

/** A frame of an older release. */
function framed({ seq, ...rest }: { readonly seq: number } & Readonly<Record<string, unknown>>): StoredEvent {
  const key = Buffer.alloc(9)
  key.writeBigUInt64BE(BigInt(seq), 1)
  const body = Buffer.concat([Uint8Array.of(1), Buffer.from(JSON.stringify({ seq, ...rest }))])
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(hashing.crc32(body, hashing.crc32(key)))
  return { seq, bytes: Buffer.concat([crc, body]) }
}

const heading = { at: 5, by: { id: 'a', name: 'Ann' }, requestId: 'r', prev: 'p' }
const whole = { seq: 3, ...heading, type: 'BucketDeleted', v: 1, data: { bucket: 'b' } }

/** A salvage or an upgrade writes them, or a later release. */
const later: readonly string[] = [
  'EventLost',
  'FormatUpgraded',
  'ErasureStarted',
  'RetentionSet',
  'BucketRestored',
  'VersionRestored',
  'SnapshotCreated',
  'SnapshotDeleted',
  'PinsSettled',
  'ErasureRequested',
  'BucketForked',
  'ForkDropped',
  'ForkCleared',
  'ForkReleased',
  'TaskStarted',
  'TaskContinued',
  'TaskEnded',
  'IdentityCreated',
  'IdentityPolicySet',
  'IdentityQuotaSet',
  'IdentityRemoved',
  'AccessKeyAdded',
  'AccessKeyRevoked',
  'BucketQuotaSet',
  'EpochBegun',
  'BytesHealed',
]

describe('events of older formats', () => {
  it('are all read, with the hash that links them, and can be written as they are today', async () => {
    const types = new Set<string>()
    for (const name of await readdir(folder)) {
      let prev = ''
      for (const old of await stored(name)) {
        const { event, hash, isMended } = decodeOldEvent(hashing, old)
        expect([event.prev, isMended]).toEqual([prev, false])
        expect(() => encodeEvent(hashing, event)).not.toThrow()
        types.add(event.type)
        prev = hash
      }
    }
    expect([...types].sort()).toEqual(eventTypes.filter((type) => !later.includes(type)).sort())
  })

  it('make the views of a store: the first file', async () => {
    const store = await migrated('events.txt')
    expect(await store.buckets.getVersioning('golden')).toBe('Suspended')
    expect(await store.objects.head('golden', 'plain')).toMatchObject({ size: 25, owner: { name: 'Alice' } })
    expect((await (await store.at(2)).objects.head('golden', 'plain')).metadata).toMatchObject({ colour: 'grün' })
    await expect(store.objects.head('golden', 'assembled')).rejects.toMatchObject({ code: 'NoSuchKey' })
    await store.close()
  })

  it('make the views of a store: the second file', async () => {
    const store = await migrated('events-2.txt')
    const settings = await store.buckets.settings.all('golden')
    expect(settings).toMatchObject({ Ownership: 'ObjectWriter', Tags: [{ key: 'colour', value: 'grün' }] })
    expect(settings).not.toHaveProperty('Policy')
    expect(await store.objects.annotations('golden', 'plain')).toMatchObject({ legalHold: 'OFF', acl: { owner: 'a1' } })
    expect(await store.objects.head('golden', 'tagged')).toMatchObject({ tagCount: 1, storageClass: 'STANDARD_IA' })
    expect(await store.objects.annotations('golden', 'assembled')).toHaveProperty('acl')
    await store.close()
  })

  it('make the views of a store: the third file', async () => {
    const store = await migrated('events-3.txt')
    expect(await store.keys.list()).toEqual([
      { generation: 1, master: 'master 2' },
      { generation: 2, master: 'master 2' },
    ])
    const { encryption } = await store.objects.head('golden', 'named')
    expect(encryption).toEqual({ mode: 'aws:kms', keyName: 'payroll', bucketKey: true })
    await store.close()
  })

  it('make the views of a store: the fourth file', async () => {
    const store = await migrated('events-4.txt')
    expect((await store.uploads.listPage('golden')).entries).toMatchObject([{ key: 'one' }])
    await store.close()
  })

  it('are corrected where it is plain what was meant, and marked', () => {
    const corrected = (wrong: object): RecordedEvent => {
      const { event, isMended } = decodeOldEvent(hashing, framed({ ...whole, ...wrong }))
      expect(isMended).toBe(true)
      expect(() => encodeEvent(hashing, event)).not.toThrow()
      return event
    }
    expect(corrected({ by: { id: 'ann' } })).toMatchObject({ by: { id: 'ann', name: 'ann' } })
    const key = { bucket: 'b', key: 'k', version: 2 }
    const dated = { ...key, value: { mode: 'GOVERNANCE', until: new Date(4e12).toISOString() } }
    expect(corrected({ type: 'ObjectRetentionSet', data: dated })).toMatchObject({ data: { value: { until: 4e12 } } })
    const created = { bucket: 'b', region: 'eu', owner: { id: 'o' } }
    expect(corrected({ type: 'BucketCreated', data: created })).toMatchObject({ data: { owner: { name: 'o' } } })
  })

  it('are refused if they are not what was written in their place', () => {
    const { bytes } = framed(whole)
    for (const [stored, kind] of [
      [{ seq: 3, bytes: bytes.fill(0x20, 9, 10) }, 'checksum'],
      [{ ...framed(whole), seq: 4 }, 'checksum'],
      [framed({ ...whole, by: {} }), 'payload'],
      [framed({ ...whole, data: {} }), 'payload'],
      [framed({ ...whole, v: undefined }), 'payload'],
    ] as const) {
      expect(() => decodeOldEvent(hashing, stored)).toThrow(
        expect.objectContaining({ code: 'LogCorrupt', details: { seq: stored.seq, kind } }),
      )
    }
    expect(() => decodeOldEvent(hashing, framed({ ...whole, v: 9 }))).toThrow('newer release')
    expect(() => decodeOldEvent(hashing, framed({ ...whole, type: 'BucketFrozen' }))).toThrow('newer release')
  })
})
