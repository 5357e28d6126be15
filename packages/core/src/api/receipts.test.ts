/** Receipts of writes, checked as a client would check them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { checkInclusion } from '../proofs/check-proof.ts'
import { codeOf } from './answers.fixture.ts'
import { fixtureSigner, type FixtureSigner, verifySignature } from './log-signer.fixture.ts'
import { hashing, memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine, openForReading } from './open-engine.ts'
import type { Store } from './store.ts'

let signer: FixtureSigner
let ports: MemoryPorts & { signer: FixtureSigner }
let store: Store

const receipt = true

beforeEach(async () => {
  signer = fixtureSigner()
  ports = { ...memoryPorts(), signer }
  store = await openEngine(ports, { inlineMax: 64, retentionMs: 0 })
  await store.buckets.create('box')
})

const checked = async (text: string | undefined) =>
  checkInclusion({ hashing, verifySignature }, text ?? '', { key: (await store.proofs.key()).key })

describe('a write with a receipt', () => {
  it('proves the event that it has committed, for each kind of write', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const put = await store.objects.put('box', 'a', 'bytes', { receipt })
    expect(await checked(put.receipt)).toMatchObject({
      seq: put.seq,
      size: put.seq,
      event: { type: 'VersionAdded', data: { bucket: 'box', key: 'a' } },
    })
    const copy = await store.objects.copy({ bucket: 'box', key: 'a' }, 'box', 'b', { receipt })
    expect(await checked(copy.receipt)).toMatchObject({ seq: copy.seq, event: { data: { key: 'b' } } })
    const upload = await store.uploads.create('box', 'c')
    const part = await store.uploads.uploadPart(upload, 1, 'part')
    const completed = await store.uploads.complete(upload, [part], { receipt })
    expect(await checked(completed.receipt)).toMatchObject({ seq: completed.seq, event: { type: 'UploadCompleted' } })
    const marker = await store.objects.delete('box', 'a', { receipt })
    expect((await checked(marker.receipt)).event).toMatchObject({ type: 'DeleteMarkerAdded', data: { key: 'a' } })
    const removed = await store.versions.delete('box', 'a', put.versionId, { receipt })
    expect((await checked(removed.receipt)).event).toMatchObject({ type: 'VersionRemoved', data: { key: 'a' } })
  })

  it('has no receipt if it changed nothing, or did not request one', async () => {
    expect(await store.objects.delete('box', 'none', { receipt })).toEqual({ deleteMarker: false })
    expect(await store.objects.put('box', 'a', 'bytes')).not.toHaveProperty('receipt')
    expect(await store.objects.put('box', 'a', 'bytes', { receipt: false })).not.toHaveProperty('receipt')
    expect(signer.note).toBeDefined()
  })

  it('signs nothing and makes no tree for writes without a receipt', async () => {
    await store.objects.put('box', 'a', 'bytes')
    await store.objects.delete('box', 'a')
    expect(signer.note).toBeUndefined()
  })

  it('proves a deletion in a bucket without versioning', async () => {
    await store.objects.put('box', 'a', 'bytes')
    const { receipt: text } = await store.objects.delete('box', 'a', { receipt })
    expect((await checked(text)).event.type).toBe('VersionRemoved')
  })

  it('shares one signature with the writes that wait at the same time', async () => {
    await store.objects.put('box', 'first', 'bytes', { receipt })
    const { sign } = signer
    let signed = 0
    signer.sign = (message) => {
      signed++
      return sign(message)
    }
    const writes = Array.from({ length: 100 }, (_, i) => store.objects.put('box', `key-${i}`, 'bytes', { receipt }))
    for (const put of await Promise.all(writes)) expect((await checked(put.receipt)).seq).toBe(put.seq)
    expect(signed).toBeLessThan(20)
  })

  it('is refused before anything is written where no receipt can be made', async () => {
    const { signer: _signer, ...without } = ports
    const keyless = await openEngine({ ...without, ...memoryPorts() })
    await keyless.buckets.create('box')
    expect(await codeOf(keyless.objects.put('box', 'a', 'bytes', { receipt }))).toBe('NotImplemented')
    expect(await keyless.objects.exists('box', 'a')).toBe(false)
    const { seq } = store
    const refused = store.transaction(({ objects }) => objects.put('box', 'a', 'bytes', { receipt }))
    expect(await codeOf(refused)).toBe('InvalidRequest')
    expect(await codeOf(store.objects.put('box', 'a', 'bytes', { receipt: 'yes' as never }))).toBe('InvalidArgument')
    expect(store.seq).toBe(seq)
  })

  it('is refused before anything is written if the log is not the one that was signed', async () => {
    const copy = { ...memoryPorts(), signer }
    await store.objects.put('box', 'a', 'bytes', { receipt })
    const other = await openEngine(copy)
    await other.buckets.create('box')
    const { seq } = other
    expect(await codeOf(other.objects.put('box', 'b', 'bytes', { receipt }))).toBe('CheckpointConflict')
    expect(other.seq).toBe(seq)
  })

  it('is refused in a store that is read-only', async () => {
    await store.objects.put('box', 'a', 'bytes')
    await store.close()
    const reading = await openForReading(ports)
    expect(await codeOf(reading.objects.delete('box', 'a', { receipt }))).toBe('ReadOnly')
  })

  it('that fails when it is signed says that it is committed, and where', async () => {
    await store.objects.put('box', 'first', 'bytes', { receipt })
    const { keep } = signer
    signer.keep = () => Promise.reject(new Error('no disk'))
    const failure = await store.objects.put('box', 'a', 'bytes', { receipt }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'ReceiptFailed', details: { seq: store.seq } })
    signer.keep = keep
    const { text } = await store.proofs.proveEvent(store.seq)
    expect(await checked(text)).toMatchObject({ seq: store.seq, event: { data: { key: 'a' } } })
  })

  it('goes on after a checkpoint that failed', async () => {
    await store.objects.put('box', 'first', 'bytes', { receipt })
    const { sign } = signer
    signer.sign = () => Promise.reject(new Error('no key'))
    expect(await codeOf(store.objects.put('box', 'a', 'bytes', { receipt }))).toBe('ReceiptFailed')
    signer.sign = sign
    const put = await store.objects.put('box', 'b', 'bytes', { receipt })
    expect((await checked(put.receipt)).seq).toBe(put.seq)
  })
})

describe('an event', () => {
  it('of any kind is proven by its position, also by an earlier checkpoint', async () => {
    const earlier = await store.proofs.checkpoint()
    await store.objects.put('box', 'a', 'bytes')
    const { text } = await store.proofs.proveEvent(1, { checkpoint: earlier.text })
    expect(await checked(text)).toMatchObject({ seq: 1, size: earlier.size })
    expect(await codeOf(store.proofs.proveEvent(store.seq, { checkpoint: earlier.text }))).toBe('MomentOutOfRange')
    expect(await codeOf(store.proofs.proveEvent(store.seq + 1))).toBe('MomentOutOfRange')
    expect(await codeOf(store.proofs.proveEvent(0))).toBe('InvalidArgument')
  })
})
