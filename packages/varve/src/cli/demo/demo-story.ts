/** A small story to play with: two people fill a store with photos and notes, and a program deletes too much of it. */
import type { Actor, Store } from '@varve/core'
import { picture } from './demo-picture.ts'

const ada = { id: 'ada', name: 'Ada' }
const grace = { id: 'grace', name: 'Grace' }
const agent = { id: 'tidy-agent', name: 'Tidy agent' }

export interface DemoStory {
  readonly objects: number
  /** The position before the agent began. */
  readonly before: number
  readonly deleted: number
  /** The request that deleted. */
  readonly requestId: string
}

const places = ['harbour', 'dunes', 'lighthouse', 'market', 'old town', 'forest'] as const
const perPlace = 8

/** Called before each action, with how many hours ago it happens: fewer and fewer. */
export type Pace = (hours: number) => void

/** The store must be empty. */
export async function writeStory(store: Store, signal: AbortSignal, pace: Pace): Promise<DemoStory> {
  const [ofAda, ofGrace] = [ada, grace].map((by) => store.as({ by })) as [Store, Store]
  for (const bucket of ['photos', 'notes']) await ofAda.buckets.create(bucket, { versioning: 'Enabled' })
  let objects = 0
  for (const [i, place] of places.entries()) {
    signal.throwIfAborted()
    for (let n = 1; n <= perPlace; n++, objects++) {
      pace(150 - 12 * i - n / 8)
      const title = `${place} ${n}`
      await ofAda.objects.put('photos', keyOf(place, n), picture(title, i * perPlace + n), svg(title))
    }
  }
  objects += await writeNotes(ofGrace, pace)
  await retouch(ofAda, ofGrace, pace)
  const before = store.seq
  const tidying: Actor = agent
  pace(20)
  const { deleted, id } = await store.as({ by: tidying }).deletePrefix('photos', '2026/holiday/', { signal })
  return { objects, before, deleted, requestId: id }
}

const keyOf = (place: string, n: number): string => `2026/holiday/${place}/${String(n).padStart(2, '0')}.svg`

const svg = (title: string) => ({ contentType: 'image/svg+xml', metadata: { title } })

async function writeNotes(by: Store, pace: Pace): Promise<number> {
  const text = { contentType: 'text/markdown' }
  pace(72)
  await by.objects.put('notes', 'packing.md', '# Packing\n\n- camera\n- tent\n', text)
  pace(70)
  await by.objects.put('notes', 'packing.md', '# Packing\n\n- camera\n- tent\n- spare battery\n', text)
  pace(66)
  await by.objects.put('notes', 'route.md', '# Route\n\nharbour, dunes, lighthouse\n', text)
  return 2
}

/** Edits and tags, so that keys have a history. */
async function retouch(ofAda: Store, ofGrace: Store, pace: Pace): Promise<void> {
  for (const n of [1, 2, 3]) {
    pace(50 - n)
    await ofGrace.objects.put(
      'photos',
      keyOf('harbour', n),
      picture(`harbour ${n}, retouched`, 100 + n),
      svg(`harbour ${n}`),
    )
  }
  pace(30)
  await ofAda.objects.annotate('photos', keyOf('lighthouse', 4), {
    kind: 'tags',
    value: [{ key: 'best-of', value: 'yes' }],
  })
}
