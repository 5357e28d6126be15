/** Checkpoints and proofs of a store, checked as a stranger would check them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { toBase64 } from '../bytes/base64.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import { prefixOf, wholeRange } from '../keyspaces/keyspace-keys.ts'
import { checkCheckpoint, checkConsistency, checkInclusion } from '../proofs/check-proof.ts'
import { checkContent } from '../proofs/content-check.ts'
import { leafHash, sha256 } from '../proofs/merkle-hashes.ts'
import { formatKey, formatSignature, keyIdOf, signatureTypes } from '../proofs/signed-note.ts'
import { treeName } from '../proofs/tree-keyspace.ts'
import { codeOf, list } from './answers.fixture.ts'
import { fixtureSigner, type FixtureSigner, fixtureWitness, verifySignature } from './log-signer.fixture.ts'
import { hashing, memoryJournal, memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine, openForReading } from './open-engine.ts'
import type { Store } from './store.ts'

const checks = { hashing, verifySignature }

let signer: FixtureSigner
let ports: MemoryPorts & { signer: FixtureSigner }
let store: Store

const open = () => openEngine(ports, { inlineMax: 64, retentionMs: 0 })

beforeEach(async () => {
  signer = fixtureSigner()
  ports = { ...memoryPorts(), signer }
  store = await open()
  await store.buckets.create('box')
})

const putMany = async (count: number) => {
  for (let i = 0; i < count; i++) await store.objects.put('box', `key-${i}`, `bytes ${i}`)
}
const keys = async () => ({ key: (await store.proofs.key()).key })
const proved = async (bucket: string, key: string, versionId?: string) => {
  const { text, seq } = await store.proofs.prove({ bucket, key, ...(versionId !== undefined && { versionId }) })
  const proof = checkInclusion(checks, text, await keys())
  expect(proof.seq).toBe(seq)
  return proof
}
/** Refusals of calls that do not return promises. */
const refusal = (call: () => unknown) => {
  try {
    return call()
  } catch (error) {
    const { code, details } = error as { code: string; details: { kind?: string } }
    return `${code} ${details.kind}`
  }
}
/** All rows of the tree, with its header. */
async function* rowsOf({ journal }: MemoryPorts) {
  const cursor = journal.cursor(wholeRange(treeName))
  for (const [key, value] of await cursor.next(10_000)) yield { key, value }
}

const treeRows = async () => {
  const prefix = prefixOf(treeName, 1)
  const cursor = ports.journal.cursor({ gte: prefix, lt: prefixOf(treeName, 2) })
  return cursor.next(10_000)
}

