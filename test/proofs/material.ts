/** A store with many kinds of versions, and proofs of it at many sizes. */
import { createHash } from 'node:crypto'
import { type LogKey, memoryStore, type PutResult, type Store } from 'varve'

export interface Material {
  readonly key: LogKey
  /** Proofs of versions. */
  readonly proofs: readonly string[]
  /** Checkpoints, each later than the one before. */
  readonly checkpoints: readonly string[]
  /** Receipts of writes and of erasures. */
  readonly receipts: readonly string[]
  readonly erasures: readonly string[]
  /** Receipts of erasures of uploads. */
  readonly erasedUploads: readonly string[]
  /** Proofs of consistency from a checkpoint to the next one. */
  readonly consistencies: readonly string[]
}

/** The sizes at which proofs are made. */
const rounds = [1, 2, 3, 5, 8, 30, 90, 200, 300]

export async function makeMaterial(): Promise<Material> {
  const store = await memoryStore()
  try {
    await store.buckets.create('box')
    await store.buckets.setVersioning('box', 'Enabled')
    const [proofs, checkpoints, consistencies]: [string[], string[], string[]] = [[], [], []]
    const [receipts, erasures, erasedUploads]: [string[], string[], string[]] = [[], [], []]
    let size = 0
    for (const [round, puts] of rounds.entries()) {
      for (let i = 0; i < puts; i++) await putOne(store, round, i)
      if (size > 0) consistencies.push((await store.proofs.consistency(size)).text)
      receipts.push((await putOne(store, round, puts, true)).receipt ?? '')
      erasures.push(await eraseSome(store, round, puts))
      erasedUploads.push(await eraseUploads(store, round))
      const checkpoint = await store.proofs.checkpoint()
      checkpoints.push(checkpoint.text)
      size = checkpoint.size
      for (const at of new Set([0, Math.floor(puts / 2), puts - 1])) {
        proofs.push((await store.proofs.prove({ bucket: 'box', key: `${round}/${at}` })).text)
      }
      if (round > 0) proofs.push((await store.proofs.prove({ bucket: 'box', key: '0/0' })).text)
    }
    return { key: await store.proofs.key(), proofs, receipts, erasures, erasedUploads, checkpoints, consistencies }
  } finally {
    await store.close()
  }
}

/** Erases the object that was put last, and a copy of it. */
async function eraseSome(store: Store, round: number, i: number): Promise<string> {
  const from = { bucket: 'box', key: `${round}/${i}` }
  await store.objects.copy(from, 'box', `${round}/${i}-copy`)
  const { receipt = '' } = await store.erase({ bucket: 'box', prefix: `${round}/${i}`, live: true, receipt: true })
  return receipt
}

/** Erases an upload in progress with a part that was replaced, and one that was aborted. */
async function eraseUploads(store: Store, round: number): Promise<string> {
  const [open, aborted] = [
    await store.uploads.create('box', `${round}/open`),
    await store.uploads.create('box', `${round}/over`),
  ]
  for (const upload of [open, open, aborted]) await store.uploads.uploadPart(upload, 1, 'x')
  await store.uploads.abort(aborted)
  const { receipt = '' } = await store.erase({ bucket: 'box', prefix: `${round}/o`, uploads: 'only', receipt: true })
  return receipt
}

async function putOne(store: Store, round: number, i: number, receipt = false): Promise<PutResult> {
  const body = `bytes ${round} ${i}`
  const expected = createHash('sha256').update(body).digest('base64')
  return store.objects.put('box', `${round}/${i}`, body, {
    contentType: 'text/plain',
    checksum: { algorithm: 'SHA256', expected },
    receipt,
    metadata: i % 50 === 7 ? { note: 'x'.repeat(1500) } : {},
  })
}
