import { releasableForks } from '../views/fork-pins.ts'
import { loadPins } from '../views/pins.ts'
import type { Pin } from '../views/rows.ts'
import type { Rule } from './rule.ts'

/** No event while a snapshot or another fork shows the fork. */
export const releaseFork: Rule<'ReleaseFork', readonly Pin[]> = {
  load: (rows) => loadPins(rows),

  decide: (pins, { fork }) =>
    releasableForks(pins, Number.POSITIVE_INFINITY).includes(fork) ? [{ type: 'ForkReleased', data: { fork } }] : [],
}