describe('a checkpoint', () => {
  it('is signed by the key of the log, and names all events so far', async () => {
    const { origin, size, root, text } = await store.proofs.checkpoint()
    expect(origin).toBe('log.example/one')
    expect(size).toBe(store.seq)
    expect(checkCheckpoint(checks, text, await keys())).toEqual({ origin, size, root, cosignatures: [] })
  })

  it('stays the same until the log grows, and is durable before it is given out', async () => {
    const first = await store.proofs.checkpoint()
    expect(signer.note).toBe(first.text)
    expect(await store.proofs.checkpoint()).toEqual(first)
    await putMany(1)
    const second = await store.proofs.checkpoint()
    expect(second.size).toBe(first.size + 1)
    expect(signer.note).toBe(second.text)
  })

  it('is not given out when it could not be kept', async () => {
    const { keep } = signer
    signer.keep = () => Promise.reject(new Error('no disk'))
    await expect(store.proofs.checkpoint()).rejects.toThrow('no disk')
    signer.keep = keep
    expect((await store.proofs.checkpoint()).size).toBe(store.seq)
  })

  it('is refused for a log that lost events that were signed, and for one that went on otherwise', async () => {
    await putMany(3)
    const copy = { ...ports, ...memoryPorts(), signer }
    await store.proofs.checkpoint()
    ports = copy
    store = await open()
    await store.buckets.create('box')
    expect(await codeOf(store.proofs.checkpoint())).toBe('CheckpointConflict')
    await store.objects.put('box', 'other', 'bytes')
    await putMany(7)
    expect(await codeOf(store.proofs.checkpoint())).toBe('CheckpointConflict')
    expect(await codeOf(store.proofs.prove({ bucket: 'box', key: 'key-1' }))).toBe('CheckpointConflict')
    const { origin } = await store.proofs.renewKey({ origin: 'log.example/after' })
    expect(origin).toBe('log.example/after')
    expect((await store.proofs.checkpoint()).size).toBe(store.seq)
  })

  it('is refused without a key for the log', async () => {
    const { signer: _signer, ...without } = ports
    const other = await openEngine({ ...without, ...memoryPorts() })
    expect(await codeOf(other.proofs.checkpoint())).toBe('NotImplemented')
  })

  it('is refused in a store that is read-only', async () => {
    await store.close()
    const reading = await openForReading(ports)
    expect(await codeOf(reading.proofs.checkpoint())).toBe('ReadOnly')
  })

  it('shows with a proof that the log only grew', async () => {
    const earlier = await store.proofs.checkpoint()
    await putMany(20)
    const { text, size } = await store.proofs.consistency(earlier.size)
    const checked = checkConsistency(checks, { proof: text, earlier: earlier.text }, await keys())
    expect(checked).toMatchObject({ earlier: earlier.size, size })
    await putMany(1)
    const later = await store.proofs.checkpoint()
    expect(refusal(() => checkConsistency(checks, { proof: text, earlier: later.text }, { key: formatOf() }))).toMatch(
      /^ProofInvalid/,
    )
    expect(await codeOf(store.proofs.consistency(later.size + 1))).toBe('MomentOutOfRange')
    expect(await codeOf(store.proofs.consistency(-1))).toBe('InvalidArgument')
  })

  it('takes signatures of witnesses, once each, and only those of this checkpoint', async () => {
    const { text } = await store.proofs.checkpoint()
    const { key, line } = cosigned('witness.example/w', text, 1_700_000_000)
    const { key: again, line: later } = cosigned('witness.example/w', text, 1_700_000_001)
    const cosignature = { witness: 'witness.example/w', at: new Date(1_700_000_000_000) }
    expect(await store.proofs.cosign(line, key)).toMatchObject({ size: store.seq, cosignature })
    expect(again).not.toBe(key)
    expect(await codeOf(store.proofs.cosign(later, key))).toBe('ProofInvalid')
    const { text: signed } = await store.proofs.checkpoint()
    const found = checkCheckpoint(checks, signed, { ...(await keys()), witnesses: [key] })
    expect(found.cosignatures).toEqual([{ witness: 'witness.example/w', at: new Date(1_700_000_000_000) }])
    expect(refusal(() => checkCheckpoint(checks, text, { key: formatOf(), witnesses: [key] }))).toMatch(/^ProofInvalid/)
    await putMany(1)
    await store.proofs.checkpoint()
    expect(await codeOf(store.proofs.cosign(line, key))).toBe('ProofInvalid')
  })
})

let formatted = ''
const formatOf = () => formatted
beforeEach(async () => {
  formatted = (await store.proofs.key()).key
})

function cosigned(name: string, note: string, seconds: number) {
  const witness = fixtureWitness(name)
  const key = { name, type: signatureTypes.cosignature, publicKey: witness.publicKey }
  const body = note.slice(0, note.indexOf('\n\n') + 1)
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(seconds))
  const signature = witness.sign(encodeUtf8(`cosignature/v1\ntime ${seconds}\n${body}`))
  const line = formatSignature({ name, keyId: keyIdOf(hashing, key), signature: Buffer.concat([time, signature]) })
  return { key: formatKey(hashing, key), line: line.trimEnd() }
}

