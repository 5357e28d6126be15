/**
 * Restores of a large store from its replica: whole, at once, and to random moments, each compared with what was written; and how far a
 * follower trails while 64 writers put what they can:
 *
 *     npm run suite bench-restores -- [--objects 1000000] [--events 10000000] [--moments 10] [--load SECONDS] [--dir DIRECTORY] [--replica ADDRESS]
 *
 * Each event puts an object whose metadata has its position, one key after another. A restore to a moment is an instant one.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { inspectReplica, openStore, restoreStore, type Store } from 'varve'
import { quantileOf, timed } from '../lib/measure.ts'

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '10000000' },
    moments: { type: 'string', default: '10' },
    load: { type: 'string', default: '60' },
    dir: { type: 'string', default: tmpdir() },
    replica: { type: 'string' },
  },
})
const [objects, events, moments] = [Number(values.objects), Number(values.events), Number(values.moments)]
const loadMs = Number(values.load) * 1000
const writers = 64
const groupMax = 5000
const sampled = 1000
const bucket = 'many'
const keyAt = (position: number): string => `key-${String(position % objects).padStart(9, '0')}`
const quiet = { sweepOrphans: false, sweepEveryMs: 0, lifecycle: false } as const

const scratch = await mkdtemp(join(values.dir, 'varve-restores-'))
const replica = values.replica ?? join(scratch, 'replica')
const replicas = [{ to: replica, everyMs: 1000 }]

/** The position is in the metadata, and is the sequence number of the event. */
const put = (store: Store, position: number) =>
  store.owner.submit({
    type: 'PutObject',
    data: { bucket, key: keyAt(position), facts: factsAt(position), conditions: {} },
    meta: { by: { id: 'bench', name: 'bench' }, requestId: `request-${position}` },
  })

async function putNext(store: Store, count: number): Promise<void> {
  const first = store.seq + 1
  await Promise.all(Array.from({ length: count }, (_, i) => put(store, first + i)))
}

const factsAt = (position: number) =>
  ({
    size: 0,
    etag: 'd41d8cd98f00b204e9800998ecf8427e',
    content: { kind: 'empty' },
    metadata: { user: [['position', String(position)]] },
  }) as const

/** The first event that puts an object. Those before it set the store up. */
let firstPut = 0

/** The position of the last write of the key up to an event; 0 if there was none. */
function expectedAt(key: number, seq: number): number {
  const last = seq - ((((seq - key) % objects) + objects) % objects)
  return last < firstPut ? 0 : last
}

async function assertModel(store: Store, seq: number): Promise<void> {
  for (let n = 0; n < sampled; n++) {
    const key = Math.floor(Math.random() * objects)
    const wanted = expectedAt(key, seq)
    const found = await store.objects.head(bucket, keyAt(key)).catch(() => undefined)
    const position = Number(found?.metadata['position'] ?? 0)
    if (position !== wanted) throw new Error(`At ${seq}, ${keyAt(key)} is of event ${position}, not ${wanted}.`)
  }
}

interface Following {
  readonly child: ChildProcess
  position: number
}

async function beginFollowing(): Promise<Following> {
  const child = fork(fileURLToPath(new URL('restores-follower.js', import.meta.url)), [
    join(scratch, 'follower'),
    replica,
  ])
  const following = { child, position: 0 }
  child.on('message', (position: number) => (following.position = position))
  await once(child, 'message')
  return following
}

type Followed = { readonly seq: number; readonly at: number }

const replicatedIn = (store: Store): number =>
  store.jobs.find(({ name }) => name.startsWith('replication'))?.progress?.position ?? 0

const untilReplicated = (store: Store): Promise<unknown> =>
  timed('wait for the replica', 1, async () => {
    while (replicatedIn(store) < store.seq) await pause(50)
  })

/** As many writers as a busy server has, and how far a follower is behind what they wrote. */
async function beFollowed(): Promise<void> {
  const store = await openStore(join(scratch, 'data'), { ...quiet, replicas })
  await store.buckets.create(bucket)
  while (replicatedIn(store) < 1) await pause(50)
  const following = await beginFollowing()
  const written: Followed[] = []
  const lags: number[] = []
  const looking = setInterval(() => {
    written.push({ seq: store.seq, at: performance.now() })
    while (written.length > 1 && (written[0]?.seq ?? 0) <= following.position) written.shift()
    lags.push(performance.now() - (written[0]?.at ?? 0))
  }, 50)
  const end = performance.now() + loadMs
  firstPut = store.seq + 1
  let next = firstPut
  const write = async (): Promise<void> => {
    while (performance.now() < end && next <= events / 2) await put(store, next++)
  }
  const from = performance.now()
  await Promise.all(Array.from({ length: writers }, write))
  const seconds = (performance.now() - from) / 1000
  clearInterval(looking)
  console.log(`${writers} writers put ${store.seq} objects, ${Math.round(store.seq / seconds)}/s`)
  await untilReplicated(store)
  await timed('wait for the follower', 1, async () => {
    while (following.position < store.seq) await pause(50)
  })
  const [median, worst] = [quantileOf(lags, 0.5), Math.max(0, ...lags)].map((ms) => (ms / 1000).toFixed(1))
  console.log(`the follower trailed by ${median} s in the median, ${worst} s at most`)
  following.child.send('end')
  await once(following.child, 'exit')
  await store.close()
}

async function grow(): Promise<void> {
  const store = await openStore(join(scratch, 'data'), { ...quiet, groupMax, replicas })
  const missing = events - store.seq
  await timed(`put ${missing} objects of ${objects} keys`, missing, async () => {
    while (store.seq < events) await putNext(store, Math.min(groupMax, events - store.seq))
  })
  await untilReplicated(store)
  await untilSettled()
  await store.close()
}

/** Files are joined, and views written, behind the last event. */
async function untilSettled(): Promise<void> {
  const quietMs = 2000 + events / 100
  await timed('wait for files that are joined and for views', 1, async () => {
    let [found, since] = ['', performance.now()]
    while (performance.now() - since < quietMs) {
      await pause(1000)
      const { files, views } = await inspectReplica(replica)
      const now = JSON.stringify([files, views])
      if (now !== found) [found, since] = [now, performance.now()]
    }
  })
}

async function restore(name: string, options: { readonly at?: number; readonly instant?: boolean }): Promise<void> {
  const dir = join(scratch, 'again')
  const at = options.at ?? events
  await timed(`${name}, until it answers`, 1, async () => {
    const { head } = await timed(name, at, () => restoreStore(replica, dir, options))
    if (head !== at + 1) throw new Error(`The restore ends at ${head}, not at ${at + 1}.`)
    const store = await openStore(dir, { ...quiet, readOnly: true })
    await store.objects.head(bucket, keyAt(firstPut))
    await store.close()
  })
  const store = await openStore(dir, { ...quiet, readOnly: true })
  await assertModel(store, at)
  await store.close()
  await rm(dir, { recursive: true })
}

try {
  await beFollowed()
  await grow()
  const { files, bytes, views, head } = await inspectReplica(replica)
  console.log(`the replica has ${head} events in ${files.log} files, ${bytes} bytes, and views up to event ${views}`)
  await restore('whole restore', {})
  await restore('instant restore', { instant: true })
  for (let n = 0; n < moments; n++) {
    const at = firstPut + Math.floor(Math.random() * (events - firstPut))
    await restore(`restore to event ${at}`, { at, instant: true })
  }
  console.log('every restore has what was written')
} finally {
  await rm(scratch, { recursive: true, force: true })
}
