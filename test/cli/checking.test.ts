/** `varve verify`, `rebuild`, and the messages of every command for a store that is locked, missing or damaged. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openStore, verifyStore } from 'varve'
import { jsonLines, scratchPaths, start, varve } from './run-varve.ts'

const next = scratchPaths()
let dir: string

beforeEach(async () => {
  dir = next()
  const store = await openStore(dir, { inlineMax: 0 })
  await store.buckets.create('photos')
  await store.objects.put('photos', 'a', 'some bytes')
  await store.close()
})

const inDir = (...args: string[]) => varve([...args, '--dir', dir])

async function blobPath(): Promise<string> {
  const entries = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
  const blob = entries.find((entry) => entry.isFile())
  return join(dir, 'blobs', blob?.name.slice(0, 2) ?? '', blob?.name ?? '')
}

describe('varve verify', () => {
  it('reports that everything agrees', async () => {
    const people = await inDir('verify')
    expect(people).toMatchObject({ status: 0, stderr: '' })
    expect(people.stdout).toMatch(/^3 events, \d+ rows, 1 blobs, 10 bytes: everything agrees\.\n$/)
    const [report, ...more] = jsonLines((await inDir('verify', '--json')).stdout)
    expect(more).toEqual([])
    expect(report).toMatchObject({ kind: 'report', ok: true, events: 3, blobs: 1, bytes: 10, divergences: 0 })
  })

  it('finds damaged bytes, names them, and ends with 4', async () => {
    await writeFile(await blobPath(), 'some bytez')
    const { status, stdout } = await inDir('verify')
    expect(status).toBe(4)
    expect(stdout).toMatch(
      /^BlobCorrupt: .+ \(s3:\/\/photos\/a, version null, event 3, [0-9a-f]{32}\)\n.+: 1 divergences\.\n$/,
    )
    const json = jsonLines((await inDir('verify', '--json')).stdout)
    expect(json).toMatchObject([
      { kind: 'divergence', code: 'BlobCorrupt', seq: 3, key: expect.stringMatching(/^[0-9a-f]{32}$/) as string },
      { kind: 'report', ok: false, divergences: 1, leftovers: 0 },
    ])
    expect(await inDir('verify', '--blobs', 'skip')).toMatchObject({ status: 0 })
  })

  it('finds bytes that are gone, without reading any on request', async () => {
    await rm(await blobPath())
    expect(await inDir('verify', '--blobs', 'present')).toMatchObject({
      status: 4,
      stdout: expect.stringContaining('BlobMissing') as string,
    })
  })

  it('holds the log against an end remembered elsewhere', async () => {
    const { tip } = jsonLines((await inDir('verify', '--json')).stdout).at(-1) as { tip: { seq: number; hash: string } }
    expect(tip.seq).toBe(3)
    expect(await inDir('verify', '--tip', `3:${tip.hash}`)).toMatchObject({ status: 0 })
    expect(await inDir('verify', '--tip', `2:${tip.hash}`)).toMatchObject({
      status: 4,
      stdout: expect.stringContaining('TipDiffers: Event 2 is not the one that the given tip remembers.') as string,
    })
    expect(await inDir('verify', '--tip', `4:${tip.hash}`)).toMatchObject({
      status: 4,
      stdout: expect.stringContaining('LogShort: The log ends at 3; the given tip remembers event 4.') as string,
    })
    expect(await inDir('verify', '--tip', '3:short')).toMatchObject({ status: 2 })
  })

  it('counts what a crash left behind as no divergence, and leaves it', async () => {
    const orphan = join(dir, 'blobs', 'ab', 'ab'.repeat(16))
    await mkdir(dirname(orphan), { recursive: true })
    await writeFile(orphan, 'unnamed')
    expect(await verifyStore(dir)).toMatchObject({ ok: true, found: 1, leftovers: 1 })
    const { status, stdout } = await inDir('verify')
    expect(status).toBe(0)
    expect(stdout).toContain('1 leftovers of interrupted writes')
    expect(jsonLines((await inDir('verify', '--json')).stdout)).toMatchObject([
      { kind: 'leftover', code: 'BlobOrphan' },
      { kind: 'report', ok: true, divergences: 0, leftovers: 1 },
    ])
    expect(await readFile(orphan, 'utf8')).toBe('unnamed')
  })
})

describe('varve rebuild', () => {
  it('makes the views again, and they agree', async () => {
    expect(await inDir('rebuild')).toEqual({
      status: 0,
      signal: null,
      stdout: 'Made the views of 3 events again.\n',
      stderr: '',
    })
    expect(jsonLines((await inDir('rebuild', '--json')).stdout)).toEqual([{ kind: 'rebuilt', events: 3 }])
    expect(await inDir('verify')).toMatchObject({ status: 0 })
  })
})

describe('a store that cannot be opened', () => {
  it.each(['log', 'ls', 'verify', 'rebuild', 'serve'])(
    'is left by %s to an owner that does not listen, which is named: status 3',
    async (command) => {
      const store = await openStore(dir, { controlSocket: false })
      const { status, stdout, stderr } = await start([command, '--dir', dir]).ended
      await store.close()
      expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
      expect(stderr).toContain(`the store is held by process ${process.pid}`)
      expect(stderr).toContain('(StoreLocked)')
    },
  )

  it('names its owner in JSON', async () => {
    const store = await openStore(dir, { controlSocket: false })
    const { stderr } = await inDir('ls', '--json')
    await store.close()
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'StoreLocked', details: { pid: process.pid } } })
  })

  it('is not made by a command that looks: 6', async () => {
    const missing = next()
    expect(await varve(['log', '--dir', missing])).toMatchObject({
      status: 6,
      stderr: expect.stringContaining('(StoreNotFound)') as string,
    })
    await expect(readdir(missing)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('is not made where something else is, not even to be served: 6', async () => {
    const foreign = next()
    await mkdir(foreign)
    await writeFile(join(foreign, 'letter.txt'), 'dear reader')
    for (const command of ['ls', 'serve']) {
      expect(await varve([command, '--dir', foreign])).toMatchObject({ status: 6 })
    }
    expect(await readdir(foreign)).toEqual(['letter.txt'])
  })

  it('is refused when a newer release made it: 6', async () => {
    const format = join(dir, 'FORMAT')
    await writeFile(format, (await readFile(format, 'utf8')).replace('"version":1', '"version":99'))
    expect(await inDir('ls')).toMatchObject({
      status: 6,
      stderr: expect.stringContaining('(UnsupportedFormat)') as string,
    })
  })

  it('is refused when it is damaged: 5', async () => {
    await writeFile(join(dir, 'witness'), 'not what it was')
    for (const command of ['ls', 'serve']) {
      expect(await inDir(command)).toMatchObject({
        status: 5,
        stderr: expect.stringContaining('(LogCorrupt)') as string,
      })
    }
  })

  it('is verified all the same, and stays as it is', async () => {
    const files = async () =>
      (await readdir(dir, { recursive: true })).filter((name) => !name.startsWith('scratch')).sort()
    await writeFile(join(dir, 'witness'), 'not what it was')
    await rm(join(dir, 'FORMAT'))
    const before = await files()
    const { status, stdout } = await inDir('verify')
    expect(status).toBe(4)
    expect(stdout).toContain('WitnessDamaged: ')
    expect(stdout).toContain('FormatMissing: ')
    expect(stdout).toContain('1 blobs, 10 bytes: 2 divergences.')
    expect(await files()).toEqual(before)
  })
})
