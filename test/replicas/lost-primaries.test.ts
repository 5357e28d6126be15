/**
 * VARVE_LOST_PRIMARIES sets how many primaries are lost (`npm run suite lost-primaries`: 100), half of them with a synchronous replica.
 * VARVE_S3_BLOBS_… name another S3 server for the replicas than one of Varve.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Loss, losePrimary } from './lost-primaries.ts'
import { type ReplicaServer, startReplicaServer } from './replica-server.ts'

const rounds = Number(process.env['VARVE_LOST_PRIMARIES'] ?? 2)

describe('a primary that is killed under load, and whose disk is lost', () => {
  let directory: string
  let server: ReplicaServer

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'varve-lost-'))
    server = await startReplicaServer()
  })
  afterAll(async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  })

  async function lose(isSynchronous: boolean, round: number): Promise<Loss> {
    const { endpoint, env } = server
    return losePrimary({
      dir: directory,
      replica: server.freshReplica()(endpoint),
      everyMs: 200,
      isSynchronous,
      env,
      loadMs: 500 + ((round * 613) % 1500),
    })
  }

  it.each([
    ['synchronous', true],
    ['asynchronous', false],
  ] as const)(
    'is restored from a replica that is %s, whole and with what it acknowledged',
    async (_name, isSynchronous) => {
      const losses: Loss[] = []
      for (let round = 0; round < rounds / 2; round++) {
        const loss = await lose(isSynchronous, round)
        losses.push(loss)
        expect(loss.problems).toEqual([])
        expect(loss.acknowledged).toBeGreaterThan(0)
        if (isSynchronous) expect(loss.lost).toBe(0)
      }
      const sum = (of: (loss: Loss) => number) => losses.reduce((total, loss) => total + of(loss), 0)
      const oldest = Math.max(...losses.map(({ oldestLostMs }) => oldestLostMs))
      console.log(
        `${losses.length} primaries lost: ${sum(({ acknowledged }) => acknowledged)} acknowledged writes, ${sum(({ lost }) => lost)} lost, the oldest ${oldest} ms before the kill; restored in ${Math.round(sum(({ restoreMs }) => restoreMs) / losses.length)} ms`,
      )
    },
    60_000 + rounds * 30_000,
  )
})
