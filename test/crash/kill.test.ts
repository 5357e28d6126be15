/**
 * SIGKILL in the middle of load, again and again on one store: nothing acknowledged is lost, and everything verifies.
 * VARVE_KILLS sets how often (`npm run test:kill`: 100). A kill tests recovery, not syncing: that takes power cuts.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openStore } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Expectations } from './audit.ts'
import type { Said } from './load.ts'

const kills = Number(process.env['VARVE_KILLS'] ?? 5)
const writer = fileURLToPath(new URL('../dist/crash/writer.js', import.meta.url))

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
        expect(expectations.acknowledged, 'the writer acknowledged something before it was killed').toBeGreaterThan(
          before,
        )
        const store = await openStore(directory)
        expect(await expectations.audit(store)).toEqual([])
        await store.sweep({ orphans: true })
        expect((await store.verify()).divergences).toEqual([])
        await store.close()
        expect(await readdir(join(directory, 'tmp'))).toEqual([])
      }
      console.log(`${kills} kills, ${expectations.acknowledged} acknowledged writes, none lost`)
    },
    30_000 + kills * 15_000,
  )
})

/** Runs the writer until it has acknowledged something, and then a random while longer. */
async function runAndKill(directory: string, first: number, expectations: Expectations): Promise<void> {
  const child = spawn(process.execPath, [writer, directory, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })
  let armed = false
  for await (const line of lines) {
    const said = JSON.parse(line) as Said
    expectations.hear(said)
    if (armed || said.what !== 'did') continue
    armed = true
    setTimeout(() => child.kill('SIGKILL'), Math.random() * 400)
  }
  await ended
  expect(child.signalCode, 'the writer was killed, it did not fail').toBe('SIGKILL')
}
