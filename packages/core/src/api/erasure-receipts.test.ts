/** Receipts of erasures, checked as a stranger would check them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { checkErasure } from '../proofs/check-erasure.ts'
import { parseErasure } from '../proofs/erasure-file.ts'
import { codeOf } from './answers.fixture.ts'
import { keyIdsOf } from './data-keys.fixture.ts'
import { fixtureSigner, verifySignature } from './log-signer.fixture.ts'
import { hashing, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

const makePorts = () => ({ ...memoryPorts(), signer: fixtureSigner(), ciphers, keyring: testKeyring('master') })

let ports: ReturnType<typeof makePorts>
let store: Store

const open = () => openEngine(ports, { inlineMax: 16, retentionMs: 1_000_000 })

beforeEach(async () => {
  ports = makePorts()
  store = await open()
  await store.buckets.create('box', { versioning: 'Enabled' })
  await store.buckets.create('plain')
})

const long = 'longer than any inline content'
const checked = async (text: string | undefined) =>
  checkErasure({ hashing, verifySignature }, text ?? '', { key: (await store.proofs.key()).key })
/** Puts and removes two versions of a key. */
async function removedTwo(key: string, encryption?: { readonly mode: 'AES256' }) {
  const options = encryption === undefined ? {} : { encryption }
  const first = await store.objects.put('box', key, 'short', options)
  const second = await store.objects.put('box', key, long, options)
  for (const { versionId } of [first, second]) await store.versions.delete('box', key, versionId)
  return [first, second] as const
}
/** Puts one object so often that as many versions were replaced. */
const putMany = async (count: number) => {
  await Promise.all(Array.from({ length: count }, () => store.objects.put('plain', 'many', 'x')))
}
const kindOf = (call: () => unknown): unknown => {
  try {
    call()
    return 'accepted'
  } catch (error) {
    return (error as { details?: { kind?: string } }).details?.kind
  }
}

