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
