import { expect, it } from 'vitest'
import { list } from '../api/answers.fixture.ts'
import { memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'

it.each(['sweep', 'opening'])('waits until the journal has purged the bytes, and a later %s ends it', async (end) => {
  const ports = memoryPorts()
  const store = await openEngine(ports, { retentionMs: 1e9 })
  await store.buckets.create('box')
  await store.objects.put('box', 'k', 'bytes')
  let isPurged = false
  ports.journal.purge = async () => isPurged
  const isRecorded = async (of = store) => (await list(of.log())).some(({ type }) => type === 'ContentsErased')

  expect(await store.erase({ bucket: 'box', key: 'k', live: true })).toMatchObject({ pending: 1 })
  await store.sweep()
  expect(await isRecorded()).toBe(false)

  isPurged = true
  const later = end === 'sweep' ? store : await openEngine(ports, { retentionMs: 1e9 })
  await later.sweep()
  expect(await isRecorded(later)).toBe(true)
})

it('erases other bytes while a purge is never done', async () => {
  const ports = memoryPorts()
  const store = await openEngine(ports, { retentionMs: 0 })
  await store.buckets.create('box')
  for (const key of ['purged', 'row', 'blob']) await store.objects.put('box', key, key.repeat(key === 'row' ? 1 : 5000))
  ports.journal.purge = async () => false
  ports.blobs.purge = async () => false
  await store.erase({ bucket: 'box', key: 'purged', live: true })

  for (const key of ['row', 'blob']) await store.objects.delete('box', key)
  await store.sweep()

  const events = await list(store.log())
  expect(events.flatMap(({ type, data }) => (type === 'ContentsErased' ? data.erased : []))).toHaveLength(2)
})
