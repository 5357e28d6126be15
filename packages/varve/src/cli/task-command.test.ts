import { beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'

const scratch = scratchDirectory()
const keys = ['a', 'b', 'c', 'd', 'e']
let dir: string
let id: string

/** A store that was closed in the middle of a restore. */
beforeEach(async () => {
  dir = scratch.next()
  const store = await openStore(dir, { sweepEveryMs: 0 })
  await store.buckets.create('photos')
  for (const key of keys) await store.objects.put('photos', key, 'then')
  const to = store.seq
  for (const key of keys) await store.objects.put('photos', key, 'now')
  let closing: Promise<void> | undefined
  const onProgress = () => void (closing ??= store.close())
  const restoring = store.restore({ bucket: 'photos', to, inParts: true, partSize: 2, onProgress })
  await expect(restoring).rejects.toMatchObject({ code: 'StoreClosed' })
  await closing
  const { stdout } = await varve(['log', '--type', 'TaskStarted', '--json', '--dir', dir])
  id = (JSON.parse(stdout) as { requestId: string }).requestId
})

const texts = async () => {
  const found: string[] = []
  for (const key of keys) found.push((await varve(['cat', `s3://photos/${key}`, '--dir', dir])).stdout)
  return found.join(' ')
}

describe('varve task', () => {
  it('shows a restore that a closed store has left, and does not carry it on', async () => {
    for (let i = 0; i < 2; i++) {
      const { status, stdout } = await varve(['task', 'ls', '--dir', dir])
      const shown = `${id}  restore  2 of 5 changes  since TIME  by local  goes on when the store is opened\n`
      expect([status, stdout.replace(/\d{4}-\S+Z/, 'TIME')]).toEqual([0, shown])
    }
    const { stdout } = await varve(['task', 'ls', '--json', '--dir', dir])
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'task', id, task: 'restore', done: 2, total: 5, isHere: false })
    expect(await texts()).toBe('then then now now now')
  })

  it('leaves the rest to the owner, who ends it', async () => {
    const store = await openStore(dir)
    while ((await store.tasks.list()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await store.close()
    expect(await texts()).toBe('then then then then then')
    const { stdout } = await varve(['log', '--type', 'TaskEnded', '--dir', dir])
    expect(stdout).toContain(`${id}: done`)
  })

  it('stops it, so that what it has restored stays and can be undone', async () => {
    expect(await varve(['task', 'stop', id, '--dir', dir])).toMatchObject({ status: 0, stdout: `${id}  stopped\n` })
    expect(await varve(['task', 'stop', id, '--dir', dir])).toMatchObject({ status: 1, stdout: '' })
    expect((await varve(['task', 'ls', '--dir', dir])).stdout).toBe('')
    expect(await texts()).toBe('then then now now now')
    await varve(['undo', '--request', id, '--yes', '--dir', dir])
    expect(await texts()).toBe('now now now now now')
  })
})
