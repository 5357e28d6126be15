import { memoryBlobs, memoryJournal, memoryMedium } from '@varve/adapters'
import { describe, expect, it } from 'vitest'
import { openStore } from '../index.ts'
import type { StoreParts } from './open-on-parts.ts'

const quiet = { sweepEveryMs: 0, lifecycle: false }

describe('openStore on a journal and blobs', () => {
  it('opens several stores on one journal, and leaves the parts open', async () => {
    const parts = { journal: await memoryJournal(), blobs: memoryBlobs() }
    const [one, two] = [await openStore(parts, quiet), await openStore(parts, quiet)]
    const seen: number[] = []
    const followed = new Promise<void>((resolve) => {
      two.subscribe((events) => {
        for (const { seq } of events) seen.push(seq)
        if (seen.length === 2) resolve()
      })
    })
    await one.buckets.create('box')
    await one.objects.put('box', 'k', 'v'.repeat(100_000))
    // The second store gets no call: it follows the log by itself.
    await followed
    expect(seen).toEqual([2, 3])
    expect((await (await two.objects.get('box', 'k')).text()).length).toBe(100_000)
    const upload = await one.uploads.create('box', 'parts')
    await two.uploads.complete(upload, [await two.uploads.uploadPart(upload, 1, 'part')])
    await one.close()
    expect(await two.verify()).toMatchObject({ ok: true, events: 6 })
    await two.close()
    expect(await parts.journal.head()).toBe(6)
    await parts.journal.close()
  })

  it('opens stores on journals of their own that have one medium', async () => {
    const [medium, blobs] = [memoryMedium(), memoryBlobs()]
    const open = async () => openStore({ journal: await memoryJournal(medium), blobs }, quiet)
    const [one, two] = [await open(), await open()]
    await one.buckets.create('box')
    const puts = Array.from({ length: 200 }, (_, i) =>
      (i % 2 === 0 ? one : two).objects.put('box', `k${i % 20}`, `${i}`),
    )
    await Promise.all(puts)
    const whole = { ok: true, events: 202 }
    expect([await one.verify(), await two.verify()]).toMatchObject([whole, whole])
    await Promise.all([one.close(), two.close()])
  })

  it('waits for a job that the other store runs', async () => {
    const parts = { journal: await memoryJournal(), blobs: memoryBlobs() }
    const [one, two] = [await openStore(parts, quiet), await openStore(parts, quiet)]
    await one.buckets.create('box')
    for (let i = 0; i < 20; i++) await one.objects.put('box', 'k', `${i}`)
    const sweeps = await Promise.all([one.sweep(), two.sweep(), one.sweep({ orphans: true }), two.rebuild()])
    expect(sweeps).toHaveLength(4)
    expect(await (await two.objects.get('box', 'k')).text()).toBe('19')
    expect(await one.verify()).toMatchObject({ ok: true })
    await Promise.all([one.close(), two.close()])
  })

  it('shows what another store has written within the bound of its reads', async () => {
    const parts = { journal: await memoryJournal(), blobs: memoryBlobs() }
    const [one, two] = [await openStore(parts, quiet), await openStore(parts, { staleMs: 60_000, ...quiet })]
    await one.buckets.create('box')
    await one.objects.put('box', 'k', 'old')
    const text = async () => (await two.objects.get('box', 'k')).text()
    await text()
    await one.objects.put('box', 'k', 'new')
    // It asks for the end of the log twice a second, whatever the bound is.
    await expect.poll(text, { timeout: 10_000 }).toBe('new')
    await Promise.all([one.close(), two.close()])
  })

  it('refuses reads that may be old where no other store can write', async () => {
    const exclusive = { journal: await memoryJournal(memoryMedium(), { exclusive: true }), blobs: memoryBlobs() }
    const wrong = { code: 'InvalidArgument', details: { ArgumentName: 'options.staleMs' } }
    await expect(openStore(exclusive, { staleMs: 1 })).rejects.toMatchObject(wrong)
    await expect(openStore('./nowhere', { staleMs: 1 } as never)).rejects.toMatchObject({
      code: 'InvalidArgument',
    })
  })

  it('refuses what are no parts, and options that only a directory has', async () => {
    const parts = { journal: await memoryJournal(), blobs: memoryBlobs() }
    const mistakes = [
      () => openStore({ ...parts, journal: {} } as unknown as StoreParts),
      () => openStore({ journal: parts.journal } as unknown as StoreParts),
      () => openStore(null as unknown as StoreParts),
      () => openStore(parts, { layout: 'level+files' } as object),
      () => openStore(parts, { readOnly: true } as object),
    ]
    for (const mistake of mistakes) await expect(mistake()).rejects.toMatchObject({ code: 'InvalidArgument' })
    expect(await parts.journal.head()).toBe(0)
  })
})
