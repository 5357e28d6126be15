import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Divergence, ScrubReport } from '@varve/core'
import { describe, expect, it, vi } from 'vitest'
import { openStore } from '../store/open-store.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const { next } = scratchDirectory()
const fast = { bytesPerSecond: 2 ** 40, everyMs: 1000 }

async function damagedStore(): Promise<string> {
  const dir = next()
  const store = await openStore(dir, { inlineMax: 0 })
  await store.buckets.create('box')
  await store.objects.put('box', 'key', 'some bytes')
  await store.close()
  const blobs = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
  const blob = blobs.find((entry) => entry.isFile())
  await writeFile(join(blob?.parentPath ?? '', blob?.name ?? ''), 'some bytez')
  return dir
}

describe('a store that scrubs', () => {
  it('reports damage in every pass, and the pass itself', async () => {
    const dir = await damagedStore()
    const found: Divergence[] = []
    const passes: ScrubReport[] = []
    const scrub = {
      ...fast,
      onDivergence: (divergence: Divergence) => found.push(divergence),
      onPass: (report: ScrubReport) => passes.push(report),
    }
    const store = await openStore(dir, { scrub })
    await vi.waitFor(() => expect(passes.length).toBeGreaterThanOrEqual(2), { timeout: 10_000 })
    await store.close()
    expect(found).toHaveLength(passes.length)
    expect(found[0]).toMatchObject({ kind: 'BlobCorrupt', seq: 3, of: { bucket: 'box', key: 'key' } })
    expect(passes[0]).toMatchObject({ ok: false, events: 3, blobs: 0, found: 1 })
  })

  it('goes on where it came to before it was closed, and rests when it is through', async () => {
    const dir = await damagedStore()
    const onPass = vi.fn()
    const slow = await openStore(dir, { scrub: { bytesPerSecond: 1, everyMs: 3_600_000, onPass } })
    await new Promise((resolve) => setTimeout(resolve, 200))
    const closing = performance.now()
    await slow.close()
    expect(performance.now() - closing).toBeLessThan(5000)
    expect(onPass).not.toHaveBeenCalled()
    expect(JSON.parse(await readFile(join(dir, 'scrubbed'), 'utf8'))).toMatchObject({
      passedAt: 0,
      position: { stage: 'log', after: '3' },
    })
    const again = await openStore(dir, { scrub: { ...fast, everyMs: 3_600_000, onPass } })
    await vi.waitFor(() => expect(onPass).toHaveBeenCalledTimes(1), { timeout: 10_000 })
    expect(onPass.mock.calls[0]?.[0]).toMatchObject({ events: 0, found: 1 })
    await again.close()
    expect(JSON.parse(await readFile(join(dir, 'scrubbed'), 'utf8'))).not.toHaveProperty('position')
    const resting = await openStore(dir, { scrub: { ...fast, everyMs: 3_600_000, onPass } })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await resting.close()
    expect(onPass).toHaveBeenCalledTimes(1)
  })

  it('begins anew when its bookmark is nonsense', async () => {
    const dir = await damagedStore()
    for (const text of ['', '{', 'null', '{"position":{"stage":"log","after":"x"}}', '{"passedAt":"now"}']) {
      await writeFile(join(dir, 'scrubbed'), text)
      const onPass = vi.fn()
      const store = await openStore(dir, { scrub: { ...fast, onPass } })
      await vi.waitFor(() => expect(onPass).toHaveBeenCalled(), { timeout: 10_000 })
      expect(onPass.mock.calls[0]?.[0]).toMatchObject({ events: 3 })
      await store.close()
    }
  })

  it('refuses rates that make no sense', async () => {
    for (const scrub of [{ bytesPerSecond: 0 }, { everyMs: 10 }, { bytesPerSecond: 1.5 }]) {
      await expect(openStore(next(), { scrub })).rejects.toMatchObject({ code: 'InvalidArgument' })
    }
    await expect(openStore(next(), { check: 'hope' as 'none' })).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})
