/** What the events of the log mean for a sweep. */
import type { RecordedEvent } from '../events/index.ts'
import type { GarbagePlace } from '../views/content-tables.ts'

export const requestsErasure = ({ type }: RecordedEvent): boolean => type === 'ErasureRequested'

/** What is due, or erased, without a sweep. */
export const changesDue = (event: RecordedEvent): boolean => requestsErasure(event) || event.type === 'RetentionSet'

export const returnsGarbage = (event: RecordedEvent): boolean =>
  event.type === 'PinsSettled' && event.data.released.length > 0

export const settlesPin = (event: RecordedEvent): boolean =>
  event.type === 'PinsSettled' && event.data.settled !== undefined

/** Whether the events start the erasure of exactly these contents. */
export function namesAll(events: readonly RecordedEvent[], contents: readonly GarbagePlace[]): boolean {
  const started = events.flatMap(({ type, data }) => (type === 'ErasureStarted' ? data.contents : []))
  const isSame = ({ freedBy, index }: GarbagePlace, i: number): boolean =>
    contents[i]?.freedBy === freedBy && contents[i].index === index
  return started.length === contents.length && started.every(isSame)
}
