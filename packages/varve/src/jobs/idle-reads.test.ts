import { readdir, readlink } from 'node:fs/promises'
import type { IdleRead } from '@varve/core'
import { expect, it, vi } from 'vitest'
import { memoryStore } from '../store/memory-store.ts'
import { openStore } from '../store/open-store.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()
const large = 'l'.repeat(3 * 1024 ** 2)

it('ends unread bodies, and calls back for each', async () => {
  const idle: IdleRead[] = []
  const store = await openStore(scratch.next(), { bodyIdleMs: 40, onIdleRead: (read) => idle.push(read) })
  await store.buckets.create('box')
  await store.objects.put('box', 'k', large)
  const object = await store.objects.get('box', 'k')
  await vi.waitFor(() => expect(idle).toMatchObject([{ bucket: 'box', key: 'k', unread: large.length }]), {
    timeout: 30_000,
  })
  await expect(object.text()).rejects.toMatchObject({ code: 'ReadExpired' })
  await store.close()
})

it('warns once without a callback, and not at all for 0', async () => {
  const warnings: Error[] = []
  const hear = (warning: Error) => void (warning.name === 'VarveIdleReadWarning' && warnings.push(warning))
  process.on('warning', hear)
  const [forgetful, patient] = [await memoryStore({ bodyIdleMs: 40 }), await memoryStore({ bodyIdleMs: 0 })]
  for (const store of [forgetful, patient]) {
    await store.buckets.create('box')
    await store.objects.put('box', 'k', large)
  }
  const kept = await patient.objects.get('box', 'k')
  await forgetful.objects.get('box', 'k')
  await vi.waitFor(() => expect(warnings).toHaveLength(1), { timeout: 30_000 })
  expect(warnings[0]?.message).toContain('The body of "k" in box was not read for 0.04 s')
  await new Promise((resolve) => setTimeout(resolve, 120))
  expect(warnings).toHaveLength(1)
  expect(await kept.text()).toBe(large)
  process.off('warning', hear)
  await forgetful.close()
  await patient.close()
})

it('ends bodies when the store closes, whether they were begun or not, and holds none of their files', async () => {
  const directory = scratch.next()
  const store = await openStore(directory, { layout: 'level+files' })
  await store.buckets.create('box')
  await store.objects.put('box', 'k', large)
  const [unread, begun] = [await store.objects.get('box', 'k'), await store.objects.get('box', 'k')]
  const bytes = begun.body[Symbol.asyncIterator]()
  await bytes.next()
  await store.close()
  await expect(unread.text()).rejects.toMatchObject({ code: 'StoreClosed' })
  await expect(bytes.next()).rejects.toMatchObject({ code: 'StoreClosed' })
  if (process.platform !== 'linux') return
  const open = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  expect(open.filter((path) => path.startsWith(directory))).toEqual([])
})
