import { expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'

/** Work that needed several requests, such as a large deletion over S3. */
it('an undo of several requests is one plan, and one task', async () => {
  const store = await openEngine(memoryPorts(), { inlineMax: 8, retentionMs: 86_400_000 })
  await store.buckets.create('box')
  const requests = ['removes x', 'removes y', 'removes z']
  for (const requestId of requests) {
    const prefix = requestId.at(-1) as string
    for (let i = 0; i < 90; i++) await store.objects.put('box', `${prefix}${i}`, 'x')
    await store.as({ by: { id: 'agent', name: 'Agent' }, requestId }).deletePrefix('box', prefix)
  }
  const progress: unknown[] = []
  const { entries, events } = await store.undo({
    requestIds: ['removes x', 'removes y', 'unknown'],
    partSize: 100,
    onProgress: (one) => progress.push(one),
  })
  expect([entries.length, events]).toEqual([180, 180])
  expect(progress).toEqual([
    { done: 100, total: 180 },
    { done: 180, total: 180 },
  ])
  expect((await list(store.objects.list('box'))).length).toBe(180)
  const rest = await store.undo({ requestIds: requests, bucket: 'box', prefix: 'z' })
  expect(rest.entries.length).toBe(90)
  expect(await codeOf(store.undo({ requestIds: [] }))).toBe('InvalidArgument')
  expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
})
