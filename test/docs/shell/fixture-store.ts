/** The store that the commands of pages use: buckets, keys and actors with the names that the pages have. */
import { openAtTime } from '#varve/store/open-directory'
import { storeClock, testClock } from '#varve/testing/test-clock'
import { openStore, type Store } from 'varve'
import { dayMs } from './past-day.ts'

const hourMs = 3_600_000

/** What pages undo and look up by actor. */
const agents = ['agent', 'uploader', 'mcp:claude:1f0c2d9a'] as const

/** The proof of the erasure of what is no more cannot be kept: nothing is removed before the last hours. */
async function longAgo(store: Store): Promise<void> {
  for (const name of ['photos', 'site', 'notes', 'logs', 'accounts', 'pay', 'releases'])
    await store.buckets.create(name, { versioning: 'Enabled' })
  await store.buckets.create('plain')
  for (const key of ['cat.jpg', 'cat.txt', 'a.jpg', 'x/1.jpg', 'big', 'old/a', '2026/cat.png', '2026/bird.png'])
    await store.objects.put('photos', key, `a picture: ${key}`, { checksum: { algorithm: 'SHA256' } })
  await store.objects.put('site', 'config.json', '{"secret":1}')
  await store.objects.put('accounts', 'ann', '100')
  await store.objects.put('notes', 'today', 'milk')
}

async function lately(store: Store): Promise<void> {
  for (const id of agents) {
    const by = store.as({ by: { id, name: id }, requestId: id === 'agent' ? '0f4c9a' : `request-of-${id}` })
    await by.objects.put('photos', `2026/of-${id.replaceAll(':', '-')}.png`, id)
    await by.objects.delete('photos', '2026/bird.png')
  }
  await store.objects.put('site', 'config.json', '{"secret":2}')
  const upload = await store.uploads.create('site', 'dump.sql')
  await store.uploads.uploadPart({ bucket: 'site', key: 'dump.sql', uploadId: upload.uploadId }, 1, 'secret rows')
  for (const [base, name] of [
    ['photos', 'photos-try'],
    ['notes', 'notes-mcp-1f0c2d9a'],
  ] as const) {
    await store.buckets.fork(base, name)
    await store.objects.put(name, 'tried', 'in the fork')
  }
}

export async function makeFixtureStore(dir: string): Promise<void> {
  const now = Date.now()
  const clock = testClock(now - 200 * dayMs)
  const store = await openAtTime(dir, storeClock(clock), {})
  await longAgo(store)
  clock.advance(Math.round(now - hourMs - clock.now()))
  await store.clock.accept()
  await lately(store)
  await store.close()
  const again = await openStore(dir)
  await again.clock.accept()
  await again.close()
}
