/** A directory of the old format: what upgrades it, what refuses it, and what remains after an interruption or damage. */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStoreDirectory } from '@varve/adapters'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type LayoutName,
  migrateStore,
  openStore,
  type OpenStoreOptions,
  repairStore,
  salvageStore,
  type Store,
  verifyStore,
} from 'varve'
import { scratchPaths, start, varve } from '../cli/run-varve.ts'
import { treeOf } from '#varve/store/open-read-only.fixture'
import { bodyOf, bucket, keyOf, oldFormat, sealed, writeOldStore } from './old-store.ts'

const next = scratchPaths()
const objects = 1200
const layouts: readonly LayoutName[] = ['level+files', 'segments+tiered']
const made = new Map<LayoutName, string>()

beforeAll(async () => {
  for (const layout of layouts) {
    const path = next()
    await writeOldStore(path, { layout, objects })
    made.set(layout, path)
  }
}, 60_000)

async function copyOf(layout: LayoutName): Promise<string> {
  const path = next()
  await cp(made.get(layout) as string, path, { recursive: true })
  return path
}

const quiet: OpenStoreOptions = { create: false, sweepEveryMs: 0, lifecycle: false, hashingThreads: 0 }

async function expectWhole(path: string, layout: LayoutName): Promise<void> {
  const store = await openStore(path, quiet)
  expect(store.layout).toBe(layout)
  await expectContents(store)
  expect((await store.verify()).divergences).toEqual([])
  await store.close()
  expect(await readdir(path)).not.toContain('migrating')
  expect(JSON.parse(await readFile(join(path, 'FORMAT'), 'utf8'))).toMatchObject({ version: 3, state: 'ready' })
}

async function expectContents(store: Store): Promise<void> {
  let count = 0
  for await (const _ of store.objects.list(bucket)) count++
  expect(count).toBe(objects)
  for (const i of [0, 1, 7, objects - 1]) {
    const object = await store.objects.get(bucket, keyOf(i))
    expect((await object.text()) === bodyOf(i), keyOf(i)).toBe(true)
  }
  const ends: unknown[] = []
  for await (const event of store.log({ from: store.seq })) ends.push(event)
  expect(ends[0]).toMatchObject({ type: 'FormatUpgraded', data: { to: 3, events: objects + 1 } })
}

/** The old store is what it was: the old release opens it. */
async function expectOld(path: string, layout: LayoutName): Promise<void> {
  expect(await readFile(join(path, 'FORMAT'), 'utf8')).toBe(oldFormat(layout))
  const directory = await openStoreDirectory(path, { create: false, acceptsOlder: true })
  expect(await directory.journal.head()).toBe(objects + 1)
  await directory.close()
}

