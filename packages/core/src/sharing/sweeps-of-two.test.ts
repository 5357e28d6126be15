import { expect, it } from 'vitest'
import { memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { RowRange } from '../ports/index.ts'
import { waitingTable } from '../views/content-tables.ts'

it('a sweep looks once, and not again and again, for bytes that a read of another engine needs', async () => {
  const ports = memoryPorts()
  ports.journal.exclusive = false
  const one = await openEngine(ports, { inlineMax: 64, retentionMs: 0 })
  const two = await openEngine(ports, { inlineMax: 64, retentionMs: 0 })
  await one.buckets.create('box')
  await one.objects.put('box', 'k', 'v'.repeat(1000))
  const reading = await two.objects.get('box', 'k')
  const { cursor } = ports.journal
  let looks = 0
  const isOfGarbage = ({ gte }: RowRange): boolean => gte[0] === waitingTable.range.gte[0]
  ports.journal.cursor = (range) => {
    if (isOfGarbage(range)) looks++
    return cursor(range)
  }
  await one.objects.delete('box', 'k')
  await one.sweep()
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(looks).toBeLessThan(20)
  expect(await reading.text()).toBe('v'.repeat(1000))
})
