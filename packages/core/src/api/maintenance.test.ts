/** A store that is open for maintenance erases nothing, whatever is due. */
import { beforeEach, expect, it } from 'vitest'
import { memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine, openForMaintenance } from './open-engine.ts'

const retentionMs = 60_000
let ports: MemoryPorts

beforeEach(async () => {
  ports = memoryPorts()
  const owner = await openEngine(ports, { inlineMax: 0, retentionMs })
  await owner.buckets.create('box')
  await owner.objects.put('box', 'a', 'first')
  await owner.objects.put('box', 'a', 'second')
  await owner.close()
})

const readFirst = async (): Promise<string> => {
  const store = await openEngine(ports, { retentionMs: Number.MAX_SAFE_INTEGER })
  try {
    const past = await store.at(2)
    return await (await past.objects.get('box', 'a')).text()
  } finally {
    await store.close()
  }
}

it('keeps what is due, at its opening and after its own commits', async () => {
  const store = await openForMaintenance(ports)
  await store.objects.delete('box', 'a')
  await store.rebuild()
  await store.close()
  expect(await readFirst()).toBe('first')
})

it('refuses to sweep and to apply lifecycle rules', async () => {
  const store = await openForMaintenance(ports)
  await expect(store.sweep({ orphans: true })).rejects.toMatchObject({ code: 'InvalidRequest' })
  await expect(store.applyLifecycle()).rejects.toMatchObject({ code: 'InvalidRequest' })
  await store.as({ by: { id: 'ann', name: 'Ann' } }).objects.put('box', 'b', 'bytes')
  await expect(store.as({ by: { id: 'ann', name: 'Ann' } }).sweep()).rejects.toMatchObject({ code: 'InvalidRequest' })
  await store.close()
  expect(await readFirst()).toBe('first')
})
