import { spawnSync } from 'node:child_process'
import { mkdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../../scratch-directory.fixture.ts'
import { claimName } from './directory-name.ts'
import { HeldDirectory } from './held-directory.ts'
import { lockFile, lockFileName } from './lock-file.ts'
import { type Racer, startRacers } from './lock-racers.fixture.ts'

const scratch = scratchDirectory()
const directories: HeldDirectory[] = []
const racers: Racer[] = []

afterEach(async () => {
  await Promise.all([
    ...directories.splice(0).map((directory) => directory.release()),
    ...racers.splice(0).map((racer) => racer.kill()),
  ])
})

async function directory(): Promise<string> {
  const path = scratch.next()
  await mkdir(path)
  return path
}

const missing = async () => undefined

async function take(path: string, addon = true): Promise<HeldDirectory> {
  const file = (at: string) => (addon ? lockFile(at) : lockFile(at, missing))
  const identity = await stat(path, { bigint: true })
  const held = await HeldDirectory.take(path, identity, { lock: { file, name: claimName } })
  directories.push(held)
  return held
}

async function start(count: number, within?: readonly string[]): Promise<Racer[]> {
  const started = await startRacers(count, within)
  racers.push(...started)
  return started
}

/** As another container on the same volume is: no socket of ours can be reached. */
const isolated = ['unshare', '--net', '--pid', '--fork', '--kill-child']
const canIsolate = process.platform === 'linux' && spawnSync('unshare', [...isolated.slice(1), 'true']).status === 0
if (!canIsolate) console.log('Not tested from other namespaces: unshare is not permitted here.')

describe('a directory that several processes want', () => {
  it('goes to one of eight, with the addon or without, and is free the moment its owner is killed', async () => {
    const path = await directory()
    const isolatedOnes = await start(4, canIsolate ? isolated : [])
    let contestants = [...(await start(4)), ...isolatedOnes]
    for (let round = 0; round < 6; round++) {
      const orders = contestants.map((_, i) => ({ path, addon: (i + round) % 2 === 0 }))
      const answers = await Promise.all(contestants.map((racer, i) => racer.ask(orders[i] as (typeof orders)[number])))
      const winner = answers.findIndex(({ won }) => won === true)
      expect(answers.filter(({ won }) => won === true)).toHaveLength(1)
      for (const answer of answers) if (answer.won !== true) expect(answer.code).toBe('StoreLocked')
      await expect(take(path, round % 2 === 0)).rejects.toMatchObject({ code: 'StoreLocked' })
      await contestants[winner]?.kill()
      const again = () => take(path, round % 4 < 2)
      // Of one in another PID namespace only the program that started it is known to be gone.
      const isKnownGone = !isolatedOnes.includes(contestants[winner] as Racer)
      const next = await (isKnownGone ? again() : vi.waitFor(again, 30_000))
      await next.release()
      contestants = contestants.filter((_, i) => i !== winner)
    }
  }, 120_000)

  it.each([
    [true, false],
    [false, true],
    [false, false],
  ])(
    'stays with its owner (addon: %s) when others are refused in its process and outside (addon: %s)',
    async (mine, theirs) => {
      const path = await directory()
      const [racer] = await start(1)
      const held = await take(path, mine)
      for (let attempt = 0; attempt < 2; attempt++) {
        // What a process without the addon has, it loses when it closes the file: a refusal must not do that.
        await expect(take(path, mine)).rejects.toMatchObject({ code: 'StoreLocked' })
        expect(await racer?.ask({ path, addon: theirs })).toMatchObject({ won: false, code: 'StoreLocked' })
      }
      await held.release()
      expect(await racer?.ask({ path, addon: theirs })).toMatchObject({ won: true })
      await expect(take(path, mine)).rejects.toMatchObject({ code: 'StoreLocked' })
    },
    60_000,
  )

  it.runIf(process.platform === 'linux').each([true, false])(
    'names its holder, under every spelling of the path (addon: %s)',
    async (addon) => {
      const path = await directory()
      const link = scratch.next()
      await symlink(path, link)
      const [racer] = await start(1)
      await racer?.ask({ path: link, addon })
      for (const spelling of [path, link, `${path}/.`, `${path}/../${path.split('/').at(-1)}`]) {
        await expect(take(spelling)).rejects.toMatchObject({ code: 'StoreLocked', details: { pid: racer?.pid } })
      }
    },
    60_000,
  )

  it.each([true, false])(
    'is given once within a process, and again when it was released (addon: %s)',
    async (addon) => {
      const path = await directory()
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => take(path, addon)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const [held] = directories
      await Promise.all([held?.release(), held?.release()])
      await take(path, addon)
      await held?.release()
      await expect(take(path, addon)).rejects.toMatchObject({ code: 'StoreLocked' })
    },
  )
})

describe('a directory whose lock file is gone', () => {
  it.each([true, false])('is not held any more, and never again (addon: %s)', async (addon) => {
    const path = await directory()
    const held = await take(path, addon)
    await held.assertHeld()
    await rm(join(path, lockFileName))
    const lost = { code: 'BlobFailed', details: { kind: 'lock' } }
    await expect(held.assertHeld()).rejects.toMatchObject(lost)
    const other = await lockFile(path)
    await expect(held.assertHeld()).rejects.toMatchObject(lost)
    await other.release()
    await expect(held.assertHeld()).rejects.toMatchObject(lost)
  })
})
