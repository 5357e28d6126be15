import type { Event } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { garbageTable } from '../views/content-tables.ts'
import { isPinned, loadPins } from '../views/pins.ts'
import type { GarbageRow, Pin } from '../views/rows.ts'
import { keptByTasks, loadTasks } from '../views/tasks.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly waiting: readonly (GarbageRow | undefined)[]
  readonly pins: readonly Pin[]
  /** Bytes that were freed after it are needed by a task. */
  readonly kept: Seq
}

/** Starts only the erasure of contents that still wait for it and that no task needs. What a snapshot keeps is set aside. */
export const startErasure: Rule<'StartErasure', State> = {
  async load(rows, { contents }) {
    return {
      waiting: await Promise.all(contents.map(async (place) => rows.get(garbageTable.key(place)))),
      pins: await loadPins(rows),
      kept: keptByTasks(await loadTasks(rows)),
    }
  },

  decide({ waiting, pins, kept }, { contents }) {
    const still = contents.flatMap((place, i) => {
      const garbage = waiting[i]
      return garbage === undefined || place.freedBy > kept ? [] : [{ place, isPinned: isPinned(place, garbage, pins) }]
    })
    const pinned = still.filter((each) => each.isPinned).map(({ place }) => place)
    const started = still.filter((each) => !each.isPinned).map(({ place }) => place)
    const events: Event[] = []
    if (pinned.length > 0) events.push({ type: 'PinsSettled', data: { pinned, released: [] } })
    if (started.length > 0) events.push({ type: 'ErasureStarted', data: { contents: started } })
    return events
  },
}
