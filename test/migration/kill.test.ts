/**
 * SIGKILL in the middle of an upgrade, at random: the next upgrade continues, and nothing is lost. VARVE_UPGRADE_KILLS sets
 * how often; `npm run suite migration` kills the upgrade of a large store.
 */
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrateStore, openStore, verifyStore } from 'varve'
import { unpackDirectory } from '../compat/directory-archive.ts'
import { openGolden } from '../compat/golden-directories.ts'
import { storeFacts, type StoreFacts } from '../compat/store-facts.ts'
import { newSeed, randomFrom } from '../support/random.ts'
import { startUpgrade, upgradeWithKills } from './killed-upgrade.ts'
import { bodyOf, bucket, keyOf, writeOldStore } from './old-store.ts'

const kills = Number(process.env['VARVE_UPGRADE_KILLS'] ?? 2)
const objects = 1500
const golden = join(import.meta.dirname, '../compat/directories/old')

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'varve-upgrade-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

describe('a process that upgrades a store and is killed', () => {
  it.each(['level+files', 'segments+tiered', 'sqlite+tiered'] as const)(
    `%s, up to ${kills} times, has upgraded it in the end, with everything in it`,
    async (layout) => {
      const directory = join(scratch, layout)
      const seed = newSeed()
      await writeOldStore(directory, { layout, objects })
      const runs = await upgradeWithKills(directory, kills, randomFrom(seed))
      expect(runs.at(-1), `seed ${seed}`).toMatchObject({ killed: false, stderr: '' })
      expect(runs.length, 'something was killed').toBeGreaterThan(1)
      expect(await verifyStore(directory), `seed ${seed}`).toMatchObject({ ok: true, events: objects + 2 })
      const store = await openGolden(directory)
      for (let i = 0; i < objects; i += 97) {
        const text = await (await store.objects.get(bucket, keyOf(i))).text()
        expect(text === bodyOf(i), `seed ${seed}, ${keyOf(i)}`).toBe(true)
      }
      await store.close()
    },
    60_000 + kills * 10_000,
  )

  it('has the store for itself, even while it is stopped', async () => {
    const directory = join(scratch, 'locked')
    await writeOldStore(directory, { layout: 'level+files', objects })
    const child = startUpgrade(directory)
    const ended = once(child, 'close')
    await once(child.stdout, 'data')
    child.kill('SIGSTOP')
    for (const open of [openStore, migrateStore])
      await expect(open(directory)).rejects.toMatchObject({ code: 'StoreLocked' })
    child.kill('SIGCONT')
    child.stdout.resume()
    expect(await ended).toEqual([0, null])
    expect(await verifyStore(directory)).toMatchObject({ ok: true, events: objects + 2 })
  })

  it('of every kind of object and version shows a reader the same as before', async () => {
    const directory = join(scratch, 'golden')
    const seed = newSeed()
    await unpackDirectory(await readFile(join(golden, 'level+files-killed.br')), directory)
    await upgradeWithKills(directory, kills, randomFrom(seed))
    const expected = JSON.parse(await readFile(join(golden, 'expected.json'), 'utf8')) as StoreFacts
    const store = await openGolden(directory)
    expect(await storeFacts(store, expected.end), `seed ${seed}`).toEqual(expected)
    expect((await store.verify()).divergences).toEqual([])
    await store.close()
  })
})
