/**
 * SIGKILL in the middle of load, again and again on one store: nothing acknowledged is lost, and everything verifies.
 * VARVE_KILLS sets how often (`npm run test:kill`: 100). A kill tests recovery, not syncing: that takes power cuts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Expectations, inspect } from './load/audit.ts'
import type { Greeting, Said } from './load/load.ts'
import { Child } from './machine/child.ts'

const kills = Number(process.env['VARVE_KILLS'] ?? 5)

describe(`a store whose process is killed ${kills} times`, () => {
  let directory: string
  const expectations = new Expectations()

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'varve-kill-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it(
    'keeps everything it acknowledged, and verifies after every kill',
    async () => {
      for (let kill = 0; kill < kills; kill++) {
        const before = expectations.acknowledged
        await runAndKill(directory, kill * 1_000_000, expectations)
        expect(expectations.acknowledged, 'the writer acknowledged something before').toBeGreaterThan(before)
        expect(await inspect(directory, expectations)).toEqual([])
      }
      console.log(`${kills} kills, ${expectations.acknowledged} acknowledged writes, none lost`)
    },
    30_000 + kills * 15_000,
  )
})

/** Runs the writer until it has acknowledged something, and then a random while longer. */
async function runAndKill(directory: string, first: number, expectations: Expectations): Promise<void> {
  const writer = new Child<Said | Greeting>('load/writer.js')
  writer.hear((line) => {
    if ('what' in line) expectations.hear(line)
  })
  writer.tell({ directory, first })
  await writer.line((line) => 'what' in line && line.what === 'did')
  await delay(Math.random() * 400)
  expect((await writer.kill()).signal, 'the writer was killed, it did not fail').toBe('SIGKILL')
}
