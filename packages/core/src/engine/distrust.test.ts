import { describe, expect, it } from 'vitest'
import { memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'

describe('a store whose log was damaged while it was open', () => {
  it('answers neither reads nor writes, even of rows in memory here or in other processes, until it is opened again', async () => {
    const ports = memoryPorts()
    const store = await openEngine(ports)
    await store.buckets.create('box')
    await store.objects.put('box', 'a', 'x')
    await store.objects.head('box', 'a')
    const past = await store.at(2)
    let dropped = 0
    const dropAll = (): undefined => void dropped++
    const remove = store.owner.changes?.holders.add({ drop: () => undefined, dropAll })
    const cause = new Error('The table is damaged.')
    store.owner.views.distrust(cause)
    expect(store.state).toBe('failed')
    const failed = { code: 'StoreFailed', message: expect.stringContaining('damaged') as string, cause }
    await expect(store.objects.head('box', 'a')).rejects.toMatchObject(failed)
    await expect(store.objects.listPage('box')).rejects.toMatchObject(failed)
    await expect(past.objects.head('box', 'a')).rejects.toMatchObject(failed)
    await expect(store.at(2)).rejects.toMatchObject(failed)
    await expect(store.objects.put('box', 'b', 'x')).rejects.toMatchObject(failed)
    await expect(store.transaction(async (own) => own.objects.head('box', 'a'))).rejects.toMatchObject(failed)
    await expect(store.log()[Symbol.asyncIterator]().next()).rejects.toMatchObject(failed)
    expect(dropped, 'other processes keep no rows').toBe(1)
    remove?.()
    await store.close()
    const again = await openEngine(ports)
    expect(await again.objects.head('box', 'a')).toMatchObject({ size: 1 })
    await again.close()
  })
})
