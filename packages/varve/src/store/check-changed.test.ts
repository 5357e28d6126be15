import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { JobStatus, Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { repairStore } from '../maintenance/closed-stores.ts'
import { openStore } from './open-store.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'varve-changed-'))
  for (let i = 0; i < 3; i++) {
    const store = await openStore(dir)
    if (i === 0) await store.buckets.create('box')
    for (let k = 0; k < 50; k++) await store.objects.put('box', `${i} ${k}`, `value ${i} ${k}`)
    await store.close()
  }
})

afterEach(async () => {
  vi.restoreAllMocks()
  await rm(dir, { recursive: true, force: true })
})

const tables = async (): Promise<readonly string[]> =>
  (await readdir(join(dir, 'events'))).filter((name) => name.endsWith('.ldb')).sort()

/** The memory that an opening leaves for files that have not changed for some time. */
async function remember(): Promise<void> {
  const { files } = JSON.parse(await readFile(join(dir, 'seal'), 'utf8')) as { files: [string, number, number][] }
  const checked: unknown[] = []
  for (const [name, size, crc] of files.filter(([each]) => each.endsWith('.ldb'))) {
    const { ino, mtimeNs, ctimeNs } = await stat(join(dir, 'events', name), { bigint: true })
    checked.push([name, size, crc, String(ino), String(mtimeNs), String(ctimeNs)])
  }
  const fields = { version: 1, files: checked }
  const crc = crc32(JSON.stringify(fields)).toString(16).padStart(8, '0')
  await writeFile(join(dir, 'checked'), `${JSON.stringify({ ...fields, crc })}\n`)
}

/** Damages a table in a way that the file system does not show. */
async function rot(): Promise<string> {
  const [table = ''] = await tables()
  const path = join(dir, 'events', table)
  const bytes = await readFile(path)
  // Padding, so that a repair finds all events.
  bytes[bytes.length - 10] = (bytes[bytes.length - 10] as number) ^ 1
  await writeFile(path, bytes)
  await remember()
  return table
}

const jobOf = (store: Store): JobStatus | undefined => store.jobs.find(({ name }) => name === 'log-files')

describe("openStore with check: 'changed'", () => {
  it('reads what it trusted in the background, and says so', async () => {
    await remember()
    const store = await openStore(dir, { check: 'changed' })
    await vi.waitFor(() => expect(jobOf(store)?.lastRun).toBeDefined(), { timeout: 30_000 })
    expect(jobOf(store)?.lastError).toBeUndefined()
    expect(store.state).toBe('open')
    await store.close()
  })

  it('reads nothing in the background if the opening read everything', async () => {
    const store = await openStore(dir, { check: 'changed' })
    expect(jobOf(store)).toBeUndefined()
    await store.close()
  })

  it('closes at once while the background reads', async () => {
    await remember()
    const store = await openStore(dir, { check: 'changed' })
    await store.close()
    const again = await openStore(dir)
    expect(await again.objects.head('box', '2 49')).toMatchObject({ size: 10 })
    await again.close()
  })

  it('fails the store when it finds damage: nothing more is answered, and no opening succeeds until a repair', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const table = await rot()
    const store = await openStore(dir, { check: 'changed' })
    await vi.waitFor(() => expect(store.state).toBe('failed'), { timeout: 30_000 })
    const error = { code: 'LogCorrupt', details: { kind: 'files', file: table } }
    expect(jobOf(store)?.lastError).toMatchObject({ error })
    const failed = { code: 'StoreFailed', cause: error }
    await expect(store.objects.head('box', '0 0')).rejects.toMatchObject(failed)
    await expect(store.objects.listPage('box')).rejects.toMatchObject(failed)
    await expect(store.objects.put('box', 'new', 'x')).rejects.toMatchObject(failed)
    expect(warned.mock.calls).toEqual([[expect.stringContaining(table), 'VarveDamageWarning']])
    await store.close()
    for (const check of ['changed', 'bytes', 'sizes'] as const) {
      await expect(openStore(dir, { check })).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'files' } })
    }
    await repairStore(dir)
    const repaired = await openStore(dir, { check: 'changed' })
    for (const i of [0, 1, 2]) expect(await repaired.objects.head('box', `${i} 49`)).toMatchObject({ size: 10 })
    await repaired.close()
  })

  it('trusts nothing if it only reads', async () => {
    const table = await rot()
    const refused = openStore(dir, { check: 'changed', readOnly: true })
    await expect(refused).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'files', file: table } })
  })
})
