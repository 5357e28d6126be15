/** Work that takes several commits, in a log: where each commit ends, and whether the work is whole. */
import type { RecordedEvent } from '@varve/core'
import { type ModelState, restoreObjects } from '@varve/core/model'
import type { RestoreStep, Step } from './scenario.ts'

/** The events of a command, or of one commit of work in parts. */
export type Group = readonly [RecordedEvent, ...RecordedEvent[]]

export function commandsIn(events: readonly RecordedEvent[]): readonly Group[] {
  const groups: [RecordedEvent, ...RecordedEvent[]][] = []
  let isOver = true
  for (const event of events) {
    // The store's own: erasing bytes, aborting the uploads that a deleted bucket left, the first key.
    if (event.by.id === 'varve' || event.type === 'KeyGenerationAdded') continue
    const last = groups.at(-1)
    if (isOver || last === undefined || last[0].requestId !== event.requestId) groups.push([event])
    else last.push(event)
    isOver = isMark(event)
  }
  return groups
}

export const isParted = (step: Step): boolean => 'parted' in step && step.parted === true

/** It ends a commit of work in parts. */
export const isMark = ({ type }: RecordedEvent): boolean => type.startsWith('Task')

export const keysOf = (events: readonly RecordedEvent[]): readonly string[] => [
  ...new Set(events.flatMap(({ data }) => ('key' in data ? [data.key] : []))),
]

/** A restore in parts that has ended restored all that it planned, and nothing that others changed since. */
export function problemsOfEnded(
  events: readonly RecordedEvent[],
  { name, bucket, to }: Pick<RestoreStep, 'name' | 'bucket' | 'to'>,
  stateAt: (seq: number) => ModelState | undefined,
): readonly string[] {
  const planned = plannedAt(events, name)
  const [state, past] = [stateAt(planned), stateAt(to)]
  // Bytes that were erased since are not there to come back.
  if (state === undefined || past === undefined || events.some(({ type }) => type === 'ContentsErased')) return []
  const problems: string[] = []
  for (const key of keysOf(events)) {
    const isPlanned = restoreObjects(state, { name, bucket, prefix: key, past }) !== state
    const ofKey = events.filter((event) => event.seq > planned && keysOf([event]).includes(key))
    const first = ofKey[0]?.requestId
    const isOwn = ofKey.some(({ requestId }) => requestId === name)
    if (isPlanned && first === undefined) problems.push(`${name} ended and left out ${key}`)
    if (isOwn && first !== name) problems.push(`${name} took back what others did to ${key} since its plan`)
  }
  return problems
}

function plannedAt(events: readonly RecordedEvent[], name: string): number {
  const started = events.find(({ type, requestId }) => type === 'TaskStarted' && requestId === name)
  return started?.type === 'TaskStarted' ? started.data.planned : -1
}
