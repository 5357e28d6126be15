/** The store of the sessions is opened again when the process that had it open has ended. */
import { StorageError } from '@varve/core'
import { expect, it } from 'vitest'
import { memoryStore } from '../../store/memory-store.ts'
import { storeAccess } from './store-access.ts'
import { workspaceStore } from './workspace-store.ts'

it('opens the store once for many calls, and again after it was closed elsewhere', async () => {
  const stores = [await memoryStore(), await memoryStore()]
  let opened = 0
  const access = await storeAccess(async () => {
    const store = stores[opened++]
    if (store === undefined) throw new StorageError('StoreLocked', 'Another process has it.')
    return workspaceStore(store)
  })
  const first = await access.current()
  expect(await access.current()).toBe(first)
  access.failed(new StorageError('NoSuchKey', 'None.'))
  expect(await access.current()).toBe(first)
  access.failed(new StorageError('StoreClosed', 'It has ended.'))
  const [second, same] = await Promise.all([access.current(), access.current()])
  expect(second).toBe(same)
  expect(second).not.toBe(first)
  access.failed(new StorageError('StoreClosed', 'It has ended.'))
  await expect(access.current()).rejects.toMatchObject({ code: 'StoreLocked' })
  expect(opened).toBe(3)
  await access.close()
  await expect(access.current()).rejects.toThrow('ended')
})
