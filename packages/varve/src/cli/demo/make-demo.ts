/** Makes the store of `varve demo`. */
import { openAtTime } from '../../store/open-directory.ts'
import { openStore } from '../../store/open-store.ts'
import { storeClock, testClock } from '../../testing/test-clock.ts'
import { type DemoStory, writeStory } from './demo-story.ts'

const hourMs = 3_600_000

/** The story ends before now, so that it fills a week of the timeline. @throws as `openStore` does */
export async function makeDemo(dir: string, signal: AbortSignal): Promise<DemoStory> {
  const now = Date.now()
  const clock = testClock(now - 7 * 24 * hourMs)
  const store = await openAtTime(dir, storeClock(clock), { signal })
  let story: DemoStory
  try {
    story = await writeStory(store, signal, (hours) => {
      clock.advance(Math.max(0, Math.round(now - hours * hourMs - clock.now())))
    })
  } finally {
    await store.close()
  }
  await acceptPresent(dir, signal)
  return story
}

/** Otherwise the store would count the week as one in which it was closed. */
async function acceptPresent(dir: string, signal: AbortSignal): Promise<void> {
  const store = await openStore(dir, { signal, controlSocket: false })
  try {
    await store.clock.accept()
  } finally {
    await store.close()
  }
}
