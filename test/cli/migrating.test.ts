/** `varve migrate`: what it moves, what it prints, and that a kill in the middle loses nothing. */
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { openStore } from 'varve'
import { jsonLines, scratchPaths, start, varve } from './run-varve.ts'

const next = scratchPaths()
const objects = 90
let dir: string

const bodyOf = (i: number): string => `${i} `.repeat(i % 3 === 0 ? 20_000 : 10)

beforeEach(async () => {
  dir = next()
  const store = await openStore(dir)
  await store.buckets.create('photos')
  await Promise.all(Array.from({ length: objects }, (_, i) => store.objects.put('photos', `k${i}`, bodyOf(i))))
  await store.close()
})

async function expectAllThere(): Promise<void> {
  const store = await openStore(dir)
  expect(store.seq).toBe(objects + 2)
  for (let i = 0; i < objects; i += 1) {
    expect((await (await store.objects.get('photos', `k${i}`)).text()) === bodyOf(i), `k${i}`).toBe(true)
  }
  await store.close()
}

describe('varve migrate', () => {
  it('moves a store, and reports what it moved', async () => {
    const { status, stdout } = await varve(['migrate', '--to', 'segments+tiered', '--dir', dir])
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('Moved 92 events from level+files to segments+tiered; copied 30 blobs') as string,
    })
    const again = await varve(['migrate', '--to', 'segments+tiered', '--dir', dir])
    expect(again).toMatchObject({ status: 0, stdout: 'The store has the layout segments+tiered already.\n' })
    const back = await varve(['migrate', '--to', 'level+files', '--dir', dir, '--json'])
    expect(jsonLines(back.stdout)).toEqual([
      expect.objectContaining({ kind: 'migrated', from: 'segments+tiered', to: 'level+files', events: 92 }),
    ])
    expect(await varve(['verify', '--dir', dir])).toMatchObject({ status: 0 })
    await expectAllThere()
  })

  it('goes on after being killed at any moment, and nothing is lost', async () => {
    let kills = 0
    for (let wait = 400; ; wait *= 1.4) {
      const running = start(['migrate', '--to', 'segments+tiered', '--dir', dir])
      await Promise.race([delay(wait), running.ended])
      running.process.kill('SIGKILL')
      const { status } = await running.ended
      if (status === 0) break
      kills++
      await expectAllThere()
    }
    expect(kills).toBeGreaterThan(0)
    expect(await varve(['verify', '--dir', dir])).toMatchObject({ status: 0 })
    await expectAllThere()
  })

  it('refuses a layout that there is not', async () => {
    const { status, stderr } = await varve(['migrate', '--to', 'paper', '--dir', dir])
    expect(status).toBe(2)
    expect(stderr).toContain('It is no layout')
  })
})
