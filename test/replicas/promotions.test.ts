/**
 * VARVE_PROMOTIONS sets how many followers are promoted (`npm run suite promotions`: 100), half of them of a synchronous primary.
 * VARVE_S3_BLOBS_… name another S3 server for the replicas than one of Varve.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fault, promoteFollower, type Promotion } from './promotions.ts'
import { type ReplicaServer, startReplicaServer } from './replica-server.ts'

const rounds = Number(process.env['VARVE_PROMOTIONS'] ?? 4)
const faults: readonly Fault[] = ['cut off', 'paused', 'none', 'killed']

describe('a follower that is promoted', () => {
  let directory: string
  let server: ReplicaServer
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'varve-promoted-'))
    server = await startReplicaServer()
  })
  afterAll(async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  })

  it.each([
    ['synchronous', true],
    ['asynchronous', false],
  ] as const)(
    'in place of a primary whose replica is %s has what counted, and the old primary takes no more writes',
    async (name, isSynchronous) => {
      const promotions: Promotion[] = []
      for (let round = 0; round < rounds / 2; round++) {
        const fault = faults[round % faults.length] as Fault
        const dir = await mkdtemp(join(directory, 'round-'))
        const promotion = await promoteFollower({
          dir,
          server,
          everyMs: 100,
          isSynchronous,
          fault,
          loadMs: 500 + ((round * 613) % 1500),
        })
        promotions.push(promotion)
        expect(promotion.problems).toEqual([])
        expect(promotion.acknowledged).toBeGreaterThan(0)
        if (isSynchronous) expect(promotion.lost).toBe(0)
      }
      const most = (of: (promotion: Promotion) => number) => Math.round(Math.max(...promotions.map(of)))
      const sum = (of: (promotion: Promotion) => number) => promotions.reduce((total, one) => total + of(one), 0)
      console.log(
        `${promotions.length} promotions, ${name}: ${sum(({ acknowledged }) => acknowledged)} acknowledged writes, ${sum(({ lost }) => lost)} lost; at most ${most(({ lagEvents }) => lagEvents)} events behind, promoted in ${most(({ promotionMs }) => promotionMs)} ms, fenced in ${most(({ fencedMs }) => fencedMs)} ms`,
      )
    },
    120_000 + rounds * 60_000,
  )
})
