import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addEntry, assertAddable, readLedger, withEntry } from './ledger.ts'
import { entryFor } from './ledger.fixture.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-ledger-'))
})
afterEach(() => rm(directory, { recursive: true }))

const entry = entryFor('0.2.0')
const place = (replace = false, label = 'epyc') => ({ directory, label, replace })
const other = { ...entry.machine, processors: 64 }

it('the ledger of Varve can be read', async () => {
  const entries = await readLedger(fileURLToPath(new URL('../../ledger', import.meta.url)))
  expect(entries.length).toBeGreaterThan(0)
})

describe('a ledger', () => {
  it('has no entries before the first, and then all in the order of the releases', async () => {
    expect(await readLedger(join(directory, 'absent'))).toEqual([])
    for (const one of [entryFor('0.10.0'), entry, entryFor('0.2.0', { label: 'a' }), entryFor('0.10.0-rc.1')])
      await addEntry(place(), one)
    await writeFile(join(directory, 'README.md'), 'not an entry')
    const read = await readLedger(directory)
    expect(read.map(({ varve, label }) => `${varve} ${label}`)).toEqual([
      '0.2.0 a',
      '0.2.0 epyc',
      '0.10.0-rc.1 epyc',
      '0.10.0 epyc',
    ])
    expect(read[1]).toEqual(entry)
  })

  it('keeps an entry that exists, unless it is to be replaced', async () => {
    const path = await addEntry(place(), entry)
    const before = await readFile(path, 'utf8')
    const newer = entryFor('0.2.0', { note: 'newer' })
    const exists = { code: 'LedgerEntryExists', message: expect.stringContaining(path) as string }
    await expect(assertAddable(place(), entry)).rejects.toMatchObject(exists)
    await expect(addEntry(place(), newer)).rejects.toMatchObject(exists)
    expect(await readFile(path, 'utf8')).toBe(before)
    await assertAddable(place(true), entry)
    await addEntry(place(true), newer)
    expect(await readLedger(directory)).toMatchObject([{ note: 'newer' }])
    expect(await readdir(directory)).toHaveLength(1)
    expect(withEntry([entry], newer)).toEqual([newer])
  })

  it('takes no figures of another machine under a label that is in use', async () => {
    await addEntry(place(), entry)
    const run = { varve: '0.3.0', machine: other }
    await expect(assertAddable(place(), run)).rejects.toMatchObject({
      code: 'OtherMachine',
      message: expect.stringMatching(/epyc is 2 × A processor with ext4 in .*0\.2\.0-epyc\.json/) as string,
    })
    await assertAddable(place(false, 'threadripper'), run)
    await assertAddable(place(), { varve: '0.3.0', machine: { ...entry.machine, platform: 'linux 7 x64' } })
    // Its only entry is replaced, so nothing is left to compare with.
    await assertAddable(place(true), { varve: '0.2.0', machine: other })
  })

  it('with a broken entry, or a file under a wrong name, cannot be read, and the error names the file', async () => {
    const path = await addEntry(place(), entry)
    const copy = join(directory, '0.3.0-epyc.json')
    await copyFile(path, copy)
    const wrongName = `${copy} holds 0.2.0 on epyc, whose file is 0.2.0-epyc.json.`
    await expect(readLedger(directory)).rejects.toMatchObject({ code: 'BrokenLedgerEntry', message: wrongName })
    await rm(copy)
    await writeFile(path, '{')
    const broken = { code: 'BrokenLedgerEntry', message: expect.stringContaining(`${path} is not JSON`) as string }
    await expect(readLedger(directory)).rejects.toMatchObject(broken)
    await expect(assertAddable(place(true), entry)).rejects.toMatchObject(broken)
  })
})
