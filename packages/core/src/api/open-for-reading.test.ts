/** A store that is open to be read alone: nothing is committed, whatever is due, and neither blobs nor witness are written. */
import { beforeEach, expect, it, vi } from 'vitest'
import { memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine, openForReading } from './open-engine.ts'

let ports: MemoryPorts

beforeEach(async () => {
  ports = memoryPorts()
  const owner = await openEngine(ports, { inlineMax: 0, retentionMs: 60_000 })
  await owner.buckets.create('box')
  await owner.objects.put('box', 'a', 'first')
  await owner.objects.put('box', 'a', 'second')
  await owner.close()
})

it('reads, and refuses to write before it takes a byte of a body', async () => {
  const store = await openForReading(ports)
  expect(store.state).toBe('open')
  expect(await (await store.objects.get('box', 'a')).text()).toBe('second')
  expect(await (await (await store.at(2)).objects.get('box', 'a')).text()).toBe('first')
  let taken = 0
  const body = (async function* () {
    taken++
    yield Uint8Array.of(1)
  })()
  await expect(store.objects.put('box', 'b', body)).rejects.toMatchObject({ code: 'ReadOnly' })
  expect(taken).toBe(0)
  await expect(store.as({ by: { id: 'ann', name: 'Ann' } }).buckets.create('c')).rejects.toMatchObject({
    code: 'ReadOnly',
  })
  expect(store.state).toBe('open')
  await store.close()
  expect(store.state).toBe('closed')
})

it('leaves blobs, witness and unfinished writes alone', async () => {
  const { blobs } = ports
  const writes = [vi.spyOn(blobs, 'write'), vi.spyOn(blobs, 'delete'), vi.spyOn(blobs, 'discardUnfinished')]
  const commit = vi.spyOn(ports.journal, 'commit')
  const witness = { read: async () => undefined, write: vi.fn(async () => undefined) }
  const time = { read: async () => undefined, write: vi.fn(async () => undefined) }
  const store = await openForReading({ ...ports, witness, time })
  const refusals = [
    () => store.sweep({ orphans: true }),
    () => store.applyLifecycle(),
    () => store.rebuild(),
    () => store.clock.accept(),
  ]
  for (const refused of refusals) {
    await expect(refused()).rejects.toMatchObject({ code: 'ReadOnly' })
  }
  await expect(store.objects.delete('box', 'a')).rejects.toMatchObject({ code: 'ReadOnly' })
  await store.close()
  for (const call of [...writes, commit, witness.write, time.write]) expect(call).not.toHaveBeenCalled()
})
