/**
 * What is written is what is read, or it is an error: every byte of every kind of stored row and event, changed one at a
 * time, is refused by the reader that belongs to its writer.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeEvent, encodeEvent, eventKey } from '../events/event-codec.ts'
import { eventTypes } from '../events/event-forms.ts'
import { tipAt } from '../events/log.ts'
import type { RecordedEvent } from '../events/index.ts'
import { hostileValues, pathsIn, replaced } from '../codec/hostile-values.fixture.ts'
import { readExtents } from '../content/content-reader.ts'
import { readDataKey } from '../encryption/data-key-row.ts'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import type { Row } from '../ports/index.ts'
import { type ErrorCode, isStorageError } from '../base/errors.ts'
import { frameFormat, headerLength, payloadOf, seal, sealFrame } from '../bytes/frame.ts'
import type { Annotation } from '../settings/annotation.ts'
import { everyAnnotation, everySetting } from '../settings/settings.fixture.ts'
import { beginEpoch } from '../api/begin-epoch.ts'
import { hashing, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import { describeKey } from './describe-key.ts'
import { checkRow, decodeRow, RowEncoder } from './row-codec.ts'
import { dataKeyTable } from './tables.ts'
import { DeleteMarkerRow, ObjectVersionRow, type VersionRow } from './version-row.ts'

const tables = [
  'head',
  'bucket',
  'pastBucket',
  'setting',
  'deletedBucket',
  'retention',
  'snapshot',
  'pins',
  'unpinned',
  'dropped',
  'task',
  'identity',
  'identityName',
  'accessKey',
  'retiredIdentity',
  'identityCount',
  'identityQuota',
  'current',
  'version',
  'pastVersion',
  'nullVersion',
  'annotation',
  'pastAnnotation',
  'newestChange',
  'nullChange',
  'ownKey',
  'borrowed',
  'upload',
  'pastUpload',
  'part',
  'pastPart',
  'completion',
  'share',
  'garbage',
  'waiting',
  'erasing',
  'usage',
  'uploadUsage',
  'pinned',
  'pinnedBy',
  'erased',
  'ownerUsage',
  'epochs',
  'holder',
  'ownerShared',
  'blob',
  'keys',
  'inline',
  'dataKey',
]
/** Their payloads are bytes. */
const rawTables = ['inline', 'dataKey']

let ports: MemoryPorts
/** One row of each table, framed as it is stored. */
const rows = new Map<string, Row>()

/** Background jobs remove some rows soon. */
function collect(): void {
  for (const row of ports.journal.rows.values()) rows.set(describeKey(row[0]).table, row)
}