describe.each(layouts)('a store of the old format, of layout %s,', (layout) => {
  it('is upgraded by the opening of its owner', async () => {
    const path = await copyOf(layout)
    const stages = new Set<string | undefined>()
    const store = await openStore(path, { ...quiet, onProgress: ({ stage }) => void stages.add(stage) })
    await expectContents(store)
    await store.objects.put(bucket, 'new', 'after the upgrade')
    await store.objects.delete(bucket, 'new')
    await store.close()
    expect([...stages].filter((stage) => stage !== undefined)).toEqual(['events', 'views', 'bytes', 'check'])
    expect(await verifyStore(path)).toMatchObject({ ok: true, divergences: [] })
  })

  it('is upgraded by migrateStore, with another layout or as it is', async () => {
    const path = await copyOf(layout)
    const upgradedFrom = layout === 'level+files' ? 1 : 2
    const report = { from: layout, to: layout, events: objects + 2, upgradedFrom, blobs: 0 }
    expect(await migrateStore(path)).toMatchObject(report)
    expect(await migrateStore(path)).not.toHaveProperty('upgradedFrom')
    await expectWhole(path, layout)
    const other = await copyOf(layout)
    const to = layout === 'level+files' ? 'segments+segments' : 'level+files'
    expect(await migrateStore(other, to)).toMatchObject({ ...report, to, blobs: 2 })
    await expectWhole(other, to)
  })

  it('is refused, and not touched, by what only reads it and by what does not upgrade', async () => {
    const path = await copyOf(layout)
    const before = await treeOf(path)
    const older = { code: 'UnsupportedFormat', details: { kind: 'older' } }
    await expect(openStore(path, { ...quiet, upgrade: false })).rejects.toMatchObject(older)
    await expect(openStore(path, { readOnly: true })).rejects.toMatchObject(older)
    await expect(verifyStore(path)).rejects.toMatchObject(older)
    await expect(verifyStore(path, { readOnly: true })).rejects.toMatchObject(older)
    await expect(repairStore(path)).rejects.toMatchObject(older)
    await expect(salvageStore(path, next())).rejects.toMatchObject(older)
    await expect(openStoreDirectory(path)).rejects.toMatchObject(older)
    const upgrade = openStore(path, { readOnly: true, upgrade: true })
    await expect(upgrade).rejects.toMatchObject({ code: 'InvalidArgument' })
    const listed = await varve(['log', '--dir', path])
    expect(listed).toMatchObject({ status: 6, stderr: expect.stringContaining('varve migrate') as string })
    const names = Object.keys(before)
    const after = await treeOf(path)
    for (const name of names.filter((each) => each !== 'lock'))
      expect(after[name as never]).toEqual(before[name as never])
    await expectOld(path, layout)
  })

  it.each(['events', 'views', 'bytes', 'check'])('continues after a stop in the stage %s', async (stopped) => {
    const path = await copyOf(layout)
    const givenUp = new AbortController()
    const stop = openStore(path, {
      ...quiet,
      signal: givenUp.signal,
      onProgress: ({ stage }) => stage === stopped && givenUp.abort(new Error('enough')),
    })
    // The last stage may be over before the signal is looked at.
    const outcome = await stop.then(
      (store) => store.close().then(() => 'done'),
      (error: unknown) => String(error),
    )
    if (stopped !== 'check') {
      expect(outcome).toContain('enough')
      await expectOld(path, layout)
    }
    await expectWhole(path, layout)
  })

  it('stays locked while it is upgraded', async () => {
    const path = await copyOf(layout)
    const others = new Map<string, Promise<unknown>>()
    const store = await openStore(path, {
      ...quiet,
      onProgress({ stage = 'none' }) {
        if (others.has(stage)) return
        const other = openStore(path, quiet)
        others.set(
          stage,
          other.catch((error: unknown) => error),
        )
      },
    })
    const errors = await Promise.all(others.values())
    await store.close()
    expect(errors.length).toBeGreaterThanOrEqual(4)
    for (const error of errors) expect(error).toMatchObject({ code: 'StoreLocked' })
  })
})

