/** Proofs and receipts that are longer than other texts of callers may be. */
import { isStorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { attachStore } from '../attached/attach-store.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { checkCheckpoint, checkErasureReceipt, checkLogConsistency, checkProof } from './proofs.ts'

const scratch = scratchDirectory()
const versions = 120
/** The most that a text of a caller may have, unless more is stated. */
const usual = 64 * 1024

describe('a proof of many or of large events', () => {
  it('is checked, and comes from a store of another process too', async () => {
    const dir = scratch.next()
    const store = await openStore(dir)
    const attached = await attachStore(dir)
    try {
      const keys = { key: (await store.proofs.key()).key }
      await store.buckets.create('photos', { versioning: 'Enabled' })
      for (const key of ['here', 'there']) {
        await Promise.all(Array.from({ length: versions }, (_, i) => store.objects.put('photos', key, `secret ${i}`)))
      }
      const { receipt: here = '' } = await store.erase({ bucket: 'photos', key: 'here', live: true, receipt: true })
      const erased = await attached.erase({ bucket: 'photos', key: 'there', live: true, receipt: true })
      const { text } = await attached.proofs.erasure(erased.requests)
      for (const receipt of [here, erased.receipt ?? '', text]) {
        expect(receipt.length).toBeGreaterThan(usual)
        expect((await checkErasureReceipt(receipt, keys)).versions).toHaveLength(versions)
      }

      const prefixes = Array.from({ length: 200 }, (_, i) => `${i}/`.padEnd(500, 'x'))
      const rules = prefixes.map((prefix, i) => ({
        id: `r${i}`,
        status: 'Enabled' as const,
        filter: { prefix },
        filterForm: 'filter' as const,
        expiration: { days: 1 },
      }))
      await store.buckets.settings.put('photos', 'Lifecycle', { rules })
      const proof = await attached.proofs.proveEvent(store.seq)
      expect(proof.text.length).toBeGreaterThan(usual)
      expect((await checkProof(proof.text, keys)).seq).toBe(store.seq)
    } finally {
      await attached.close()
      await store.close()
    }
  })

  it('is refused for its form if it is none, and not for its length', async () => {
    const store = await openStore(scratch.next())
    const keys = { key: (await store.proofs.key()).key }
    await store.close()
    const lines = 'ab\n'.repeat(1_000_000)
    const given = [
      `c2sp.org/tlog-proof@v1\n${lines}\n`,
      `varve-erasure-receipt@v1\nerased 1 of 1\n\n${lines.replaceAll('\n', '\n\n')}`,
      `varve-erasure-receipt@v1\nerased 1 of 1\n\n${lines}`,
      `old 1\n${lines}\n`,
      `${lines}\n`,
    ]
    for (const text of given) {
      const checks = [
        checkProof(text, keys),
        checkErasureReceipt(text, keys),
        checkCheckpoint(text, keys),
        checkLogConsistency({ proof: text, earlier: text }, keys),
      ]
      for (const { reason } of (await Promise.allSettled(checks)) as PromiseRejectedResult[]) {
        expect(isStorageError(reason, 'ProofInvalid'), String(reason)).toBe(true)
      }
    }
  })
})