beforeAll(async () => {
  ports = memoryPorts()
  const store = await openEngine(
    { ...ports, ciphers, keyring: testKeyring('master') },
    { inlineMax: 8, retentionMs: 1_000_000 },
  )
  const { buckets, objects, uploads } = store
  await buckets.create('box')
  await buckets.create('gone')
  await buckets.delete('gone')
  await objects.put('box', 'small', 'small')
  await objects.put('box', 'secret', 'secret')
  await store.erase({ bucket: 'box', key: 'secret', live: true })
  await objects.put('box', 'aside', 'set aside')
  await objects.put('box', 'aside', '')
  await store.snapshots.create('past', { at: store.seq - 1 })
  await buckets.fork('box', 'brief')
  await buckets.drop('brief')
  await objects.put('box', 'large', 'rather large')
  await objects.put('box', 'large', 'to be erased')
  ports.clock.time += 2_000_000
  await store.sweep()
  await objects.put('box', 'large', 'another large')
  await objects.copy({ bucket: 'box', key: 'large' }, 'box', 'copy')
  await buckets.setVersioning('box', 'Enabled')
  await objects.put('box', 'small', 'newer')
  const { versionId: newest } = await objects.put('box', 'small', 'removed again')
  await store.versions.delete('box', 'small', newest)
  await buckets.setVersioning('box', 'Suspended')
  await objects.put('box', 'small', 'null')
  const upload = await uploads.create('box', 'assembled')
  await uploads.uploadPart(upload, 1, 'replaced')
  const { etag } = await uploads.uploadPart(upload, 1, 'part one')
  await uploads.complete(upload, [{ partNumber: 1, etag }])
  const from = await tipAt({ journal: ports.journal, hashing }, store.seq)
  await beginEpoch(store.owner, ports.ids, {
    from,
    reason: 'restored',
    source: 'offsite',
    by: { id: 'a', name: 'Ann' },
  })
  await uploads.create('box', 'open')
  await uploads.abort(await uploads.create('box', 'given up'))
  const { versionId } = await objects.delete('box', 'assembled')
  await store.versions.delete('box', 'assembled', versionId ?? '')
  await buckets.create('set', { versioning: 'Enabled', settings: everySetting })
  await buckets.settings.remove('set', 'Cors')
  await objects.put('set', 'said of', 'bytes')
  for (const annotation of everyAnnotation) await objects.annotate('set', 'said of', annotation)
  await buckets.create('back')
  await objects.put('box', 'back', 'bytes')
  const other = store.as({ by: { id: 'other', name: 'Other' } })
  await other.objects.delete('box', 'back')
  await other.buckets.delete('back')
  await store.undo({ by: 'other' })
  await store.keys.rotate()
  await store.retention.set({ keepMs: 1_000_000, budget: { bytes: 1e9, percent: 10 } })
  await buckets.fork('box', 'try')
  await objects.annotate('try', 'large', everyAnnotation[0] as Annotation)
  await buckets.fork('box', 'dropped')
  ports.clock.time += 2_000_000
  ports.blobs.delete = () => Promise.reject(new Error('It breaks off.'))
  await store.sweep().catch(() => undefined)
  await objects.put('box', 'restored', 'a')
  await objects.put('box', 'restored too', 'a')
  await objects.put('box', 'restored as well', 'a')
  const past = store.seq
  for (const key of ['restored', 'restored too', 'restored as well']) await objects.put('box', key, 'b')
  await objects.delete('box', 'small')
  await objects.put('box', 'pinned', 'pinned bytes')
  await store.snapshots.create('one')
  await store.snapshots.create('two', { bucket: 'box' })
  await objects.delete('box', 'pinned')
  await store.restore({ bucket: 'box', to: past, inParts: true, partSize: 1, onProgress: collect })
  const policy = '{}'
  await store.identities.create('ann', { displayName: 'Ann', email: 'a@example.org', policy, trust: policy })
  await store.identities.create('user')
  await store.identities.create('removed')
  await store.identities.remove('removed')
  await store.identities.setPolicies('user', { policy })
  await store.identities.setQuota('user', { bytes: 1_000_000, buckets: 10 })
  const { accessKeyId } = await store.identities.addKey('user')
  await store.identities.revokeKey('user', accessKeyId)
  await buckets.create('left')
  await uploads.create('left', 'open')
  await buckets.delete('left')
  await store.snapshots.delete('one')
  collect()
  await buckets.drop('dropped')
  collect()
})

/** Codes of the errors that come of each byte changed, of each shorter length, and of some more at the end. */
async function codesOf(frame: Uint8Array, read: (frame: Uint8Array) => unknown): Promise<ReadonlySet<string>> {
  const codes = new Set<string>()
  const attempt = async (damaged: Uint8Array) => {
    try {
      await read(damaged)
      codes.add('read as if nothing had happened')
    } catch (error) {
      codes.add(isStorageError(error) ? error.code : String(error))
    }
  }
  for (let at = 0; at < frame.length; at++) {
    for (const bits of [0x01, 0x80, 0xff]) {
      const damaged = Uint8Array.from(frame)
      damaged[at] = (damaged[at] as number) ^ bits
      await attempt(damaged)
    }
    await attempt(frame.subarray(0, at))
  }
  await attempt(Uint8Array.of(...frame, 0))
  return codes
}

/** The payload with a byte changed, cut off, left out, or said twice, at each place. */
function* changed(payload: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < payload.length; at++) {
    for (const byte of [0x00, 0x80, 0xff, (payload[at] as number) + 1]) yield payload.with(at, byte)
    yield payload.slice(0, at)
    yield Uint8Array.of(...payload.subarray(0, at), ...payload.subarray(at + 1))
    yield Uint8Array.of(...payload.subarray(0, at), ...payload.subarray(at - 1))
  }
}

/** A frame of another program, which computes checksums too. */
const framed = (key: Uint8Array, payload: Uint8Array): Uint8Array =>
  seal(hashing, key, Uint8Array.of(0, 0, 0, 0, 0, ...payload), frameFormat.record)