describe('a store of the old format', () => {
  it('that is damaged stops the upgrade at the damaged event, and stays as it was', async () => {
    const path = next()
    await writeOldStore(path, { layout: 'level+files', objects, damaged: 700 })
    for (let i = 0; i < 2; i++) {
      const refused = { code: 'LogCorrupt', details: { seq: 700, kind: 'checksum' } }
      await expect(openStore(path, quiet)).rejects.toMatchObject(refused)
      await expectOld(path, 'level+files')
    }
    const report = await varve(['migrate', '--dir', path])
    expect(report).toMatchObject({ status: 5, stderr: expect.stringContaining('Event 700') as string })
  })

  it('that lost its end is refused, and stays as it was', async () => {
    const path = await copyOf('level+files')
    const directory = await openStoreDirectory(path, { acceptsOlder: true })
    await directory.witness.write({ seq: objects + 9, hash: 'lost' })
    await directory.close()
    await expect(openStore(path, quiet)).rejects.toMatchObject({ code: 'AcknowledgedWritesLost' })
    await expectOld(path, 'level+files')
  })

  it('that finds no room in the middle of the upgrade continues when there is some', async () => {
    const path = await copyOf('segments+tiered')
    const cramped = await start(['migrate', '--dir', path], {}, 'ulimit -f 1000').ended
    expect(cramped.status, cramped.stderr).not.toBe(0)
    expect(cramped.stderr).toMatch(/NoSpace|JournalFailed/)
    expect(await readdir(path)).toContain('migrating')
    await expectOld(path, 'segments+tiered')
    const moved = await varve(['migrate', '--dir', path])
    expect(moved.stdout).toBe('Upgraded the store from format 2. The store has the layout segments+tiered.\n')
    await expectWhole(path, 'segments+tiered')
  })

  it('with a damaged FORMAT, or one of a newer release, is refused', async () => {
    const path = await copyOf('level+files')
    const format = join(path, 'FORMAT')
    for (const [text, kind] of [
      ['{"version":1', 'damaged'],
      [oldFormat('level+files').replace('ready', 'raedy'), 'damaged'],
      ['{"version":4}', 'newer'],
    ] as const) {
      await writeFile(format, text)
      const refused = { code: 'UnsupportedFormat', details: { kind } }
      await expect(openStore(path, quiet)).rejects.toMatchObject(refused)
      await expect(migrateStore(path)).rejects.toMatchObject(refused)
    }
    await rm(path, { recursive: true })
  })

  it('is not upgraded for the sake of a layout that there is not', async () => {
    const path = await copyOf('level+files')
    const refused = { code: 'InvalidArgument', details: { ArgumentName: 'layout' } }
    await expect(migrateStore(path, 'paper+ink' as LayoutName)).rejects.toMatchObject(refused)
    await expect(openStore(path, { ...quiet, layout: 'segments+files' })).rejects.toMatchObject(refused)
    await expectOld(path, 'level+files')
  })

  it('whose upgrade was interrupted at its end is neither verified nor repaired before an opening finished it', async () => {
    const path = await copyOf('level+files')
    await (await openStore(path, quiet)).close()
    const format = join(path, 'FORMAT')
    const { crc: _, ...fields } = JSON.parse(await readFile(format, 'utf8')) as Readonly<Record<string, string>>
    await writeFile(format, sealed({ ...fields, state: 'switching' }))
    const switching = { code: 'ReadOnly', details: { kind: 'switching' } }
    await expect(verifyStore(path)).rejects.toMatchObject(switching)
    await expect(verifyStore(path, { readOnly: true })).rejects.toMatchObject(switching)
    await expect(repairStore(path)).rejects.toMatchObject(switching)
    await expect(salvageStore(path, next())).rejects.toMatchObject(switching)
    await expectWhole(path, 'level+files')
  })

  it('is served after it was upgraded, unless the server is not to upgrade it', async () => {
    const path = await copyOf('level+files')
    const refused = await varve(['serve', path, '--port', '0', '--no-upgrade'])
    expect(refused).toMatchObject({ status: 6, stderr: expect.stringContaining('UnsupportedFormat') as string })
    const byVariable = await varve(['serve', path, '--port', '0'], { VARVE_NO_UPGRADE: '1' })
    expect(byVariable).toMatchObject({ status: 6 })
    await expectOld(path, 'level+files')
    const server = start(['serve', path, '--port', '0', '--json'])
    await server.line((line) => line.includes('"ready"'))
    expect(server.stdout()).toContain(JSON.stringify({ kind: 'upgrading', events: objects + 1 }))
    server.process.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ status: 0 })
    await expectWhole(path, 'level+files')
  })

  it('is upgraded from the first event if the new log that is there belongs to another state of it', async () => {
    const path = await copyOf('level+files')
    const givenUp = new AbortController()
    await openStore(path, {
      ...quiet,
      signal: givenUp.signal,
      onProgress: ({ stage }) => stage === 'bytes' && givenUp.abort(new Error('enough')),
    }).catch(() => undefined)
    expect(await readdir(path)).toContain('migrating')
    // The new log names the end of the old one, and that is another event now.
    const other = next()
    await writeOldStore(other, { layout: 'level+files', objects: objects + 5 })
    for (const part of ['events', 'witness', 'seal', 'blobs']) {
      await rm(join(path, part), { recursive: true })
      await cp(join(other, part), join(path, part), { recursive: true })
    }
    const store = await openStore(path, quiet)
    expect(store.seq).toBe(objects + 7)
    expect((await store.verify()).divergences).toEqual([])
    await store.close()
  })
})
