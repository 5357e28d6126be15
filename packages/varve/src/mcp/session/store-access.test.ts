/** The store of the sessions is opened again when the process that had it open has ended. */
import { StorageError } from '@varve/core'
import { expect, it } from 'vitest'
import { storeAccess } from './store-access.ts'
import type { WorkspaceStore } from './workspace-store.ts'

it('opens the store once for many calls, and again after it was closed elsewhere', async () => {
  const happened: string[] = []
  let opened = 0
  const access = await storeAccess(async () => {
    const number = ++opened
    if (number > 2) throw new StorageError('StoreLocked', 'Another process has it.')
    happened.push(`opened ${number}`)
    const close = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      happened.push(`closed ${number}`)
    }
    return { close } as WorkspaceStore
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
  // A store that is still being closed would be found locked.
  expect(happened).toEqual(['opened 1', 'closed 1', 'opened 2', 'closed 2'])
  await access.close()
  await expect(access.current()).rejects.toThrow('ended')
})