describe('the receipt of an erasure', () => {
  it('proves which versions were erased, by whom, and when their bytes were dropped', async () => {
    const [first, second] = await removedTwo('a')
    const erasing = store.as({ by: { id: 'ann', name: 'Ann' }, requestId: '0123456789abcdef0123456789abcdef' })
    const { receipt, requests, entries } = await erasing.erase({ bucket: 'box', key: 'a', receipt: true })
    expect(entries).toHaveLength(2)
    const found = await checked(receipt)
    expect(found.size).toBe(store.seq)
    expect(found.requests).toEqual([
      expect.objectContaining({ seq: requests[0], by: { id: 'ann', name: 'Ann' }, bucket: 'box' }),
    ])
    const byKey = [second, first].map(({ seq, versionId, size, etag }) => ({ seq, versionId, size, etag }))
    for (const version of byKey) {
      expect(found.versions).toContainEqual(
        expect.objectContaining({
          ...version,
          key: 'a',
          encrypted: false,
          erased: { seq: expect.any(Number), at: expect.any(Date) },
        }),
      )
    }
  })

  it('says that the data keys went with the bytes, and they are gone from the journal', async () => {
    await removedTwo('a', { mode: 'AES256' })
    expect(keyIdsOf(ports)).toHaveLength(2)
    const { receipt } = await store.erase({ bucket: 'box', key: 'a', receipt: true })
    expect(keyIdsOf(ports)).toEqual([])
    expect((await checked(receipt)).versions.map(({ encrypted }) => encrypted)).toEqual([true, true])
  })

  it('covers objects of several parts, and copies that share bytes', async () => {
    const upload = await store.uploads.create('box', 'parts')
    const part = await store.uploads.uploadPart(upload, 1, 'part of an object')
    const { versionId } = await store.uploads.complete(upload, [part])
    await store.objects.copy({ bucket: 'box', key: 'parts' }, 'box', 'copy')
    const { receipt } = await store.erase({ bucket: 'box', prefix: '', live: true, receipt: true })
    const { versions } = await checked(receipt)
    expect(versions.map(({ key }) => key)).toEqual(['copy', 'parts'])
    expect(versions.every(({ erased }) => erased !== undefined)).toBe(true)
    expect(versions[1]).toMatchObject({ versionId })
  })

  it('covers more versions than one commit takes, with copies that share bytes in one of them', async () => {
    await putMany(260)
    await store.objects.put('plain', 'z', long)
    await store.objects.copy({ bucket: 'plain', key: 'z' }, 'plain', 'a')
    const { receipt, requests, refused } = await store.erase({ bucket: 'plain', prefix: '', live: true, receipt: true })
    expect(requests).toHaveLength(2)
    expect(refused).toEqual([])
    expect((await checked(receipt)).versions).toHaveLength(262)
  })

  it('says which bytes wait for reads, and can be made again when they are gone', async () => {
    const body = 'x'.repeat(3 << 20)
    const { versionId } = await store.objects.put('box', 'a', body)
    const read = await store.objects.get('box', 'a')
    await store.versions.delete('box', 'a', versionId)
    const { receipt, requests, pending } = await store.erase({ bucket: 'box', key: 'a', receipt: true })
    expect(pending).toBe(1)
    expect((await checked(receipt)).versions).toEqual([expect.not.objectContaining({ erased: expect.anything() })])
    expect(await read.text()).toBe(body)
    await store.sweep()
    const later = await store.proofs.erasure(requests)
    expect(later).toMatchObject({ versions: 1, pending: 0 })
    expect((await checked(later.text)).versions[0]).toHaveProperty('erased')
  })

  it('can be made after the store was opened again, and the log verifies', async () => {
    await removedTwo('a', { mode: 'AES256' })
    const { requests } = await store.erase({ bucket: 'box', key: 'a' })
    await store.close()
    store = await open()
    const { text } = await store.proofs.erasure(requests)
    expect((await checked(text)).versions).toHaveLength(2)
    expect((await store.verify()).divergences).toEqual([])
  })

  it('is absent if nothing was erased, for a plan, and unless requested', async () => {
    await removedTwo('a')
    const plan = await store.erase({ bucket: 'box', key: 'a', dryRun: true, receipt: true })
    expect(plan).toMatchObject({ requests: [] })
    expect(plan).not.toHaveProperty('receipt')
    expect(await store.erase({ bucket: 'box', key: 'a' })).not.toHaveProperty('receipt')
  })

  it('is of the new request for what had been erased before', async () => {
    const made = await removedTwo('a')
    const { requests: before } = await store.erase({ bucket: 'box', key: 'a' })
    const { erasedBefore, requests, receipt = '' } = await store.erase({ bucket: 'box', key: 'a', receipt: true })
    expect([erasedBefore, requests.length]).toEqual([2, 1])
    expect(requests).not.toEqual(before)
    const facts = await checked(receipt)
    expect(facts.requests.map(({ seq }) => seq)).toEqual(requests)
    expect(facts.versions.map(({ seq }) => seq)).toEqual(made.map(({ seq }) => seq).toReversed())
    expect(facts.versions.every(({ erased }) => erased !== undefined)).toBe(true)
    expect((await store.verify()).divergences).toEqual([])
  })

  it('is refused before anything is erased: without a key for the log, and for too many versions', async () => {
    const { signer: _signer, ...keyless } = { ...ports, ...memoryPorts() }
    const other = await openEngine(keyless, { retentionMs: 1_000_000 })
    await other.buckets.create('box')
    await other.objects.put('box', 'a', 'bytes')
    const request = { bucket: 'box', prefix: '', live: true, receipt: true }
    expect(await codeOf(other.erase(request))).toBe('NotImplemented')
    expect(await other.objects.exists('box', 'a')).toBe(true)
    await putMany(1001)
    const { seq } = store
    expect(await codeOf(store.erase({ ...request, bucket: 'plain' }))).toBe('InvalidRequest')
    expect(store.seq).toBe(seq)
  })

  it('is refused for events that are no requests', async () => {
    expect(await codeOf(store.proofs.erasure([1]))).toBe('InvalidArgument')
    expect(await codeOf(store.proofs.erasure([]))).toBe('InvalidArgument')
    expect(await codeOf(store.proofs.erasure([store.seq + 1]))).toBe('MomentOutOfRange')
  })
})

describe('a receipt that was put together otherwise', () => {
  it('is refused with an event less, with one that has no part in it, and with other numbers', async () => {
    await removedTwo('a')
    const { receipt = '' } = await store.erase({ bucket: 'box', key: 'a', receipt: true })
    const keys = { key: (await store.proofs.key()).key }
    const kind = (text: string) => kindOf(() => checkErasure({ hashing, verifySignature }, text, keys))
    const { entries } = parseErasure(receipt)
    const sections = receipt.split('\n\n')
    for (let i = 1; i <= entries.length; i++) expect(kind(sections.toSpliced(i, 1).join('\n\n'))).toBe('event')
    expect(kind(receipt.replace('erased 2 of 2', 'erased 1 of 2'))).toBe('event')
    expect(kind(sections.toSpliced(1, 0, sections[1] as string).join('\n\n'))).toBe('format')
    const { text: proof } = await store.proofs.proveEvent(1)
    const foreign = proof.slice(proof.indexOf('\n') + 1, proof.indexOf('\n\n'))
    expect(kind(sections.toSpliced(1, 0, foreign).join('\n\n'))).toBe('event')
  })
})
