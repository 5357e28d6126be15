/**
 * SIGKILL in the middle of load, again and again on one store: nothing acknowledged is lost, and everything verifies. A
 * keyspace that follows the log meanwhile has the rows of its cursor.
 * VARVE_KILLS sets how often (`npm run suite kill`: 100), for the default layout; the databases are killed twice, or as often
 * with VARVE_LAYOUT. A kill tests recovery, not syncing: that takes power cuts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makingNamed, type MakingName } from '../layouts/layout-parts.ts'
import { Expectations, inspect } from './load/audit.ts'
import type { Greeting, Orders, Claim } from './load/load.ts'
import { Child } from './machine/child.ts'

const killsGiven = Number(process.env['VARVE_KILLS'] ?? 3)
const layoutGiven = makingNamed(process.env['VARVE_LAYOUT'])
const subjects: readonly (readonly [MakingName, kills: number])[] =
  layoutGiven === undefined
    ? [
        ['level+files', killsGiven],
        ['lmdb+tiered', 2],
        ['sqlite+files', 2],
      ]
    : [[layoutGiven, killsGiven]]

describe.each(subjects)('a store of layout %s whose process is killed %i times', (layout, kills) => {
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
        await runAndKill({ directory, layout, first: kill * 1_000_000, counts: true }, expectations)
        expect(expectations.acknowledged, 'the writer acknowledged something before').toBeGreaterThan(before)
        expect(await inspect({ directory, layout }, expectations)).toEqual([])
      }
      console.log(`${kills} kills, ${expectations.acknowledged} acknowledged writes, none lost`)
    },
    30_000 + kills * 15_000,
  )
})

/** Runs the writer until it has acknowledged something, and then a random while longer. */
async function runAndKill(orders: Orders, expectations: Expectations): Promise<void> {
  const writer = new Child<Claim | Greeting>('load/writer.js')
  writer.hear((line) => {
    if ('what' in line) expectations.hear(line)
  })
  writer.report(orders)
  await writer.line((line) => 'what' in line && line.what === 'did')
  await delay(Math.random() * 400)
  expect((await writer.kill()).signal, 'the writer was killed, it did not fail').toBe('SIGKILL')
}