/** `undefined` if it is refused with this code. Other errors are thrown. */
function outcome<T>(code: ErrorCode, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isStorageError(error, code, 'UnsupportedFormat')) throw error
    return undefined
  }
}

/** `undefined` for an object that cannot be read. */
function jsonOf(value: object): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

/** All fields of a row, also those that it decodes when they are read. */
const shown = (row: object): object => ({ ...row, ...('facts' in row && { facts: row.facts }) })

describe('stored rows', () => {
  it('are all here, one of every table', () => {
    expect([...rows.keys()].sort()).toEqual([...tables].sort())
  })

  it.each(tables.filter((table) => !rawTables.includes(table)))(
    'of %s are refused with any byte changed',
    async (table) => {
      const [key, frame] = rows.get(table) as Row
      expect(decodeRow(hashing, key, frame)).toBeTypeOf('object')
      expect(await codesOf(frame, (damaged) => decodeRow(hashing, key, damaged))).toEqual(new Set(['RowCorrupt']))
    },
  )

  it('are refused under the key of any other', () => {
    for (const [table, [key]] of rows) {
      for (const [other, [, frame]] of rows) {
        if (table === other || rawTables.includes(other)) continue
        expect(() => decodeRow(hashing, key, frame)).toThrow('A row of the views is damaged (checksum).')
      }
    }
  })

  it('are other rows or refused, with anything changed under a right checksum', () => {
    for (const [table, [key, frame]] of rows) {
      if (rawTables.includes(table)) continue
      for (const payload of changed(payloadOf(frame))) {
        const row = outcome('RowCorrupt', () => shown(checkRow(hashing, key, framed(key, payload))))
        if (row === undefined) continue
        const again = new RowEncoder(hashing).encode(key, decodeRow(hashing, key, framed(key, payload)))
        expect(shown(checkRow(hashing, key, again)), table).toEqual(row)
      }
    }
  })

  it('are not written, or are read as they were written, with any wrong value in any place', () => {
    for (const [table, [key, frame]] of rows) {
      if (rawTables.includes(table)) continue
      const row = decodeRow<object>(hashing, key, frame)
      const isVersion = row instanceof ObjectVersionRow || row instanceof DeleteMarkerRow
      for (const path of isVersion ? [] : pathsIn(row)) {
        for (const hostile of hostileValues) {
          if (path.length === 0) continue
          const wrong = replaced(row, path, hostile) as object
          const written = outcome('InternalError', () => new RowEncoder(hashing).encode(key, wrong))
          if (written === undefined) continue
          const read = decodeRow(hashing, key, written)
          const meant = jsonOf(wrong)
          if (meant !== undefined) expect(read, `${table} ${path.join('.')}`).toEqual(meant)
        }
      }
    }
  })

  it('of versions are not written with a place that is wrong', () => {
    const place = {
      seq: 7,
      epoch: '3f9k2m1x',
      at: 1,
      owner: { id: 'a', name: 'Ann' },
      nullVersion: true,
      lives: [{ from: 7, until: 9 }],
    }
    const [key] = rows.get('pastVersion') as Row
    for (const path of pathsIn(place)) {
      for (const hostile of hostileValues) {
        if (path.length === 0) continue
        const wrong = replaced(place, path, hostile) as typeof place
        const written = outcome('InternalError', () => new RowEncoder(hashing).encode(key, new DeleteMarkerRow(wrong)))
        const read = written && outcome('RowCorrupt', () => decodeRow<DeleteMarkerRow>(hashing, key, written))
        if (read !== undefined) expect({ ...shown(read), lives: read.lives }).toMatchObject(wrong)
      }
    }
  })

  it('hold inline bytes that are refused with any of them changed: their checksum is in the log, that in the header is not needed', async () => {
    const version = [...ports.journal.rows.values()]
      .filter(([key]) => describeKey(key).table === 'version')
      .map(([key, frame]) => decodeRow<VersionRow>(hashing, key, frame))
      .find((row) => !row.deleteMarker && row.facts.content.kind === 'blob' && row.facts.content.blob.inline)
    if (version?.deleteMarker !== false || version.facts.content.kind !== 'blob') throw new Error('No inline version.')
    const { blob } = version.facts.content
    const named = [...ports.journal.rows.values()].filter(([key]) => describeKey(key).table === 'inline')
    const frames = named.filter(([key]) => Buffer.from(key).toString('latin1').includes(blob.id))
    const [, frame] = frames[0] as Row

    const options = { blobs: ports.blobs, hashing, buffers: new RunBuffers() }
    const read = async (bytes: Uint8Array) => {
      const rows = { ...ports.journal, get: async () => bytes }
      const chunks = readExtents(options, rows, [{ blob, range: { start: 0, end: blob.size } }])
      for await (const chunk of chunks) return Buffer.from(chunk).toString('hex')
    }
    const content = await read(frame)
    expect(content).toBe(Buffer.from(payloadOf(frame)).toString('hex'))
    const [header, payload] = [frame.slice(0, headerLength), payloadOf(frame)]
    const withPayload = (bytes: Uint8Array) => read(Buffer.concat([header, bytes]))
    expect(await codesOf(payload, withPayload)).toEqual(new Set(['BlobCorrupt']))
    for (let at = 0; at < headerLength; at++) {
      const damaged = Uint8Array.from(frame)
      damaged[at] = (damaged[at] as number) ^ 0xff
      expect(await read(damaged)).toBe(content)
    }
  })

  it('hold data keys that are refused with any byte changed, and under the key of any other', async () => {
    const [key, frame] = rows.get('dataKey') as Row
    const id = dataKeyTable.id(key) as string
    const read = (bytes: Uint8Array) => readDataKey(hashing, { get: async () => bytes }, { blob: { id }, sealed: {} })
    expect((await read(frame)).length).toBeGreaterThan(32)
    expect(await codesOf(frame, read)).toEqual(new Set(['RowCorrupt']))
    for (const [table, [, other]] of rows) {
      if (table !== 'dataKey') await expect(read(other), table).rejects.toMatchObject({ code: 'RowCorrupt' })
    }
  })

  it('hold data keys that are refused in the form of a newer release, and without any byte', async () => {
    const [key] = rows.get('dataKey') as Row
    const id = dataKeyTable.id(key) as string
    for (const payload of [[], [1], [2, 7]]) {
      const frame = sealFrame(hashing, key, Uint8Array.from(payload))
      const read = readDataKey(hashing, { get: async () => frame }, { blob: { id }, sealed: {} })
      await expect(read).rejects.toMatchObject({ code: 'RowCorrupt', details: { kind: 'payload' } })
    }
  })
})