describe('a proof', () => {
  it('shows the event of the newest version, whose content others can compare', async () => {
    await putMany(300)
    const { event } = await proved('box', 'key-7')
    expect(event).toMatchObject({ type: 'VersionAdded', data: { bucket: 'box', key: 'key-7' } })
    const content = async function* (text: string) {
      yield encodeUtf8(text)
    }
    expect(await checkContent(hashing, event, content('bytes 7'))).toMatchObject({ size: 7, algorithm: 'MD5' })
    expect(await codeOf(checkContent(hashing, event, content('bytes 8')))).toBe('ProofInvalid')
    expect(await codeOf(checkContent(hashing, event, content('bytes 77')))).toBe('ProofInvalid')
  })

  it('names the SHA-256 of a content, where the client sent it', async () => {
    const value = toBase64(sha256(hashing, encodeUtf8('plain')))
    await store.objects.put('box', 'sum', 'plain', { checksum: { algorithm: 'SHA256', expected: value } })
    const { event } = await proved('box', 'sum')
    const content = async function* () {
      yield encodeUtf8('plain')
    }
    expect(await checkContent(hashing, event, content())).toEqual({
      size: 5,
      algorithm: 'SHA256',
      isCollisionResistant: true,
    })
  })

  it('is there for versions that were replaced, removed and erased, and for delete markers', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const first = await store.objects.put('box', 'k', 'one')
    const second = await store.objects.put('box', 'k', 'two')
    await store.objects.delete('box', 'k', { versionId: first.versionId })
    const marker = await store.objects.delete('box', 'k')
    await store.sweep()
    expect((await proved('box', 'k', first.versionId)).seq).toBe(first.seq)
    expect((await proved('box', 'k', second.versionId)).seq).toBe(second.seq)
    expect((await proved('box', 'k', marker.versionId)).event.type).toBe('DeleteMarkerAdded')
    expect(await codeOf(store.proofs.prove({ bucket: 'box', key: 'k' }))).toBe('NoSuchKey')
    await store.objects.delete('box', 'k', { versionId: second.versionId })
    await store.objects.delete('box', 'k', { versionId: marker.versionId as string })
    await store.buckets.delete('box')
    expect((await proved('box', 'k', second.versionId)).seq).toBe(second.seq)
  })

  it('is not there for versions of another key, another bucket, and for what never was', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const { versionId } = await store.objects.put('box', 'k', 'one')
    for (const [bucket, key, id] of [
      ['box', 'other', versionId],
      ['crate', 'k', versionId],
      ['box', 'k', 'v0000000000zz111'],
    ] as const) {
      expect(await codeOf(store.proofs.prove({ bucket, key, versionId: id }))).toMatch(/NoSuch|InvalidArgument/)
    }
    expect(await codeOf(store.proofs.prove({ bucket: 'box', key: 'never' }))).toBe('NoSuchKey')
    expect(await codeOf(store.proofs.prove({ bucket: 'box' } as never))).toBe('InvalidArgument')
  })

  it('can be made by an earlier checkpoint, which witnesses have signed', async () => {
    await putMany(5)
    const { text: signed, size } = await store.proofs.checkpoint()
    const { key, line } = cosigned('witness.example/w', signed, 1_700_000_000)
    const { text: checkpoint } = await store.proofs.cosign(line, key)
    await putMany(40)
    const early = await store.objects.put('box', 'late', 'bytes')
    await store.proofs.checkpoint()
    const prove = (name: string, by: string) => store.proofs.prove({ bucket: 'box', key: name, checkpoint: by })
    await store.buckets.setVersioning('box', 'Enabled')
    const { versionId } = await store.objects.put('box', 'first', 'bytes')
    const later = await store.proofs.checkpoint()
    await putMany(3)
    const { text } = await store.proofs.prove({ bucket: 'box', key: 'first', versionId, checkpoint: later.text })
    expect(checkInclusion(checks, text, await keys()).size).toBe(later.size)
    expect(size).toBeLessThan(early.seq)
    expect(await codeOf(prove('late', checkpoint))).toBe('MomentOutOfRange')
    expect(await codeOf(prove('late', 'no note'))).toBe('ProofInvalid')
    expect(await codeOf(prove('late', later.text.replace(`\n${later.size}\n`, '\n9\n')))).toBe('ProofInvalid')
    await store.proofs.renewKey()
    expect(await codeOf(prove('late', later.text))).toBe('ProofInvalid')
  })

  it('is refused with any other key', async () => {
    await putMany(1)
    const { text } = await store.proofs.prove({ bucket: 'box', key: 'key-0' })
    await store.proofs.renewKey()
    const { key } = await store.proofs.key()
    expect(refusal(() => checkInclusion(checks, text, { key }))).toBe('ProofInvalid signature')
    expect(refusal(() => checkInclusion(checks, text, { key: formatOf(), origin: 'another' }))).toBe('ProofInvalid key')
    expect(refusal(() => checkInclusion(checks, text, { key: formatOf() }))).toMatchObject({ seq: store.seq })
  })
})

