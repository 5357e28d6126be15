/** A store with many kinds of versions, and proofs of it at many sizes. */
import { createHash } from 'node:crypto'
import { type LogKey, memoryStore, type Store } from 'varve'

export interface Material {
  readonly key: LogKey
  /** Proofs of versions. */
  readonly proofs: readonly string[]
  /** Checkpoints, each later than the one before. */
  readonly checkpoints: readonly string[]
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
    let size = 0
    for (const [round, puts] of rounds.entries()) {
      for (let i = 0; i < puts; i++) await putOne(store, round, i)
      if (size > 0) consistencies.push((await store.proofs.consistency(size)).text)
      const checkpoint = await store.proofs.checkpoint()
      checkpoints.push(checkpoint.text)
      size = checkpoint.size
      for (const at of new Set([0, Math.floor(puts / 2), puts - 1])) {
        proofs.push((await store.proofs.prove({ bucket: 'box', key: `${round}/${at}` })).text)
      }
      if (round > 0) proofs.push((await store.proofs.prove({ bucket: 'box', key: '0/0' })).text)
    }
    return { key: await store.proofs.key(), proofs, checkpoints, consistencies }
  } finally {
    await store.close()
  }
}

async function putOne(store: Store, round: number, i: number): Promise<void> {
  const body = `bytes ${round} ${i}`
  const expected = createHash('sha256').update(body).digest('base64')
  await store.objects.put('box', `${round}/${i}`, body, {
    contentType: 'text/plain',
    checksum: { algorithm: 'SHA256', expected },
    metadata: i % 50 === 7 ? { note: 'x'.repeat(1500) } : {},
  })
}