describe('stored events', () => {
  it('are refused with any byte changed and in any other place, and are no other event unless it is whole', async () => {
    const types = new Set<string>()
    const seq = ports.journal.log.length + 1
    const recorded = { at: 0, by: { id: 'a', name: 'a' }, requestId: 'r', prev: '' }
    const lost: RecordedEvent = { ...recorded, seq, type: 'EventLost', data: { reason: 'damaged', bytes: 9 } }
    const ofBytes = { what: 'inline', blob: '0'.repeat(32), brought: 7, fault: 'damaged', from: 'a copy' } as const
    const healed: RecordedEvent = { ...recorded, seq: seq + 1, type: 'BytesHealed', data: ofBytes }
    const log = [...ports.journal.log, ...[lost, healed].map((event) => encodeEvent(hashing, event))]
    for (const [i, bytes] of log.entries()) {
      const { event } = decodeEvent(hashing, { seq: i + 1, bytes })
      if (types.has(event.type)) continue
      types.add(event.type)
      const read = (damaged: Uint8Array) => decodeEvent(hashing, { seq: i + 1, bytes: damaged })
      expect(await codesOf(bytes, read), event.type).toEqual(new Set(['LogCorrupt']))
      expect(() => decodeEvent(hashing, { seq: i + 2, bytes })).toThrow('damaged (checksum)')
      for (const payload of changed(payloadOf(bytes))) {
        const forged = { seq: i + 1, bytes: framed(eventKey(i + 1), payload) }
        const other = outcome('LogCorrupt', () => decodeEvent(hashing, forged).event)
        if (other === undefined) continue
        const again = encodeEvent(hashing, other)
        expect(decodeEvent(hashing, { seq: i + 1, bytes: again }).event).toEqual(other)
      }
    }
    expect([...types].sort()).toEqual([...eventTypes].sort())
  })
})