describe('the tree', () => {
  it('has the tiles of the specification, each as it was when it was partial', async () => {
    await putMany(600)
    const { size, root } = await store.proofs.checkpoint()
    const [first, last] = await Promise.all([
      store.proofs.tile('tile/0/000'),
      store.proofs.tile(`tile/0/002.p/${size - 512}`),
    ])
    expect(first).toHaveLength(256 * 32)
    expect(last).toHaveLength((size - 512) * 32)
    expect(await store.proofs.tile('tile/0/000.p/9')).toEqual(first?.slice(0, 9 * 32))
    expect(await store.proofs.tile('tile/1/000.p/2')).toHaveLength(64)
    expect(await store.proofs.tile('tile/1/000.p/3')).toBeUndefined()
    expect(await store.proofs.tile('tile/0/002')).toBeUndefined()
    expect(await store.proofs.tile('tile/2/000.p/1')).toBeUndefined()
    const entries = (await store.proofs.tile('tile/entries/000')) as Uint8Array
    expect(entries).toHaveLength(256 * 34)
    const [event] = await list(store.log({ from: 2, to: 2 }))
    expect(toBase64(entries.slice(2, 34))).toBe(Buffer.from(event?.prev ?? '', 'base64url').toString('base64'))
    expect(leafHash(hashing, entries.slice(2, 34))).toEqual(first?.slice(0, 32))
    expect(root).toHaveLength(44)
  })

  it('costs nothing until the first proof is requested', async () => {
    await putMany(5)
    expect(await treeRows()).toEqual([])
  })

  it('is the same bytes when it is made again', async () => {
    await putMany(520)
    const { text } = await store.proofs.checkpoint()
    const before = await treeRows()
    expect(before.length).toBeGreaterThan(3)
    await store.rebuild()
    const prefix = prefixOf(treeName, 2)
    const after = await ports.journal.cursor({ gte: prefix, lt: prefixOf(treeName, 3) }).next(10_000)
    const bytes = (rows: typeof before) => rows.map(([key, value]) => [key.slice(prefix.length), value.slice(4)])
    expect(bytes(after)).toEqual(bytes(before))
    expect((await store.proofs.checkpoint()).text).toBe(text)
  })

  it('is compared with the log by a verification, also where this process never used it', async () => {
    await putMany(3)
    await store.proofs.checkpoint()
    await store.close()
    store = await open()
    const verified = () => store.verify({ scratch: memoryJournal() })
    expect((await verified()).divergences).toEqual([])
    const [row] = await treeRows()
    const [key, value] = row as NonNullable<typeof row>
    await ports.journal.commit({
      events: [],
      rows: [{ key, value: value.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) }],
    })
    expect((await verified()).divergences.map(({ of }) => of?.keyspace)).toEqual([treeName])
    await store.rebuild()
    expect((await verified()).divergences).toEqual([])
  })

  it('is made again for a log that lost its end and went on otherwise', async () => {
    await putMany(4)
    await store.proofs.checkpoint()
    const rows = await list(rowsOf(ports))
    const [shorter, longer] = [memoryPorts(), memoryPorts()]
    for (const [i, other] of [shorter, longer].entries()) {
      ports = { ...ports, ...other, signer: fixtureSigner() }
      store = await open()
      await store.buckets.create('box')
      for (let k = 0; k < i * 9; k++) await store.objects.put('box', `other-${k}`, 'bytes')
      await ports.journal.commit({ events: [], rows, outsideLog: true })
      const { size } = await store.proofs.checkpoint()
      expect(size).toBe(store.seq)
      expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
    }
  })

  it('is not among the keyspaces of programs', async () => {
    await store.proofs.checkpoint()
    expect(await store.keyspaces.list()).toEqual([])
    expect(await codeOf(store.keyspaces.open(treeName, { version: 1 }))).toBe('InvalidArgument')
  })
})
