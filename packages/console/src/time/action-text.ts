/** What one request did, in words: its net effect on each key, whatever events brought it about. */

import { countText, visible } from '../components/formats.ts'
import { deedText, subjectText } from './event-text.ts'
import type { LogEvent } from './events.ts'

/** Such as `deleted 48 objects, the first is a.txt`, or `undid a change: brought back 48 objects, the first is a.txt`. */
export function actionText(events: readonly LogEvent[]): string {
  const [first] = events as readonly [LogEvent, ...LogEvent[]]
  const { cause } = first.data
  if (cause?.kind === 'undo' || cause?.kind === 'restore') return `${beginnings[cause.kind]}: ${returnText(events)}`
  const deeds = new Set(events.map(deedText))
  if (events.length === 1 || deeds.size > 1) return `${deedText(first)} ${visible(subjectText(first))}`
  return `${deedText(first)} ${objectsText([...new Set(events.map(subjectText))])}`
}

const beginnings = { undo: 'undid a change', restore: 'restored an earlier state' } as const

function objectsText(keys: readonly string[]): string {
  const [first = ''] = keys
  return keys.length === 1 ? visible(first) : `${countText(keys.length, 'object')}, the first is ${visible(first)}`
}

type Return = 'brought back' | 'changed back' | 'removed' | 'changed'

/** What an undo or a restore did. */
function returnText(events: readonly LogEvent[]): string {
  const byKey = grouped(events, subjectText)
  const byReturn = grouped(byKey, ([, ofKey]) => returnOf(ofKey))
  return Array.from(byReturn, ([what, keys]) => `${what} ${objectsText(keys.map(([key]) => key))}`).join('; ')
}

function grouped<T, K>(values: Iterable<T>, groupOf: (value: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>()
  for (const value of values) {
    const group = groups.get(groupOf(value))
    if (group === undefined) groups.set(groupOf(value), [value])
    else group.push(value)
  }
  return groups
}

/** From the events of one key. */
function returnOf(events: readonly LogEvent[]): Return {
  const has = (type: string, isOfMarker: boolean): boolean =>
    events.some((event) => event.type === type && (event.data.deleteMarker ?? false) === isOfMarker)
  const isPromoted = events.some(({ data }) => data.promotes !== undefined)
  if (
    has('VersionRestored', true) ||
    events.some(({ type }) => type === 'DeleteMarkerAdded' || type === 'BucketDeleted')
  )
    return 'removed'
  if (has('VersionRemoved', true) || events.some(({ type }) => type === 'BucketRestored')) return 'brought back'
  if (has('VersionRemoved', false)) return has('VersionRestored', false) || isPromoted ? 'changed back' : 'removed'
  if (events.some(({ data }) => data.replaces !== undefined)) return 'changed back'
  return has('VersionRestored', false) || has('VersionAdded', false) ? 'brought back' : 'changed'
}
