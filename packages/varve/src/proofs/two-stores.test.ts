/** Two stores on one journal make one tree. */
import { memoryBlobs, memoryJournal } from '@varve/adapters'
import { describe, expect, it } from 'vitest'
import { memoryLogSigner } from '../files/log-signer.ts'
import { openStore } from '../store/open-store.ts'

describe('stores that share a journal', () => {
  it('follow the log with one tree, in any order, and sign the same roots', async () => {
    const [journal, blobs] = [await memoryJournal(), memoryBlobs()]
    const open = (name: string) => openStore({ journal, blobs, signer: memoryLogSigner(name) })
    const [one, two] = [await open('one'), await open('two')]
    await one.buckets.create('box')
    for (let round = 0; round < 12; round++) {
      const puts = Array.from({ length: 40 }, (_, i) => (i % 2 ? one : two).objects.put('box', `${round}-${i}`, 'x'))
      const during = [one, two, one, two].map((store) => store.proofs.checkpoint())
      await Promise.all([...puts, ...during])
      const [a, b] = await Promise.all([one.proofs.checkpoint(), two.proofs.checkpoint()])
      expect(a.size).toBe(b.size)
      expect(a.root).toBe(b.root)
    }
    expect((await one.verify()).divergences).toEqual([])
    await Promise.all([one.close(), two.close()])
    await journal.close()
  })

  it('have no checkpoints without a key for the log, and have tiles', async () => {
    const [journal, blobs] = [await memoryJournal(), memoryBlobs()]
    const store = await openStore({ journal, blobs })
    await expect(store.proofs.checkpoint()).rejects.toMatchObject({ code: 'NotImplemented' })
    await expect(store.proofs.key()).rejects.toMatchObject({ code: 'NotImplemented' })
    expect(await store.proofs.tile('tile/0/000.p/1')).toHaveLength(32)
    await store.close()
    await journal.close()
  })
})
