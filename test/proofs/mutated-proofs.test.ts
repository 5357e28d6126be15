/**
 * No changed proof is accepted. VARVE_MUTATED_PROOFS sets how many are tried; `npm run suite mutated-proofs` tries 100,000.
 * VARVE_PROOFS_SEED repeats a run.
 */
import { checkCheckpoint, checkErasureReceipt, checkLogConsistency, checkProof, isStorageError } from 'varve'
import { beforeAll, describe, expect, it } from 'vitest'
import { newSeed, randomFrom } from '../support/random.ts'
import { makeMaterial, type Material } from './material.ts'
import { mutated } from './mutations.ts'

const count = Number(process.env['VARVE_MUTATED_PROOFS'] ?? 2000)
const seed = Number(process.env['VARVE_PROOFS_SEED'] ?? newSeed())

let material: Material
beforeAll(async () => {
  material = await makeMaterial()
}, 60_000)

type Check = (text: string) => Promise<unknown>

/**
 * Signatures of keys that the verifier does not know are passed over, as C2SP signed-note requires: a proof with one more of them
 * says the same.
 */
const withoutOtherSignatures = (text: string): string => {
  const { origin, key } = material.key
  const id = Buffer.from(key.split('+')[1] ?? '', 'hex')
  const lines = text.split('\n')
  const isOther = (line: string): boolean => {
    const [, name, base64] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? []
    if (name === undefined || base64 === undefined) return false
    return name !== origin || !Buffer.from(base64, 'base64').subarray(0, 4).equals(id)
  }
  return lines.filter((line) => !isOther(line)).join('\n')
}

/** The texts that were accepted, or that ended in another error than a refusal. */
async function accepted(texts: readonly string[], times: number, check: Check): Promise<readonly string[]> {
  const random = randomFrom(seed)
  const wrong: string[] = []
  for (let tried = 0; tried < times; ) {
    const change = mutated(random.pick(texts), random, { all: texts })
    if (change === undefined) continue
    tried++
    if (texts.includes(withoutOtherSignatures(change.text))) continue
    const outcome = await check(change.text).then(
      () => 'accepted',
      (error: unknown) => (isStorageError(error, 'ProofInvalid') ? undefined : String(error)),
    )
    if (outcome !== undefined) wrong.push(`${outcome}: ${change.how}\n${change.text}`)
  }
  return wrong
}

describe(`${count} changed proofs, seed ${seed},`, () => {
  it('begin with proofs that are right', async () => {
    const { key, proofs, receipts, erasures, erasedUploads, checkpoints, consistencies } = material
    for (const text of receipts) expect((await checkProof(text, key)).event.type).toBe('VersionAdded')
    for (const text of erasures) {
      const { versions } = await checkErasureReceipt(text, key)
      expect(versions.map(({ erased }) => erased !== undefined)).toEqual([true, true])
    }
    for (const text of erasedUploads) {
      const { uploads } = await checkErasureReceipt(text, key)
      expect(uploads.map(({ erased, aborted }) => [erased !== undefined, aborted])).toEqual([
        [true, true],
        [true, true],
      ])
    }
    for (const text of proofs) expect((await checkProof(text, key)).origin).toBe(key.origin)
    for (const [i, proof] of consistencies.entries()) {
      const checked = await checkLogConsistency({ proof, earlier: checkpoints[i] as string }, key)
      expect(checked.size).toBeGreaterThan(checked.earlier)
    }
  })

  it(
    'are all refused as proofs of versions',
    async () => {
      expect(await accepted(material.proofs, count, (text) => checkProof(text, material.key))).toEqual([])
    },
    30_000 + count * 10,
  )

  it(
    'are all refused as receipts of writes',
    async () => {
      const { key, receipts } = material
      expect(await accepted(receipts, Math.ceil(count / 4), (text) => checkProof(text, key))).toEqual([])
    },
    30_000 + count * 10,
  )

  it(
    'are all refused as receipts of erasures',
    async () => {
      const { key, erasures, erasedUploads } = material
      const all = [...erasures, ...erasedUploads]
      expect(await accepted(all, count, (text) => checkErasureReceipt(text, key))).toEqual([])
    },
    30_000 + count * 10,
  )

  it(
    'are all refused as proofs that the log only grew',
    async () => {
      const { key, checkpoints, consistencies } = material
      for (const [i, earlier] of checkpoints.slice(0, -1).entries()) {
        const own = consistencies[i] as string
        const check: Check = (proof) => checkLogConsistency({ proof, earlier }, key)
        expect(await accepted([own], Math.ceil(count / 10 / consistencies.length), check)).toEqual([])
        for (const other of consistencies) if (other !== own) await expect(check(other)).rejects.toThrow()
      }
    },
    30_000 + count * 10,
  )

  it(
    'are all refused as checkpoints',
    async () => {
      const check: Check = (text) => checkCheckpoint(text, material.key)
      expect(await accepted(material.checkpoints, Math.ceil(count / 10), check)).toEqual([])
    },
    30_000 + count * 10,
  )
})
