/** Commands on a store that this process has open: they reach it over its socket. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from 'varve'
import { scratchPaths, start, varve } from './run-varve.ts'

const next = scratchPaths()

describe('a store that is open in another process', () => {
  let dir: string
  let store: Store
  beforeAll(async () => {
    dir = next()
    store = await openStore(dir)
    await store.buckets.create('photos')
    await store.objects.put('photos', 'a', 'hello')
  })
  afterAll(() => store.close())

  it('is followed while it changes, until the follower is interrupted', async () => {
    const following = start(['log', '--follow', '--json', '--from', String(store.seq), '--dir', dir])
    await following.line((line) => line.includes(`"seq":${store.seq}`))
    const { seq } = await store.objects.put('photos', 'later', 'x')
    await following.line((line) => line.includes(`"seq":${seq}`))
    following.process.kill('SIGINT')
    expect(await following.ended).toMatchObject({ status: 0, signal: null, stderr: '' })
  })

  it('shows its clock, and takes a confirmation of it', async () => {
    const status = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    expect(status((await varve(['clock', 'show', '--dir', dir])).stdout)).toBe(
      'The clock says TIME, and is believed.\n',
    )
    expect(await varve(['clock', 'accept', '--json', '--dir', dir])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('"state":"plausible"') as string,
    })
  })

  it.each([
    ['rebuild'],
    ['keys', 'rotate'],
    ['migrate', '--to', 'segments+tiered'],
    ['verify', '--repair'],
    ['verify', '--scratch', 'elsewhere'],
    ['serve'],
  ])('is left alone by %s %s: status 3', async (...args) => {
    const { status, stderr } = await start([...args, '--dir', dir]).ended
    expect({ status, named: stderr.includes(`held by process ${process.pid}`) }).toEqual({ status: 3, named: true })
  })

  it('ends what follows it with a code when it closes', async () => {
    const own = next()
    const closing = await openStore(own)
    await closing.buckets.create('photos')
    const following = start(['log', '--follow', '--dir', own])
    await following.line((line) => line.includes('BucketCreated'))
    await closing.close()
    expect(await following.ended).toMatchObject({
      status: 1,
      stderr: 'varve: The store was closed by its owner. (StoreClosed)\nHint: Open the store again.\n',
    })
  })
})
